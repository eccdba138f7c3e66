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
    /// The schema from which the tables of an attached database were read.
    private var tablesVersion: Int64?

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

    /// Runs a closure with the write lock, and commits its changes as one transaction of the history. Returns the
    /// closure's own error unchanged, after a rollback.
    func write<Value: Sendable, Failure: Error>(
        as origin: TransactionOrigin,
        _ body: @Sendable (inout StoreTransaction) throws(Failure) -> Value
    ) throws(StoreError) -> Result<Written<Value>, Failure> {
        guard let storeID, let connection else { throw rejection }
        var failure: Failure?
        do {
            let (written, rows) = try commit(token: { $0.0.token }) { reading, facts in
                let tables = try presentTables(of: storeID, on: reading)
                var transaction = StoreTransaction(
                    StoreSnapshot(.writer(self), tables.query), connection, facts, tables,
                    RecordedTransaction(
                        origin: origin, options: opening.options, storeID: storeID,
                        isAttached: opening.isAttached))
                let value: Value
                do throws(Failure) {
                    value = try body(&transaction)
                } catch {
                    failure = error
                    throw error
                }
                let end = try transaction.end()
                return StoreConnection.Work(
                    result: (Written(value: value, token: end.token), end.rows), isEmpty: end.isEmpty)
            }
            SavedTransactions.note(written.token)
            if let rows { trimHistory(after: rows) }
            return .success(written)
        } catch {
            guard let failure else { throw error }
            return .failure(failure)
        }
    }

    /// Returns the tables; those of an attached database as they are in this transaction.
    private func presentTables(
        of storeID: UUID, on connection: borrowing Connection
    ) throws -> ObjectTables {
        let version = opening.isAttached ? try connection.integer("PRAGMA schema_version") : nil
        if let tables, tablesVersion == version { return tables }
        let model =
            opening.isAttached
            ? try AttachedStore(path: opening.path).model(on: connection) : opening.model
        let present = ObjectTables(ObjectQuery(model: model, store: StoreDigest(storeID)))
        (tables, tablesVersion) = (present, version)
        return present
    }

    /// Runs `body` with the write lock, commits, and rings the doorbell.
    func write<Result: Sendable>(_ body: (borrowing Connection) throws -> Result) throws(StoreError) -> Result
    {
        try commit { connection, _ in .init(result: try body(connection)) }
    }

    /// Runs `body` with the write lock and commits its work, which proves its result and may be empty.
    private func commit<Result: Sendable>(
        token: (Result) -> HistoryToken? = { _ in nil },
        _ body: (borrowing Connection, StoreConnection.Facts) throws -> StoreConnection.Work<Result>
    ) throws(StoreError) -> Result {
        guard let connection else { throw rejection }
        let result = try connection.commit(body)
        // A power failure may take another commit, of which the position would report a loss.
        doorbell?.ring(opening.options.durability == .full ? token(result) : nil)
        return result
    }

    func ring(_ token: HistoryToken) { doorbell?.ring(token) }

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
        try connection.perform { try $0.execute("PRAGMA synchronous = NORMAL") }
        defer {
            try? connection.connection.execute("PRAGMA synchronous = \(opening.options.durability.sql)")
        }
        return try connection.write(body)
    }

    /// Rewrites the whole file without unused pages. Numbers and IDs are unchanged.
    func vacuum() throws(StoreError) {
        guard let connection else { throw .closed }
        try connection.perform { try $0.vacuum() }
    }

    /// Copies the log into the file and empties it. Returns false if another process reads it for the busy timeout.
    func emptyLog() throws(StoreError) -> Bool {
        guard let connection else { throw .closed }
        let patience = opening.options.busyTimeout.wholeMilliseconds
        return try connection.perform { try $0.truncateLog(waitingMilliseconds: patience) }
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
