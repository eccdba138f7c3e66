extension StoreContext {
    /// Commits pending changes and, in the same commit, moves a consumer's cursor: work that lives in the store is
    /// then done exactly once, whenever the process is killed.
    ///
    /// - Throws: ``StoreError/unknownConsumer(_:)`` when none of that name is registered; nothing is saved then.
    @discardableResult
    public func save(
        movingCursorOf consumer: String, to token: HistoryToken
    ) async throws(StoreError) -> SaveResult {
        try await save(moving: (consumer, token))
    }
}
