import PersistentStore

/// Access to the store with errors of the mirror.
extension Mirror {
    nonisolated(nonsending) func read<Result: Sendable>(
        _ body: @Sendable (inout StoreSnapshot) throws(StoreError) -> Result
    ) async throws(MirrorError) -> Result {
        do throws(StoreError) { return try await container.read(body) } catch { throw .store(error) }
    }

    /// Does the same for work that runs concurrently, whose errors have no type of their own.
    nonisolated(nonsending) func result<Value: Sendable>(
        of body: @Sendable (inout StoreSnapshot) throws(StoreError) -> Value
    ) async -> Result<Value, MirrorError> {
        do throws(MirrorError) { return .success(try await read(body)) } catch { return .failure(error) }
    }

    func store<Result: Sendable>(
        _ body: () async throws(StoreError) -> Result
    ) async throws(MirrorError) -> Result {
        do throws(StoreError) { return try await body() } catch { throw .store(error) }
    }

    /// Reads the record map in pages, each in a snapshot of its own, without rows that are no
    /// records.
    func forEachPageOfMap(
        _ body: ([MapRow]) async throws(MirrorError) -> Void
    ) async throws(MirrorError) {
        var request = FetchRequest(MirrorNames.record, limit: 1000)
        while true {
            let page = request
            let (rows, end) = try await read { snapshot throws(StoreError) in
                let objects = try snapshot.fetch(page)
                return (
                    MapRow.rows(of: objects).filter(\.isRecord),
                    objects.last.map { snapshot.position(of: $0, in: []) }
                )
            }
            guard let end else { return }
            request.after = end
            try await body(rows)
        }
    }

    /// Commits objects, rows of the map, the zone, and optionally the cursor in the history, all together. All other
    /// writers wait for the work: encode rows before.
    func save(
        named name: String = "state", movingTo token: HistoryToken? = nil,
        _ work: @Sendable (inout StoreTransaction) throws(StoreError) -> Void
    ) async throws(MirrorError) {
        try atCommit()
        let (zone, consumer) = (zone, configuration.consumer)
        let id = try await store { () throws(StoreError) in
            try await container.write(author: MirrorConfiguration.author, name: name) {
                transaction throws(StoreError) in
                if let token { try transaction.moveCursor(of: consumer, to: token) }
                try work(&transaction)
                return try zone.save(in: &transaction)
            }
        }
        self.zone.wasSaved(id)
        try atCommit()
    }
}
