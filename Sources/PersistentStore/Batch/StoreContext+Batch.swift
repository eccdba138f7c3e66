extension StoreContext {
    /// Runs an insertion under this context's author and name. The batch does not include this context's
    /// unsaved changes, and this context merges it like the work of any other writer.
    ///
    /// - Parameters:
    ///   - request: The objects to insert.
    ///   - progress: A closure called on another thread, at most once every thousand objects.
    @discardableResult
    public nonisolated func execute(
        _ request: BatchInsertRequest, progress: (@Sendable (BatchProgress) -> Void)? = nil
    ) async throws(StoreError) -> BatchResult {
        try await writer.execute(.insert(request), author: author, contextName: name, progress)
    }

    /// Runs an update under this context's author and name.
    @discardableResult
    public nonisolated func execute(
        _ request: BatchUpdateRequest, progress: (@Sendable (BatchProgress) -> Void)? = nil
    ) async throws(StoreError) -> BatchResult {
        try await writer.execute(.update(request), author: author, contextName: name, progress)
    }

    /// Runs a deletion under this context's author and name.
    @discardableResult
    public nonisolated func execute(
        _ request: BatchDeleteRequest, progress: (@Sendable (BatchProgress) -> Void)? = nil
    ) async throws(StoreError) -> BatchResult {
        try await writer.execute(.delete(request), author: author, contextName: name, progress)
    }
}
