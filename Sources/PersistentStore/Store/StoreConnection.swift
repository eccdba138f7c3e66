import FoundationEssentials
import Glibc
import SQLite

/// A connection with the identity of the files it was opened on; confined to the actor that owns it.
final class StoreConnection {
    let connection: Connection
    let path: String
    /// Verifies the schema before each write; nil for a connection that only reads.
    let schema: SchemaGuard?
    private var files: HeldFiles?
    /// What a connection without locks relies on; nil for all others.
    private let quiet: QuietState?
    /// The store that is written; nil for one that may still become any.
    var storeID: UUID?
    /// Destroyed after the connection, since properties go in the order of their declaration.
    private let lastly = LockRelease()

    /// What a transaction leaves to be committed.
    struct Work<Result> {
        let result: Result
        /// Whether the transaction provably changed nothing, so that it can be rolled back.
        var isEmpty = false
    }

    init(
        _ connection: consuming Connection, path: String, quiet: QuietState? = nil,
        schema: SchemaGuard? = nil
    ) {
        self.connection = connection
        self.path = path
        self.quiet = quiet
        self.schema = schema
    }

    /// The last connection to a log moves it into the database and deletes it, and with it the commits of other
    /// processes that this connection's index does not show.
    deinit {
        if files?.areInPlace == false { connection.skipCheckpointOnClose() }
    }

    /// Records which files the connection has open, once it has read.
    func holdFiles() throws {
        let mode = try connection.prepare("PRAGMA journal_mode")
        let hasLog = try mode.step() && mode.text(0) == "wal" && quiet == nil
        files = try HeldFiles(path: path, hasLog: hasLog)
    }

    /// False once a name leads to another file than the one that is open; SQLite would continue to write into a file
    /// without a name (sqlite.org/howtocorrupt.html 4.3).
    var isStillInPlace: Bool { files?.areInPlace ?? false }

    /// False once another process may have written a store that was opened as one that no process writes.
    var isStillQuiet: Bool { quiet.map { $0 == QuietState(path: $0.path) } ?? true }

    /// False once a backup was restored into the file: the objects in it need not be those that were read.
    private func isSameStore() throws -> Bool {
        guard let storeID else { return true }
        return try StoreMetadata.storeID(on: connection) == storeID
    }

    /// Runs `body` in a transaction that has the write lock from the start, and commits.
    func write<Result>(_ body: (borrowing Connection) throws -> Result) throws(StoreError) -> Result {
        try commit { connection, _ in Work(result: try body(connection)) }
    }

    /// Runs `body` in a transaction that has the write lock from the start, and commits what it did.
    ///
    /// - Throws: ``StoreError/replaced(path:)`` when, before or after the commit, the files are not those that their
    ///   names lead to: what went into them may be lost, so it is not reported as saved.
    func commit<Result>(
        _ body: (borrowing Connection, ExternalTriggers) throws -> Work<Result>
    ) throws(StoreError) -> Result {
        do {
            try connection.execute("BEGIN IMMEDIATE")
            // A large transaction reaches the log before it commits.
            try checkFiles()
            guard try isSameStore() else { throw StoreError.replaced(path: path) }
            let hasRepaired = try schema?.verify(connection) ?? false
            let work = try body(connection, schema?.external ?? ExternalTriggers())
            guard connection.isInTransaction else {
                throw StoreError.other(path: path, reason: "the transaction ended before its commit")
            }
            if work.isEmpty && !hasRepaired {
                try connection.execute("ROLLBACK")
            } else {
                try checkFiles()
                try connection.execute("COMMIT")
                schema?.adopt()
            }
            try checkFiles()
            return work.result
        } catch {
            connection.rollBack()
            throw storeError(error)
        }
    }

    /// Throws ``StoreError/replaced(path:)`` when what is written would not reach the store.
    func checkFiles() throws(StoreError) {
        guard isStillInPlace else { throw .replaced(path: path) }
    }

    /// Runs `body` on one snapshot.
    func read<Result>(_ body: (borrowing Connection) throws -> Result) throws(StoreError) -> Result {
        do {
            if connection.isInTransaction { return try body(connection) }
            try connection.run("BEGIN")
            let result = try body(connection)
            try connection.run("COMMIT")
            return result
        } catch {
            connection.rollBack()
            throw storeError(error)
        }
    }

    /// An error of SQLite as the store's. Anything may fail on files that were replaced.
    func storeError(_ error: any Error) -> StoreError {
        switch error {
        case let error as StoreError: return error
        case _ where files?.areInPlace == false: return .replaced(path: path)
        case let error as SQLiteError:
            return StoreError(error, path: path, holder: writerName, waited: connection.waitedMilliseconds)
        default: return .other(path: path, reason: "\(error)")
        }
    }

    /// Who has the write lock, as "name (process 4711)".
    var writerName: String? {
        let lock = WriterLock(databasePath: StoreOpening.resolved(path))
        guard case .process(let process) = lock?.holder() else { return nil }
        return ProcessIdentity(process: process).description
    }
}

/// Releases the probe's descriptor of a `-shm` that was deleted with the connection.
private final class LockRelease {
    deinit { WriterLock.releaseUnlinked() }
}
