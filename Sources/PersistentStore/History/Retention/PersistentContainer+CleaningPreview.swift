extension PersistentContainer {
    /// Returns the result that ``deleteHistory(_:)`` would have now, without writing. Ignores the predicate.
    nonisolated(nonsending) package func previewDeletion(_ request: HistoryDeleteRequest)
        async throws(StoreError) -> PurgeResult
    {
        let cut = try await writer.read { try PurgePlan(request, on: $0) }
        return try await HistoryCleaning(writer: writer, now: options.clock()).count(cut)
    }
}
