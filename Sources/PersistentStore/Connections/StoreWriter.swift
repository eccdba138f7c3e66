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
    private var tables: ObjectTables?

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
        tables = ObjectTables(ObjectQuery(model: opening.model, store: StoreDigest(metadata.storeID)))
        let path = opening.resolvedPath
        FilePermissions.prepare(Doorbell.path(store: path), forOwnerOf: path)
        doorbell = Doorbell(storePath: path)
        return metadata
    }

    /// Commits one context's changes as one transaction of the history.
    func save(_ request: SaveRequest) throws(StoreError) -> SaveResult {
        guard let storeID, let tables else { throw rejection }
        let execution = SaveExecution(
            request: request, opening: opening, storeID: storeID, tables: tables)
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
        _ body: (borrowing Connection, StoreConnection.Facts) throws -> StoreConnection.Work<Result>
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

extension StoreWriter {
    /// Runs `body` with the write lock and commits without waiting for the disk: the next cleaning repeats
    /// work that a power failure undoes. No signal is sent, since no readable data has changed.
    func writeUnsynced<Result: Sendable>(_ body: (borrowing Connection) throws -> Result)
        throws(StoreError) -> Result
    {
        guard let connection else { throw .closed }
        do {
            try connection.connection.execute("PRAGMA synchronous = NORMAL")
        } catch {
            throw connection.storeError(error)
        }
        defer {
            try? connection.connection.execute("PRAGMA synchronous = \(opening.options.durability.rawValue)")
        }
        return try connection.write(body)
    }

    /// Rewrites the whole file without unused pages. Numbers and IDs are unchanged.
    func vacuum() throws(StoreError) {
        guard let connection else { throw .closed }
        do {
            try connection.connection.vacuum()
        } catch {
            throw connection.storeError(error)
        }
    }

    /// Does the same as ``writeUnsynced(_:)``, and returns the time for which other writers were blocked.
    func takeTurn<Result: Sendable>(_ body: (borrowing Connection) throws -> Result)
        throws(StoreError) -> (result: Result, turn: Duration)
    {
        var began = ContinuousClock.now
        let result = try writeUnsynced { connection in
            began = .now
            return try body(connection)
        }
        return (result, .now - began)
    }

    /// Purges history beyond the bounds of the options, if this commit crosses the interval; see
    /// ``HistoryTrimming``.
    ///
    /// The commit has succeeded: no error here may fail it.
    func trimHistory(after recorded: ClosedRange<Int64>) {
        guard let connection, let bounds = opening.options.historyBounds,
            let trimming = HistoryTrimming(bounds, after: recorded, now: opening.options.clock())
        else { return }
        // A process that is writing now will trim after its own commit.
        connection.connection.setBusyTimeout(milliseconds: HistoryTrimming.patience)
        defer {
            connection.connection.setBusyTimeout(milliseconds: opening.options.busyTimeout.wholeMilliseconds)
        }
        do {
            guard var plan = try connection.read({ try trimming.plan(on: $0) }) else { return }
            while try writeUnsynced({ try plan.carryOut(on: $0) }) {}
        } catch {
            return
        }
    }
}
