import FoundationEssentials
import Platform
import SQLite

#if canImport(Musl)
import Musl
#else
import Glibc
#endif

/// A connection with the identity of the files it was opened on; confined to the actor that owns it.
final class StoreConnection {
    let connection: Connection
    let path: String
    /// The verification of the schema before each write; nil for a connection that only reads.
    let schema: SchemaGuard?
    private var files: HeldFiles?
    /// The file metadata on which a connection without locks relies; nil for all others.
    private let quiet: FileStamp?
    /// The ID of the store; nil for one that may still become any store.
    var storeID: UUID?
    private var readings: [Int: HistoryReading] = [:]
    private var lastReading = 0
    private var knownLog: (schemaVersion: Int64, log: HistoryLog)?
    /// Destroyed after the connection, since properties are destroyed in the order of their declaration.
    private let lastly = LockRelease()

    /// The size beyond which a commit empties the log, in bytes.
    static let logSize = 16 << 20
    private static let commitsPerCheck = 16
    /// In milliseconds. The next attempt after a failure is that of a log which is longer by the size.
    private static let patience: Int64 = 50
    private var maxLogSize: Int
    private var commits = 0

    /// The facts that hold for one transaction with the write lock.
    struct Facts {
        var external = ExternalTriggers()
        var generation: Int64
    }

    /// The result of a transaction, before its commit.
    struct Work<Result> {
        let result: Result
        /// Whether the transaction provably changed nothing, so that it can be rolled back.
        var isEmpty = false
    }

    init(
        _ connection: consuming Connection, path: String, quiet: FileStamp? = nil,
        schema: SchemaGuard? = nil, limitsLog: Bool = true
    ) {
        self.connection = connection
        self.path = path
        self.quiet = quiet
        self.schema = schema
        maxLogSize = limitsLog ? Self.logSize : .max
    }

    /// The last connection to a log checkpoints it into the database and deletes it, and with it the commits
    /// of other processes that this connection's index does not show.
    deinit {
        if files?.areInPlace == false { connection.skipCheckpointOnClose() }
    }

    /// Records the files that the connection has open, after its first read.
    func holdFiles() throws {
        let mode = try connection.prepare("PRAGMA journal_mode")
        let hasLog = try mode.step() && mode.text(0) == "wal" && quiet == nil
        files = try HeldFiles(path: path, hasLog: hasLog)
    }

    /// Whether all names still lead to the open files. SQLite would continue to write into a file without a
    /// name (sqlite.org/howtocorrupt.html 4.3).
    var isStillInPlace: Bool { files?.areInPlace ?? false }

    /// Whether the index of the log was cut off: the next access to its memory would end the process.
    var hasCutIndex: Bool { files?.hasCutIndex ?? false }

    /// The same with one call of stat(2), if file events report a change of the names of the log and its index.
    func isStillInPlace(trustsEvents: Bool) -> Bool {
        trustsEvents ? files?.isDatabaseInPlace ?? false : isStillInPlace
    }

    /// The size of the log in bytes; nil without one.
    var logSize: Int? { files?.logSize }

    /// Whether no process has written a store that was opened without locks.
    var isStillQuiet: Bool { quiet.map { $0 == FileStamp(path: $0.path) } ?? true }

    /// The index of the log; nil for a connection that reads without the log.
    var indexFile: FileIdentity? { files?.index }

    /// Runs `body` in a transaction that has the write lock from the start, and commits.
    func write<Result>(_ body: (borrowing Connection) throws -> Result) throws(StoreError) -> Result {
        try commit { connection, _ in Work(result: try body(connection)) }
    }

    /// Runs `body` in a transaction that has the write lock from the start, and commits its work.
    ///
    /// - Throws: ``StoreError/replaced(path:)`` if a name leads to another file before the commit, and
    ///   ``StoreError/unverifiedCommit(path:)`` if it does after it, so that the data may be saved or lost.
    func commit<Result>(
        _ body: (borrowing Connection, Facts) throws -> Work<Result>
    ) throws(StoreError) -> Result {
        do {
            let (facts, hasRepaired) = try begin()
            let work = try body(connection, facts)
            guard connection.isInTransaction else { throw endedEarly }
            if work.isEmpty && !hasRepaired {
                try connection.execute("ROLLBACK")
                try checkFiles()
            } else {
                guard files?.areWhole ?? false else { throw StoreError.replaced(path: path) }
                try connection.run("COMMIT")
                schema?.adopt()
                guard isStillInPlace else { throw StoreError.unverifiedCommit(path: path) }
            }
            limitLog()
            return work.result
        } catch {
            connection.rollBack()
            throw storeError(error)
        }
    }

    /// Empties a log that readers without a pause between their snapshots prevent SQLite from reusing: it checkpoints
    /// without waiting. Here the next snapshots wait for no one, since they read the database alone, so the wait ends
    /// with the longest present one, or after a bound. The commit has succeeded: no error here may fail it.
    private func limitLog() {
        defer { commits += 1 }
        guard commits % Self.commitsPerCheck == 0, let size = files?.logSize, size > maxLogSize else {
            return
        }
        let deadline = ContinuousClock.now + .milliseconds(Self.patience)
        var isEmptied = false
        repeat {
            isEmptied = (try? connection.truncateLog(waitingMilliseconds: Self.patience)) ?? false
            // SQLite does not wait for another process that checkpoints after its commit (R-10421-19736).
            if !isEmptied { DescriptorIO.pause(for: .microseconds(100)) }
        } while !isEmptied && ContinuousClock.now < deadline
        maxLogSize = isEmptied ? Self.logSize : size + Self.logSize
    }

    /// Begins a transaction with the write lock and a verified schema. Also returns whether that required a
    /// repair, which must be committed.
    private func begin() throws -> (Facts, hasRepaired: Bool) {
        do {
            return try lock()
        } catch is SchemaRepair.NeedsRebuild {
            connection.rollBack()
            try rebuildTables()
            return try lock()
        }
    }

    private func lock(mayRebuild: Bool = false) throws -> (Facts, hasRepaired: Bool) {
        // Before SQLite uses the memory of the index, which another program can cut off, and before a large
        // transaction reaches the log.
        try checkFiles()
        try connection.run("BEGIN IMMEDIATE")
        var identity = try StoreMetadata.identity(on: connection)
        // A backup was restored into the file: the objects may differ from those that were read.
        guard storeID == nil || identity.storeID == storeID else { throw StoreError.replaced(path: path) }
        let hasRepaired = try schema?.verify(connection, mayRebuild: mayRebuild) ?? false
        if hasRepaired { identity = try StoreMetadata.identity(on: connection) }
        let external = schema?.external ?? ExternalTriggers()
        return (Facts(external: external, generation: identity.generation), hasRepaired)
    }

    /// Restores constraints in a separate transaction, since SQLite cannot turn foreign keys off inside one.
    private func rebuildTables() throws {
        try connection.execute("PRAGMA foreign_keys = OFF")
        defer { try? connection.execute("PRAGMA foreign_keys = ON") }
        do {
            _ = try lock(mayRebuild: true)
            try checkFiles()
            try connection.execute("COMMIT")
            schema?.adopt()
        } catch {
            connection.rollBack()
            throw error
        }
    }

    /// Throws ``StoreError/replaced(path:)`` if written data would not reach the store.
    func checkFiles() throws(StoreError) {
        guard isStillInPlace else { throw .replaced(path: path) }
    }

    /// Runs `body` on one snapshot.
    func read<Result>(_ body: (borrowing Connection) throws -> Result) throws(StoreError) -> Result {
        do {
            if connection.isInTransaction { return try body(connection) }
            try connection.run("BEGIN")
            let result = try body(connection)
            // After an error that `body` tolerated, as of a damaged page, COMMIT ends a read with the same error.
            do { try connection.run("COMMIT") } catch { connection.rollBack() }
            return result
        } catch {
            connection.rollBack()
            throw storeError(error)
        }
    }

    var endedEarly: StoreError { .other(path: path, reason: "the transaction ended before its commit") }

    /// Answers a query of a snapshot, inside its transaction.
    static func answer<Answer>(
        _ connection: StoreConnection?, _ query: (StoreConnection) throws -> Answer
    ) throws(StoreError) -> Answer {
        guard let connection, connection.connection.isInTransaction else { throw .closed }
        return try connection.perform { _ in try query(connection) }
    }

    /// Runs `body` outside or inside a transaction.
    func perform<Result>(_ body: (borrowing Connection) throws -> Result) throws(StoreError) -> Result {
        do {
            return try body(connection)
        } catch {
            throw storeError(error)
        }
    }

    /// Returns the log of a write, with the names that its schema has.
    func historyLog() throws -> HistoryLog {
        let version = try connection.integer("PRAGMA schema_version") ?? 0
        if let knownLog, knownLog.schemaVersion == version { return knownLog.log }
        let log = try HistoryLog(connection)
        knownLog = (version, log)
        return log
    }

    /// Begins to build transactions, for a snapshot that returns them one at a time.
    func beginReading(_ request: HistoryFetchRequest, _ log: HistoryLog) throws -> Int {
        lastReading += 1
        readings[lastReading] = try HistoryReading(log, request, on: connection)
        return lastReading
    }

    func nextTransaction(of reading: Int) throws -> HistoryTransaction? {
        try readings[reading]?.next(on: connection)
    }

    func endReading(_ reading: Int) { readings[reading] = nil }

    /// Returns a store error for an SQLite error. After a file was replaced, any error means that.
    func storeError(_ error: any Error) -> StoreError {
        switch error {
        case let error as StoreError: return error
        case _ where files?.areInPlace == false: return .replaced(path: path)
        case let error as SQLiteError:
            if error.primary == .full, let entity = StoreCheck.exhausted(connection) {
                return .noIDLeft(entity: entity, path: path)
            }
            return StoreError(
                error, path: path, holder: WriterLock.writer(of: path)?.description,
                waited: connection.waitedMilliseconds)
        default: return .other(path: path, reason: "\(error)")
        }
    }
}

/// Releases the probe's descriptor of a `-shm` that was deleted with the connection.
private final class LockRelease {
    deinit { WriterLock.releaseUnlinked() }
}

/// The files that a connection has open: the database, its log, and the log's index.
///
/// SQLite itself checks none of them after it has opened them. A commit into a log without a name, or under
/// the locks of an index that other processes do not share, is lost or overwritten
/// (sqlite.org/howtocorrupt.html 4).
struct HeldFiles {
    private let path: String
    private let logPath: String
    private let indexPath: String
    private let database: FileIdentity
    private let log: FileIdentity?
    let index: FileIdentity?
    /// Reads the index without its memory.
    private let lock: WriterLock?

    /// Records the files of a connection that has read, so that SQLite has opened them.
    ///
    /// - Parameters:
    ///   - path: The path with which the connection was opened.
    ///   - hasLog: Whether the connection reads through the log.
    /// - Throws: ``StoreError/replaced(path:)`` if a name already leads to a file that this process does not
    ///   have open.
    init(path: String, hasLog: Bool) throws(StoreError) {
        self.path = path
        // SQLite derives the names of the log and its index from the path without symbolic links.
        let resolvedPath = FilePath.resolved(path)
        (logPath, indexPath) = (resolvedPath + "-wal", resolvedPath + "-shm")
        let names = hasLog ? ["", "-wal", "-shm"] : [""]
        let found = names.compactMap { FileIdentity(path: resolvedPath + $0) }
        guard found.count == names.count, FileIdentity.areOpen(found) else { throw .replaced(path: path) }
        database = found[0]
        log = hasLog ? found[1] : nil
        index = hasLog ? found[2] : nil
        lock = hasLog ? WriterLock(databasePath: resolvedPath) : nil
        guard areInPlace else { throw .replaced(path: path) }
    }

    /// Whether every name still leads to the file that is open, and the database has no second name.
    ///
    /// - Complexity: Three calls of stat(2).
    var areInPlace: Bool {
        isDatabaseInPlace
            && (log == nil || (FileIdentity(path: logPath) == log && isIndexInPlace))
    }

    private var isIndexInPlace: Bool {
        guard let status = FileStatus(path: indexPath) else { return false }
        return status.identity == index && status.size >= Self.smallestIndex
    }

    var hasCutIndex: Bool {
        guard let status = FileStatus(path: indexPath) else { return false }
        return status.identity == index && status.size < Self.smallestIndex
    }

    /// `WALINDEX_PGSZ` of SQLite's wal.c.
    private static let smallestIndex = 32_768

    /// The same, and whether the log contains the commits that its index names. A commit into one that another
    /// program emptied is lost when the index is. Call it with the write lock, without which both may change.
    ///
    /// - Complexity: Three calls of stat(2), and one of pread(2).
    var areWhole: Bool {
        guard isDatabaseInPlace else { return false }
        guard log != nil else { return true }
        guard let status = FileStatus(path: logPath), status.identity == log, isIndexInPlace else {
            return false
        }
        guard let lock, lock.file == index, let header = lock.indexHeader() else { return true }
        return status.size >= header.logSize
    }

    /// The size of the log in bytes; nil without one.
    var logSize: Int? { log == nil ? nil : FileStatus(path: logPath)?.size }

    /// Whether the path still leads to the open database, which has no second name and was not emptied.
    var isDatabaseInPlace: Bool {
        guard let status = FileStatus(path: path) else { return false }
        return status.links == 1 && status.identity == database && status.size > 0
    }
}

/// The metadata of a store's files, which shows whether a process wrote the store between two checks.
struct FileStamp: Equatable {
    let path: String
    private let status: FileStatus?
    private let hasLog: Bool

    init(path: String) {
        self.path = path
        status = FileStatus(path: path)
        hasLog = !FileStatus.isMissingOrEmpty(path + "-wal")
    }

    /// Whether the file alone is the whole store: commits go to the `-wal` first, and SQLite deletes it only
    /// after its whole contents are in the file (sqlite.org/wal.html, 4.1).
    var isQuiet: Bool { !hasLog }

    /// Waits until a second change would change the timestamps, which have the resolution of the kernel's
    /// tick.
    func waitUntilChangesShow() {
        guard let changed = status?.changed else { return }
        for _ in 0..<Self.maxWaits {
            let now = SystemClock.time(CLOCK_REALTIME)
            let age = (now.tv_sec - changed.tv_sec) * 1_000_000_000 + now.tv_nsec - changed.tv_nsec
            guard (0..<Self.coarsestTick).contains(age) else { return }
            DescriptorIO.pause(for: .milliseconds(2))
        }
    }

    /// Two ticks of a kernel with 100 ticks per second, in nanoseconds.
    private static let coarsestTick = 20_000_000
    private static let maxWaits = 20
}
