extension PersistentContainer {
    /// Inserts many objects as one transaction of the history, in the memory of a few.
    ///
    /// Readers in this and other processes continue. Writers wait: other processes until their busy timeout,
    /// this process until the batch ends. Until then, the whole batch is in the store's `-wal` file, which
    /// grows by each page that the batch writes. Later commits reuse that space; the file does not shrink.
    ///
    /// Every context merges a batch, even those of its author, since none has its objects yet. Cancelling the
    /// task ends the batch with ``StoreError/cancelled``, and nothing is saved.
    ///
    /// - Parameters:
    ///   - request: The objects to insert.
    ///   - author: The author to record in the history.
    ///   - contextName: The context name to record in the history.
    ///   - progress: A closure called on another thread, at most once every thousand objects.
    @discardableResult
    nonisolated(nonsending) public func execute(
        _ request: BatchInsertRequest, author: String?, contextName: String? = nil,
        progress: (@Sendable (BatchProgress) -> Void)? = nil
    ) async throws(StoreError) -> BatchResult {
        try await writer.execute(.insert(request), TransactionOrigin(author, contextName), progress)
    }

    /// Sets the same new values in many objects, as one transaction of the history; otherwise the same as an
    /// insertion.
    ///
    /// Only objects that differ are changed and recorded. Reads each object of the entity once or twice in
    /// the order of the keys. If the predicate's attribute has an index, reads only the objects between the
    /// first and the last match.
    @discardableResult
    nonisolated(nonsending) public func execute(
        _ request: BatchUpdateRequest, author: String?, contextName: String? = nil,
        progress: (@Sendable (BatchProgress) -> Void)? = nil
    ) async throws(StoreError) -> BatchResult {
        try await writer.execute(.update(request), TransactionOrigin(author, contextName), progress)
    }

    /// Deletes many objects as one transaction of the history; otherwise the same as an update.
    @discardableResult
    nonisolated(nonsending) public func execute(
        _ request: BatchDeleteRequest, author: String?, contextName: String? = nil,
        progress: (@Sendable (BatchProgress) -> Void)? = nil
    ) async throws(StoreError) -> BatchResult {
        try await writer.execute(.delete(request), TransactionOrigin(author, contextName), progress)
    }
}

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
        try await writer.execute(.insert(request), TransactionOrigin(author, name), progress)
    }

    /// Runs an update under this context's author and name.
    @discardableResult
    public nonisolated func execute(
        _ request: BatchUpdateRequest, progress: (@Sendable (BatchProgress) -> Void)? = nil
    ) async throws(StoreError) -> BatchResult {
        try await writer.execute(.update(request), TransactionOrigin(author, name), progress)
    }

    /// Runs a deletion under this context's author and name.
    @discardableResult
    public nonisolated func execute(
        _ request: BatchDeleteRequest, progress: (@Sendable (BatchProgress) -> Void)? = nil
    ) async throws(StoreError) -> BatchResult {
        try await writer.execute(.delete(request), TransactionOrigin(author, name), progress)
    }
}

extension StoreWriter {
    /// Commits a batch as one transaction of the history, under a session that no context has.
    fileprivate func execute(
        _ work: BatchExecution.Work, _ origin: TransactionOrigin,
        _ report: (@Sendable (BatchProgress) -> Void)?
    ) throws(StoreError) -> BatchResult {
        let batch = BatchExecution(work: work, report: report)
        let written = try write(as: origin) { transaction throws(StoreError) in
            try batch.run(in: &transaction)
        }.get()
        var result = written.value
        result.token = written.token
        return result
    }
}

/// Batches as parts of a write; each is done as a whole or not at all.
extension StoreTransaction {
    @discardableResult
    public mutating func execute(_ request: BatchInsertRequest) throws(StoreError) -> BatchResult {
        try BatchExecution(work: .insert(request), report: nil).run(in: &self)
    }

    @discardableResult
    public mutating func execute(_ request: BatchUpdateRequest) throws(StoreError) -> BatchResult {
        try BatchExecution(work: .update(request), report: nil).run(in: &self)
    }

    @discardableResult
    public mutating func execute(_ request: BatchDeleteRequest) throws(StoreError) -> BatchResult {
        try BatchExecution(work: .delete(request), report: nil).run(in: &self)
    }
}
