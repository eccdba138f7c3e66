extension PersistentContainer {
    /// Registers a reader of the history, or takes over its cursor if its process has exited.
    ///
    /// - Parameters:
    ///   - name: The preferred name.
    ///   - author: The author of the consumer; cleaning can ignore the consumers of some authors.
    ///   - isTransient: Whether the consumer exists only as long as this process; after that, cleaning
    ///     ignores it.
    ///   - retention: The retention of history that the consumer has not processed; the last registration
    ///     decides.
    ///   - token: The initial position of a new consumer, such as ``beginningToken``; nil means the newest
    ///     transaction.
    /// - Returns: The actual name, which differs from the preferred one if a running process uses that, and
    ///   the position after which to read.
    nonisolated(nonsending) public func registerConsumer(
        _ name: String, author: String? = nil, isTransient: Bool = false,
        retention: ConsumerRetention = .withinBounds, startingAt token: HistoryToken? = nil
    ) async throws(StoreError) -> (name: String, token: HistoryToken) {
        if let token { try check(token) }
        let start = if let token { token } else { try await currentToken() }
        let now = options.clock()
        return try await writer.write { connection in
            try ConsumerTable.check(start, on: connection)
            return try ConsumerTable.register(
                name, author: author, startingAt: start, isTransient: isTransient,
                retention: retention, now: now, on: connection)
        }
    }

    /// Makes cleaning wait for a consumer that has not run yet, such as an extension that is installed later.
    ///
    /// The consumer is registered at the beginning of the readable history, without a process. The first
    /// process that registers under the name takes over that position. Does nothing if the name is registered.
    ///
    /// - Parameters:
    ///   - name: The name under which the consumer will register.
    ///   - author: The author of the consumer; cleaning can ignore the consumers of some authors.
    ///   - retention: The retention of history until the consumer registers. By default, cleaning waits up to
    ///     the maximum age and size.
    nonisolated(nonsending) public func expectConsumer(
        _ name: String, author: String? = nil, retention: ConsumerRetention = .withinBounds
    ) async throws(StoreError) {
        // The usual case, without the write lock.
        let isRegistered = try await reader.read { snapshot throws(StoreError) in
            try snapshot.ask { try ConsumerTable.isRegistered(name, on: $0) }
        }
        guard !isRegistered else { return }
        let now = options.clock()
        try await writer.write {
            try ConsumerTable.expect(name, author: author, retention: retention, now: now, on: $0)
        }
    }

    /// Moves a consumer's cursor forward; never backward.
    ///
    /// - Throws: ``StoreError/unknownConsumer(_:)`` if no consumer of that name is registered;
    ///   ``StoreError/tokenFromFuture(newest:)`` if the store has not reached the token.
    nonisolated(nonsending) public func moveCursor(of consumer: String, to token: HistoryToken)
        async throws(StoreError)
    {
        try check(token)
        let now = options.clock()
        try await writer.write {
            try ConsumerTable.check(token, on: $0)
            try ConsumerTable.move(consumer, to: token, now: now, on: $0)
        }
    }

    /// Sets a cursor to any position that the store has reached, for a consumer that has done a full refresh.
    nonisolated(nonsending) public func resetCursor(of consumer: String, to token: HistoryToken)
        async throws(StoreError)
    {
        try check(token)
        let now = options.clock()
        try await writer.write {
            try ConsumerTable.check(token, on: $0)
            try ConsumerTable.reset(consumer, to: token, now: now, on: $0)
        }
    }

    private func check(_ token: HistoryToken) throws(StoreError) {
        guard token.storeID == storeID else { throw .tokenOfAnotherStore }
    }

    /// Unregisters a consumer; cleaning no longer waits for it.
    nonisolated(nonsending) public func removeConsumer(_ name: String) async throws(StoreError) {
        try await writer.write { try ConsumerTable.remove(name, on: $0) }
    }
}

extension StoreContext {
    /// Commits pending changes and, in the same commit, moves a consumer's cursor. Work stored in the store
    /// is then done exactly once, even if the process is killed at any moment.
    ///
    /// - Throws: ``StoreError/unknownConsumer(_:)`` if no consumer of that name is registered;
    ///   ``StoreError/tokenFromFuture(newest:)`` if the store had not reached the token before. Nothing is saved
    ///   then.
    @discardableResult
    public func save(
        movingCursorOf consumer: String, to token: HistoryToken
    ) async throws(StoreError) -> SaveResult {
        try await save(moving: (consumer, token))
    }
}
