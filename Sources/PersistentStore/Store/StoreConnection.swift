import Glibc
import SQLite

/// A connection with the identity of the file it was opened on; confined to the actor that owns it.
final class StoreConnection {
    let connection: Connection
    let path: String
    private let file: FileIdentity?
    /// What a connection without locks relies on; nil for all others.
    private let quiet: QuietState?
    /// Destroyed after the connection, since properties go in the order in which they stand here.
    private let lastly = LockRelease()

    init(_ connection: consuming Connection, path: String, quiet: QuietState? = nil) {
        self.connection = connection
        self.path = path
        self.quiet = quiet
        file = FileIdentity(path: path)
    }

    /// False once the path no longer names the file that is open; SQLite would go on writing into a file
    /// without a name (sqlite.org/howtocorrupt.html 4.3).
    var isStillInPlace: Bool { file != nil && FileIdentity(path: path) == file }

    /// False once somebody may have written a store that was opened as one that nobody writes.
    var isStillQuiet: Bool { quiet.map { $0 == QuietState(path: $0.path) } ?? true }

    /// Runs `body` in a transaction that has the write lock from the start, and commits.
    func write<Result>(_ body: (borrowing Connection) throws -> Result) throws(StoreError) -> Result {
        do {
            try connection.execute("BEGIN IMMEDIATE")
            guard isStillInPlace else { throw StoreError.replaced(path: path) }
            let result = try body(connection)
            if connection.isInTransaction { try connection.execute("COMMIT") }
            return result
        } catch {
            connection.rollBack()
            throw storeError(error)
        }
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

    func storeError(_ error: any Error) -> StoreError {
        switch error {
        case let error as StoreError: return error
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

/// Lets go of the probe's descriptor of a `-shm` that went with the connection.
private final class LockRelease {
    deinit { WriterLock.releaseUnlinked() }
}

/// Which file a path names.
struct FileIdentity: Equatable, Sendable {
    let device: UInt
    let inode: UInt

    init?(path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        device = UInt(status.st_dev)
        inode = UInt(status.st_ino)
    }
}
