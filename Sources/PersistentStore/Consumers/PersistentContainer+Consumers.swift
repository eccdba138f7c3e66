extension PersistentContainer {
    /// Registers a reader of the history, or takes over its cursor when its process is gone.
    ///
    /// - Parameters:
    ///   - name: the wanted name.
    ///   - author: whose it is; cleaning can be told not to wait for some authors' consumers.
    ///   - isTransient: whether it lives as long as this process; cleaning does not wait for it afterwards.
    ///   - retention: how long the store keeps what it has not dealt with yet; the last registration decides.
    ///   - token: where a new consumer begins; at the newest transaction when nil.
    /// - Returns: the name it got, another than the wanted one when a running process has that, and the
    ///   position after which it has to read.
    nonisolated(nonsending) public func registerConsumer(
        _ name: String, author: String? = nil, isTransient: Bool = false,
        retention: ConsumerRetention = .untilBackstop, startingAt token: HistoryToken? = nil
    ) async throws(StoreError) -> (name: String, token: HistoryToken) {
        if let token { try check(token) }
        let start = if let token { token } else { try await currentToken() }
        let now = options.clock()
        return try await writer.write { connection in
            try ConsumerTable.register(
                name, author: author, startingAt: start, isTransient: isTransient,
                retention: retention, now: now, on: connection)
        }
    }

    /// Moves a consumer's cursor forward; never back. ``StoreError/unknownConsumer(_:)`` when none of that name is
    /// registered.
    nonisolated(nonsending) public func moveCursor(of consumer: String, to token: HistoryToken)
        async throws(StoreError)
    {
        try check(token)
        let now = options.clock()
        try await writer.write { try ConsumerTable.move(consumer, to: token, now: now, on: $0) }
    }

    /// Puts a cursor anywhere, for a consumer that has read everything anew.
    nonisolated(nonsending) public func resetCursor(of consumer: String, to token: HistoryToken)
        async throws(StoreError)
    {
        try check(token)
        let now = options.clock()
        try await writer.write { try ConsumerTable.reset(consumer, to: token, now: now, on: $0) }
    }

    private func check(_ token: HistoryToken) throws(StoreError) {
        guard token.storeID == storeID else { throw .tokenOfAnotherStore }
    }

    /// Forgets a consumer: cleaning no longer waits for it.
    nonisolated(nonsending) public func removeConsumer(_ name: String) async throws(StoreError) {
        try await writer.write { try ConsumerTable.remove(name, on: $0) }
    }
}
