extension PersistentContainer {
    /// Inserts many objects as one transaction of the history, in the memory of a few.
    ///
    /// Readers go on meanwhile, here and in other processes. Writers wait: those of other processes until their busy
    /// timeout, this process's until the batch has ended. Until then all of it stands in the store's `-wal` file,
    /// which grows by each page the batch touches and is used again, not made smaller, by later commits.
    ///
    /// Every context merges a batch, also those of its author: none has its objects yet. Cancelling the task ends
    /// it with ``StoreError/cancelled``, and nothing of it is saved.
    ///
    /// - Parameters:
    ///   - request: what to insert.
    ///   - author: under whom history has it.
    ///   - contextName: the name that history has beside the author.
    ///   - progress: called on another thread at most once every thousand objects.
    @discardableResult
    nonisolated(nonsending) public func execute(
        _ request: BatchInsertRequest, author: String?, contextName: String? = nil,
        progress: (@Sendable (BatchProgress) -> Void)? = nil
    ) async throws(StoreError) -> BatchResult {
        try await writer.execute(.insert(request), author: author, contextName: contextName, progress)
    }

    /// Gives many objects the same new values as one transaction of the history; otherwise as for inserts.
    ///
    /// Only objects that differ are changed and recorded. Works through the keys in order, reading each object of
    /// the entity once or twice, or, when the predicate's attribute has an index, those between the first and the
    /// last that match.
    @discardableResult
    nonisolated(nonsending) public func execute(
        _ request: BatchUpdateRequest, author: String?, contextName: String? = nil,
        progress: (@Sendable (BatchProgress) -> Void)? = nil
    ) async throws(StoreError) -> BatchResult {
        try await writer.execute(.update(request), author: author, contextName: contextName, progress)
    }

    /// Deletes many objects as one transaction of the history; otherwise as for updates.
    @discardableResult
    nonisolated(nonsending) public func execute(
        _ request: BatchDeleteRequest, author: String?, contextName: String? = nil,
        progress: (@Sendable (BatchProgress) -> Void)? = nil
    ) async throws(StoreError) -> BatchResult {
        try await writer.execute(.delete(request), author: author, contextName: contextName, progress)
    }
}
