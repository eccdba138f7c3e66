extension PersistentContainer {
    /// What ``deleteHistory(_:)`` would delete and leave now; nothing is written. The predicate is not looked at.
    nonisolated(nonsending) package func previewDeletion(_ request: HistoryDeleteRequest)
        async throws(StoreError) -> PurgeResult
    {
        let cut = try await writer.read { try HistoryCut(request, on: $0) }
        return try await HistoryCleaning(writer: writer, now: options.clock()).count(cut)
    }
}
