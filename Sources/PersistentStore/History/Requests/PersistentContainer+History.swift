/// History requests, each answered from one state of the store. To read much of the history, or several
/// results that must be consistent, use ``read(_:)`` with a ``StoreSnapshot``.
extension PersistentContainer {
    /// Whether the request admits a transaction; reads no further than the first.
    nonisolated(nonsending) public func hasTransactions(_ request: HistoryFetchRequest)
        async throws(StoreError) -> Bool
    {
        try await read { try $0.hasTransactions(request) }
    }

    /// Returns the number of admitted transactions, and of their admitted changes.
    nonisolated(nonsending) public func count(_ request: HistoryFetchRequest)
        async throws(StoreError) -> HistoryCount
    {
        try await read { try $0.count(request) }
    }

    /// Returns the changed objects, each once.
    nonisolated(nonsending) public func objectIDs(_ request: HistoryFetchRequest)
        async throws(StoreError) -> Set<ObjectID>
    {
        try await read { try $0.objectIDs(request) }
    }

    /// Returns all admitted transactions; ``StoreSnapshot/forEachTransaction(_:_:)`` holds one in memory.
    nonisolated(nonsending) public func transactions(_ request: HistoryFetchRequest = HistoryFetchRequest())
        async throws(StoreError) -> [HistoryTransaction]
    {
        try await read { try $0.transactions(request) }
    }

    /// Returns all admitted changes, without their transactions; ``StoreSnapshot/forEachChange(_:_:)`` holds
    /// a few in memory.
    nonisolated(nonsending) public func changes(_ request: HistoryFetchRequest)
        async throws(StoreError) -> [HistoryChange]
    {
        try await read { try $0.changes(request) }
    }
}
