/// History requests, each answered from one state of the store. To go through much of it, or to ask for several
/// things that fit together, use ``read(_:)`` with a ``StoreSnapshot``.
extension PersistentContainer {
    /// Whether there is any such transaction; reads no further than the first.
    nonisolated(nonsending) public func hasTransactions(_ request: HistoryFetchRequest)
        async throws(StoreError) -> Bool
    {
        try await read { try $0.hasTransactions(request) }
    }

    /// How many such transactions there are, and changes in them that the request admits.
    nonisolated(nonsending) public func count(_ request: HistoryFetchRequest)
        async throws(StoreError) -> HistoryCount
    {
        try await read { try $0.count(request) }
    }

    /// The objects that were changed, each once.
    nonisolated(nonsending) public func objectIDs(_ request: HistoryFetchRequest)
        async throws(StoreError) -> Set<ObjectID>
    {
        try await read { try $0.objectIDs(request) }
    }

    /// All of them at once; ``StoreSnapshot/forEachTransaction(_:_:)`` holds one at a time.
    nonisolated(nonsending) public func transactions(_ request: HistoryFetchRequest = HistoryFetchRequest())
        async throws(StoreError) -> [HistoryTransaction]
    {
        try await read { try $0.transactions(request) }
    }

    /// All changes at once, without their transactions; ``StoreSnapshot/forEachChange(_:_:)`` holds a few at a
    /// time.
    nonisolated(nonsending) public func changes(_ request: HistoryFetchRequest)
        async throws(StoreError) -> [HistoryChange]
    {
        try await read { try $0.changes(request) }
    }
}
