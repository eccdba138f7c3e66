extension StoreContext {
    /// Runs a batch under this context's author and name. What is unsaved here has no part in it, and what it does
    /// is merged here like anybody else's work.
    ///
    /// - Parameters:
    ///   - request: what to insert.
    ///   - progress: called on another thread at most once every thousand objects.
    @discardableResult
    public nonisolated func execute(
        _ request: BatchInsertRequest, progress: (@Sendable (BatchProgress) -> Void)? = nil
    ) async throws(StoreError) -> BatchResult {
        try await writer.execute(.insert(request), author: author, contextName: name, progress)
    }

    /// The same for an update.
    @discardableResult
    public nonisolated func execute(
        _ request: BatchUpdateRequest, progress: (@Sendable (BatchProgress) -> Void)? = nil
    ) async throws(StoreError) -> BatchResult {
        try await writer.execute(.update(request), author: author, contextName: name, progress)
    }

    /// The same for a deletion.
    @discardableResult
    public nonisolated func execute(
        _ request: BatchDeleteRequest, progress: (@Sendable (BatchProgress) -> Void)? = nil
    ) async throws(StoreError) -> BatchResult {
        try await writer.execute(.delete(request), author: author, contextName: name, progress)
    }
}
