package import PersistentStore

/// One method of a snapshot, on its own state of the store.
extension PersistentContainer {
    nonisolated(nonsending) package func count(_ request: HistoryFetchRequest)
        async throws(StoreError) -> HistoryCount
    {
        try await read { snapshot throws(StoreError) in try snapshot.historyCount(request) }
    }

    nonisolated(nonsending) package func objectIDs(_ request: HistoryFetchRequest)
        async throws(StoreError) -> Set<ObjectID>
    {
        try await read { snapshot throws(StoreError) in try snapshot.objectIDs(request) }
    }

    nonisolated(nonsending) package func changes(_ request: HistoryFetchRequest)
        async throws(StoreError) -> [HistoryChange]
    {
        try await read { snapshot throws(StoreError) in try snapshot.changes(request) }
    }

    nonisolated(nonsending) package func find<R: Record>(
        _ id: ObjectID, of type: R.Type = R.self
    ) async throws(StoreError) -> StoredRecord<R>? {
        try await read { snapshot throws(StoreError) in try snapshot.find(id, of: type) }
    }
}
