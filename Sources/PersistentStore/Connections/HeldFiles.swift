import Platform
import SQLite

#if canImport(Musl)
import Musl
#else
import Glibc
#endif

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
            var now = timespec()
            clock_gettime(CLOCK_REALTIME, &now)
            let age = (now.tv_sec - changed.tv_sec) * 1_000_000_000 + now.tv_nsec - changed.tv_nsec
            guard (0..<Self.coarsestTick).contains(age) else { return }
            DescriptorIO.pause(for: .milliseconds(2))
        }
    }

    /// Two ticks of a kernel with 100 ticks per second, in nanoseconds.
    private static let coarsestTick = 20_000_000
    private static let maxWaits = 20
}
