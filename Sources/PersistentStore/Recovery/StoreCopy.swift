import FoundationEssentials
import Platform
import SQLite

#if canImport(Musl)
import Musl
#else
import Glibc
#endif

/// A private copy of a store, to verify, read, or change it without touching the store.
///
/// The copy includes the contents of the store's log. Its names are deleted as soon as SQLite has opened it.
enum StoreCopy {
    /// Creates the copy and opens it for writing.
    ///
    /// - Parameters:
    ///   - path: The store.
    ///   - destination: The path next to which to create the copy.
    ///   - prepare: A closure called before the names are deleted.
    /// - Throws: `StoreError.busy` if other processes write the store continuously.
    static func open(
        _ path: String, near destination: String, _ options: StoreOptions,
        prepare: (borrowing Connection) throws -> Void = { _ in }
    ) throws -> Connection {
        try DraftFolder.with(near: destination, failure: { StoreFile.failure($0, destination) }) { copy in
            try makeCopy(of: path, copy, options)
            let connection = try Connection(path: copy, access: .readWrite)
            // Without a -shm.
            try connection.execute("PRAGMA locking_mode = EXCLUSIVE; PRAGMA synchronous = OFF")
            try prepare(connection)
            // Both files are open from here on, if the copy is a database.
            _ = try? connection.integer("SELECT count(*) FROM sqlite_schema")
            return connection
        }
    }

    /// Creates the copy. Copying does not interpret the contents, which may be damaged.
    static func makeCopy(of path: String, _ copy: String, _ options: StoreOptions) throws {
        let source = try Connection(path: path, access: .readOnly)
        let deadline = ContinuousClock.now + options.busyTimeout
        while true {
            let before = Self.status(path)
            try StoreFile.copy(source, path: path, to: copy, replaces: true)
            if before == Self.status(path) { return }
            guard ContinuousClock.now < deadline else {
                throw StoreError.busy(
                    path: path, holder: nil, milliseconds: Int(options.busyTimeout.wholeMilliseconds))
            }
        }
    }

    /// The metadata of the files, which changes with every commit and every checkpoint.
    private static func status(_ path: String) -> [FileStatus?] {
        ["", "-wal"].map { FileStatus(path: path + $0) }
    }
}

/// The bytes of a store's file and of its log, even if SQLite cannot read them.
enum StoreFile {
    private static let block = 1 << 20
    private static let page = 4096

    /// Copies the file and then its log under other names that only their owner may read.
    ///
    /// In this order the copy is complete even if a checkpoint runs concurrently: checkpointed frames are
    /// still in the log, as long as the caller prevents other processes from writing. Unreadable bytes are
    /// filled with zeros.
    ///
    /// - Parameter source: A connection that has the file open.
    static func copy(
        _ source: borrowing Connection, path: String, to copy: String, replaces: Bool = false
    ) throws {
        let flags = O_WRONLY | O_CREAT | (replaces ? O_TRUNC : O_EXCL)
        let file = try open(copy, flags)
        let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: block, alignment: page)
        defer { bytes.deallocate() }
        let size = try source.fileSize()
        for offset in stride(from: 0, to: size, by: block) {
            let part = UnsafeMutableRawBufferPointer(rebasing: bytes[..<min(block, Int(size - offset))])
            if (try? source.readFile(at: offset, into: part)) == nil {
                readPages(of: source, at: offset, into: part)
            }
            try attempt(copy) { () throws(Errno) in try file.write(part) }
        }
        try attempt(copy) { () throws(Errno) in try file.sync() }
        try copyLog(path + "-wal", to: copy + "-wal", flags, bytes)
    }

    private static func readPages(
        of source: borrowing Connection, at offset: Int64, into bytes: UnsafeMutableRawBufferPointer
    ) {
        for start in stride(from: 0, to: bytes.count, by: page) {
            let part = UnsafeMutableRawBufferPointer(rebasing: bytes[start..<min(start + page, bytes.count)])
            if (try? source.readFile(at: offset + Int64(start), into: part)) == nil {
                part.initializeMemory(as: UInt8.self, repeating: 0)
            }
        }
    }

    /// Copies the log. SQLite holds no locks on it, so its descriptor may be closed.
    private static func copyLog(
        _ path: String, to copy: String, _ flags: CInt, _ bytes: UnsafeMutableRawBufferPointer
    ) throws {
        let log = try attempt(path) { () throws(Errno) in
            try FileDescriptor.ifExists(path, O_RDONLY | O_NONBLOCK)
        }
        guard let log else {
            unlink(copy)
            return
        }
        let file = try open(copy, flags)
        while true {
            let count = try attempt(path) { () throws(Errno) in
                // Of a pipe of that name, nothing is read.
                try DescriptorIO.readAvailable(log.number, into: bytes) ?? 0
            }
            guard count > 0 else { break }
            try attempt(copy) { () throws(Errno) in try file.write(bytes[..<count]) }
        }
        try attempt(copy) { () throws(Errno) in try file.sync() }
    }

    private static func open(_ path: String, _ flags: CInt) throws(StoreError) -> FileDescriptor {
        try attempt(path) { () throws(Errno) in try FileDescriptor(path, flags) }
    }

    /// Runs system calls on a file; throws their error as one of the store.
    static func attempt<Result: ~Copyable>(
        _ path: String, _ body: () throws(Errno) -> Result
    ) throws(StoreError) -> Result {
        do {
            return try body()
        } catch {
            throw failure(error, path)
        }
    }

    static func failure(_ error: Errno, _ path: String) -> StoreError {
        error.isNoSpace ? .full(path: path) : .inputOutput(path: path, reason: error.description)
    }
}

/// A folder for an unfinished store, next to its destination so that the store can be renamed to it, or for a
/// store in memory. Deleted with its contents by deinit.
///
/// Each process locks its folder. A folder without a lock belongs to a process that was killed, and the next
/// one deletes it.
struct DraftFolder: ~Copyable {
    private static let infix = ".draft-"
    private static let maxAttempts = 100
    private static let flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW

    private let path: String
    private let descriptor: FileDescriptor

    /// The path of a file that does not exist at first.
    var store: String { path + "/store" }

    /// Creates and locks a folder, and deletes those of killed processes.
    init(near destination: String) throws(Errno) {
        Self.removeStale(near: destination)
        for _ in 0..<Self.maxAttempts {
            let path = try TemporaryFile.makeFolder(destination + Self.infix)
            do throws(Errno) {
                let descriptor = try FileDescriptor(path, Self.flags)
                if Self.hasLock(descriptor, path, isOwn: true) {
                    self.init(path: path, descriptor: descriptor)
                    return
                }
                rmdir(path)
            } catch {
                rmdir(path)
                // Another process deleted it before it was locked.
                guard error.code == ENOENT else { throw error }
            }
        }
        throw Errno(EBUSY)
    }

    private init(path: String, descriptor: consuming FileDescriptor) {
        self.path = path
        self.descriptor = descriptor
    }

    deinit {
        for name in (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? [] {
            unlinkat(descriptor.number, name, 0)
        }
        rmdir(path)
    }

    /// Runs work on the path of a file that does not exist yet, and then deletes the folder.
    ///
    /// - Parameter failure: A closure that returns the error for an error of the system.
    static func with<Result: ~Copyable>(
        near destination: String, failure: (Errno) -> StoreError, _ work: (_ draft: String) throws -> Result
    ) throws -> Result {
        let folder: DraftFolder
        do throws(Errno) {
            folder = try DraftFolder(near: destination)
        } catch {
            throw failure(error)
        }
        return try work(folder.store)
    }

    /// Deletes the folders that killed processes left.
    static func removeStale(near destination: String) {
        let start = destination.lastIndex(of: "/").map(destination.index(after:)) ?? destination.startIndex
        let parent = start == destination.startIndex ? "./" : String(destination[..<start])
        let prefix = destination[start...] + infix
        let names = (try? FileManager.default.contentsOfDirectory(atPath: parent)) ?? []
        for name in names where name.hasPrefix(prefix) && name.utf8.count == prefix.utf8.count + 6 {
            guard let opened = try? FileDescriptor(parent + name, flags) else { continue }
            guard hasLock(opened, parent + name, isOwn: false) else { continue }
            _ = DraftFolder(path: parent + name, descriptor: opened)
        }
    }

    /// Locks a folder of this user. Returns false if another process has the lock or has deleted the folder.
    /// For this process's own folder, a file system without locks, or one that gives all files to one user, is
    /// sufficient.
    private static func hasLock(_ folder: borrowing FileDescriptor, _ path: String, isOwn: Bool) -> Bool {
        guard (try? folder.tryLock()) ?? isOwn, let status = folder.status,
            isOwn || status.owner == geteuid()
        else { return false }
        return FileIdentity(path: path) == status.identity
    }
}
