import FoundationEssentials
import Platform
import SQLite

/// The connection that writes, on its own thread, so that waiting for another writer blocks no other task.
actor StoreWriter {
    nonisolated let loop: EventLoop
    let opening: StoreOpening
    private(set) var connection: StoreConnection?
    private var doorbell: Doorbell?
    private var storeID: UUID?

    init(loop: EventLoop, opening: StoreOpening) {
        self.loop = loop
        self.opening = opening
    }

    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    /// Creates, migrates, and opens the store.
    func open() throws(StoreError) -> StoreMetadata {
        let (connection, metadata) = try opening.open()
        self.connection = connection
        connection.storeID = metadata.storeID
        storeID = metadata.storeID
        let path = opening.resolvedPath
        FilePermissions.prepare(Doorbell.path(store: path), forOwnerOf: path)
        doorbell = Doorbell(storePath: path)
        return metadata
    }

    /// Commits one context's changes as one transaction of the history.
    func save(_ request: SaveRequest) throws(StoreError) -> SaveResult {
        guard let storeID else { throw rejection }
        let execution = SaveExecution(request: request, opening: opening, storeID: storeID)
        let result = try commit { try execution.run(on: $0, $1) }
        if let recorded = result.recorded { trimHistory(after: recorded) }
        return result
    }

    /// Commits a batch as one transaction of the history, under a session that no context has.
    func execute(
        _ work: BatchExecution.Work, author: String?, contextName: String?,
        _ report: (@Sendable (BatchProgress) -> Void)?
    ) throws(StoreError) -> BatchResult {
        guard let storeID, let connection else { throw rejection }
        let origin = TransactionOrigin(
            author: author, contextName: contextName, session: Int64.random(in: 1...Int64.max))
        let transaction = RecordedTransaction(origin: origin, options: opening.options, storeID: storeID)
        let batch = BatchExecution(work: work, report: report)
        let result = try commit { try batch.run(transaction, opening.model, on: $0, $1, in: connection) }
        SavedTransactions.note(result.token)
        if let last = result.token?.number, last > Int64(result.rows) {
            trimHistory(after: last - Int64(result.rows)...last)
        }
        return result
    }

    /// Runs `body` with the write lock, commits, and rings the doorbell.
    func write<Result: Sendable>(_ body: (borrowing Connection) throws -> Result) throws(StoreError) -> Result
    {
        try commit { connection, _ in .init(result: try body(connection)) }
    }

    /// Runs `body` with the write lock and commits its work, which proves its result and may be empty.
    private func commit<Result: Sendable>(
        _ body: (borrowing Connection, ExternalTriggers) throws -> StoreConnection.Work<Result>
    ) throws(StoreError) -> Result {
        guard let connection else { throw rejection }
        let result = try connection.commit(body)
        doorbell?.ring()
        return result
    }

    /// Runs `body` on one snapshot, without the write lock; blocks only this process's writes.
    func read<Result: Sendable>(_ body: (borrowing Connection) throws -> Result) throws(StoreError) -> Result
    {
        guard let connection else { throw rejection }
        return try connection.read(body)
    }

    /// The reason for the missing connection.
    private var rejection: StoreError {
        opening.options.access == .readOnly ? .openedReadOnly(path: opening.path) : .closed
    }

    func close() {
        connection = nil
        doorbell = nil
        WriterLock.releaseUnlinked()
    }
}
