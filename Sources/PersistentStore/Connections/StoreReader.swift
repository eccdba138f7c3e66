import FoundationEssentials
package import Platform
import SQLite

/// The connection that reads, on the event loop that also watches. It never writes, so `PRAGMA data_version`
/// on it changes with every commit of any other connection, including those of this process.
package actor StoreReader {
    package nonisolated let loop: EventLoop
    private let opening: StoreOpening
    private var open: Open?
    private var isClosed = false
    /// Whether a copy of another store, or an older state of this one, was restored into the file.
    private(set) var isRestored = false
    /// Whether the index was cut off, so that an access to its memory would end the process.
    private var hasCutIndex = false
    private var selections = SelectionCache()
    /// The model of the store, or of the present tables of an attached database.
    private var model: StoreModel
    /// The number of times a store without locks was opened again because a process began to write it.
    private var reopenings: Int64 = 0

    private struct Open {
        let connection: StoreConnection
        let storeID: UUID
        var log: HistoryLog
        var schemaVersion: Int64
    }

    init(loop: EventLoop, opening: StoreOpening) {
        self.loop = loop
        self.opening = opening
        model = opening.model
    }

    /// The executor for tasks that must stay on the reader's thread between their calls of actors on it.
    package nonisolated var taskExecutor: any TaskExecutor { loop }

    package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    /// Runs `body` on one snapshot of the store. Never waits for a writer.
    package func read<Value: Sendable>(
        _ body: @Sendable (inout StoreSnapshot) throws(StoreError) -> Value
    ) throws(StoreError) -> Value {
        try result(of: body).get()
    }

    /// Runs `body` on one snapshot of the store, and rethrows its error as it is.
    package func read<Value: Sendable>(
        _ body: @Sendable (inout StoreSnapshot) throws -> Value
    ) throws -> Value {
        try result(of: body).get()
    }

    /// Returns the result or the error of `body`.
    ///
    /// - Throws: The errors of the store outside of `body`.
    private func result<Value: Sendable, Failure: Error>(
        of body: @Sendable (inout StoreSnapshot) throws(Failure) -> Value
    ) throws(StoreError) -> Result<Value, Failure> {
        let deadline = ContinuousClock.now + opening.options.busyTimeout
        repeat {
            let opened: Open
            do {
                opened = try self.opened()
                try adapt(to: opened)
            } catch .schemaChanged where opening.isAttached && opening.options.access == .readWrite {
                try opening.adapt()
                continue
            }
            do {
                let result = try readOnce(opened, body)
                if opened.connection.isStillQuiet { return result }
            } catch {
                // Data read while a process wrote is undefined, and may look like a damaged store.
                if opened.connection.isStillQuiet { throw error }
            }
            // The next attempt uses locks if the writer is still there; it repeats only if all writers exit
            // immediately.
        } while ContinuousClock.now < deadline
        throw .busy(
            path: opening.path, holder: nil, milliseconds: Int(opening.options.busyTimeout.wholeMilliseconds))
    }

    /// Checks a recorded database whose owner may have changed its tables.
    private func adapt(to opened: Open) throws(StoreError) {
        guard opening.isAttached else { return }
        try opened.connection.read { connection in
            guard try connection.integer("PRAGMA schema_version") != opened.schemaVersion else { return }
            try opening.checkAttached(connection)
        }
    }

    private func readOnce<Value: Sendable, Failure: Error>(
        _ opened: Open, _ body: @Sendable (inout StoreSnapshot) throws(Failure) -> Value
    ) throws(StoreError) -> Result<Value, Failure> {
        var failure: Failure?
        do {
            return try .success(
                opened.connection.read { connection in
                    var snapshot = try snapshot(of: opened, on: connection)
                    do throws(Failure) {
                        return try body(&snapshot)
                    } catch {
                        failure = error
                        throw error
                    }
                })
        } catch {
            guard let failure else { throw error }
            return .failure(failure)
        }
    }

    private func snapshot(of opened: Open, on connection: borrowing Connection) throws -> StoreSnapshot {
        let schemaVersion = try connection.integer("PRAGMA schema_version") ?? 0
        if schemaVersion != opened.schemaVersion {
            try opening.checkSchema(connection)
            let log = try HistoryLog(connection)
            isRestored = log.token(0).storeID != opened.storeID
            guard !isRestored else { throw StoreError.replaced(path: opening.path) }
            open?.log = log
            open?.schemaVersion = schemaVersion
            try readModel(on: connection)
        }
        let log = (open?.log ?? opened.log).ofOneSnapshot(within: opening.options.oversized)
        return StoreSnapshot(
            .reader(self),
            ObjectQuery(
                model: model, store: log.store, selections: selections,
                oversized: opening.options.oversized),
            log: log)
    }

    /// Reads the entities of an attached database, whose tables its owner may change.
    private func readModel(on connection: borrowing Connection) throws {
        guard opening.isAttached else { return }
        model = try AttachedStore(path: opening.path).model(on: connection)
        selections = SelectionCache()
    }

    /// Returns the model, which is known once the store is open.
    func presentModel() throws(StoreError) -> StoreModel {
        _ = try opened()
        return model
    }

    /// The connection of the present read.
    var current: StoreConnection? { open?.connection }

    /// Returns the store's ID, which is known once the store is open.
    func storeID() throws(StoreError) -> UUID { try opened().storeID }

    /// Returns a number that changes with every commit of another connection
    /// (sqlite.org/pragma.html#pragma_data_version).
    func dataVersion() throws(StoreError) -> Int64 {
        let connection = try opened().connection
        do {
            // SQLite's own version is a 32-bit number.
            return try reopenings << 32 + (connection.connection.integer("PRAGMA data_version") ?? 0)
        } catch {
            throw connection.storeError(error)
        }
    }

    /// The index of the log that the connection reads; nil if there is none.
    var indexFile: FileIdentity? { open?.connection.indexFile }

    /// - Parameter trustsEvents: Whether file events report a change of the names of the log and its index.
    func isStillInPlace(trustsEvents: Bool) -> Bool {
        guard let connection = open?.connection, !isRestored else { return !isRestored }
        let isInPlace = connection.isStillInPlace(trustsEvents: trustsEvents)
        if !isInPlace { hasCutIndex = connection.hasCutIndex }
        return isInPlace
    }

    /// The size of the log in bytes; nil without one.
    var logSize: Int? { open?.connection.logSize }

    func close() {
        open = nil
        isClosed = true
        WriterLock.releaseUnlinked()
    }

    private func opened() throws(StoreError) -> Open {
        guard !hasCutIndex else { throw .replaced(path: opening.path) }
        if let open {
            guard !open.connection.isStillQuiet else { return open }
            guard open.connection.isStillInPlace else { throw .replaced(path: opening.path) }
            reopenings += 1
        }
        guard !isClosed else { throw .closed }
        let connection = try connect()
        let schemaVersion = try connection.read { reading in
            try opening.checkSchema(reading)
            try readModel(on: reading)
            return try reading.integer("PRAGMA schema_version") ?? 0
        }
        do {
            try connection.holdFiles()
            // Outside a transaction: damage that is tolerated inside one makes its COMMIT fail.
            let log = try HistoryLog(connection.connection)
            let opened = Open(
                connection: connection, storeID: log.token(0).storeID, log: log, schemaVersion: schemaVersion)
            open = opened
            return opened
        } catch {
            throw connection.storeError(error)
        }
    }

    private func connect() throws(StoreError) -> StoreConnection {
        guard opening.options.access == .readWrite else { return try opening.openForReading().0 }
        do {
            let connection = try Connection(
                path: opening.path, access: .readWrite,
                busyTimeoutMilliseconds: opening.options.busyTimeout.wholeMilliseconds,
                trustsSchema: opening.isAttached)
            try connection.execute("PRAGMA query_only = ON")
            return StoreConnection(connection, path: opening.path)
        } catch {
            throw StoreError(error, path: opening.path)
        }
    }
}
