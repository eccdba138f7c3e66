extension StoreContext {
    /// Commits pending changes and, in the same commit, moves a consumer's cursor. Work stored in the store
    /// is then done exactly once, even if the process is killed at any moment.
    ///
    /// - Throws: ``StoreError/unknownConsumer(_:)`` if no consumer of that name is registered; nothing is
    ///   saved then.
    @discardableResult
    public func save(
        movingCursorOf consumer: String, to token: HistoryToken
    ) async throws(StoreError) -> SaveResult {
        try await save(moving: (consumer, token))
    }
}
