import Platform
import SQLite

#if canImport(Musl)
import Musl
#else
import Glibc
#endif

extension PersistentContainer {
    /// Copies one state of the store into a new file that only its owner may read, while other processes
    /// continue to write.
    ///
    /// The copy is created next to `path` and then renamed, so no partial backup ever exists under that
    /// name.
    ///
    /// The copy includes the history, with its tokens and consumers. ``restore(_:to:model:options:progress:)``
    /// restores it.
    ///
    /// - Parameters:
    ///   - path: The new file.
    ///   - replaces: Whether to replace an existing file.
    ///   - progress: A closure called with the completed and the total number of parts, at most a few times
    ///     per second.
    /// - Throws: ``StoreError/cannotBackUp(path:reason:)`` if the file exists or cannot be written;
    ///   ``StoreError/damaged(path:reason:)`` if the copy does not pass SQLite's check.
    nonisolated(nonsending) public func backUp(
        to path: String, replaces: Bool = false,
        progress: @escaping @Sendable (_ done: Int, _ of: Int) -> Void = { _, _ in }
    ) async throws(StoreError) {
        let backup = StoreBackup(store: self.path, path: path, replaces: replaces)
        try await reader.read { snapshot throws(StoreError) in
            try snapshot.ask { try backup.run($0, progress) }
        }
    }
}

/// A backup to one path.
private struct StoreBackup {
    let store: String
    let path: String
    let replaces: Bool

    func run(_ source: borrowing Connection, _ progress: (Int, Int) -> Void) throws {
        try checkPath()
        DraftFolder.removeStale(near: store)
        do {
            try DraftFolder.with(near: path, failure: failure) { draft in
                do {
                    let file = try FileDescriptor(draft, O_WRONLY | O_CREAT | O_EXCL)
                    try copy(source, draft, progress)
                    try file.sync()
                    try checkPath()
                    if replaces { for end in Self.journals + ["-shm"] { unlink(path + end) } }
                    try TemporaryFile.move(draft, to: path, replaces: replaces)
                } catch let error as Errno {
                    throw failure(error)
                }
            }
        } catch let error as SQLiteError {
            switch error.primary {
            case .corrupt, .full: throw StoreError(error, path: error.primary == .full ? path : store)
            case .inputOutput, .cannotOpen: throw rejection(error.systemReason)
            // SQLite opens a file that it cannot write as a read-only one.
            case .readOnly: throw rejection("the new file cannot be written")
            default: throw StoreError.cannotBackUp(path: path, reason: error.message)
            }
        }
    }

    private func copy(
        _ source: borrowing Connection, _ draft: String, _ progress: (Int, Int) -> Void
    ) throws {
        let destination = try Connection(path: draft, access: .readWrite)
        // No process relies on the file yet; it is synced as a whole later.
        try destination.execute("PRAGMA synchronous = OFF")
        try Backup(of: source, into: destination).run(progress)
        // Pages are copied unchanged. A damaged copy must not replace an intact one.
        let check = try destination.prepare("PRAGMA quick_check(1)")
        guard try check.step(), check.text(0) == "ok" else {
            throw StoreError.damaged(path: store, reason: check.text(0))
        }
    }

    private func checkPath() throws {
        guard FileIdentity(path: path) == nil || replaces else { throw isThere }
        guard FileIdentity(path: path) == nil || FileIdentity(path: path) != FileIdentity(path: store) else {
            throw StoreError.cannotBackUp(path: path, reason: "it is the store itself")
        }
        guard FileStatus(path: path)?.isRegular ?? true else {
            throw StoreError.cannotBackUp(path: path, reason: "it is not a regular file")
        }
        // SQLite would apply the journal of another database to the backup (sqlite.org/howtocorrupt.html
        // 2.4). An empty one contains nothing: a connection that could not delete it left it.
        for end in Self.journals where FilePath.exists(path + end) {
            guard FileStatus.isMissingOrEmpty(path + end), !isOpen else {
                throw StoreError.cannotBackUp(
                    path: path, reason: "\(path)\(end) exists, so the file is in use")
            }
        }
    }

    /// Whether a connection has the lock of a reader, which one to a file with a log has until it closes.
    private var isOpen: Bool {
        guard FilePath.exists(path) else { return false }
        guard let file = try? FileDescriptor(path, O_RDONLY) else { return true }
        return file.isByteLocked(Self.readersByte)
    }

    private static let journals = ["-wal", "-journal"]
    /// `SHARED_FIRST` of SQLite's os.h.
    private static let readersByte = 0x4000_0002

    private var isThere: StoreError { .cannotBackUp(path: path, reason: "a file already exists") }

    private func failure(_ error: Errno) -> StoreError {
        switch error.code {
        case EEXIST: isThere
        case _ where error.isNoSpace: .full(path: path)
        default: rejection(error.description)
        }
    }

    private func rejection(_ reason: String) -> StoreError {
        .cannotBackUp(path: path, reason: "\(reason); check the folder and the disk, or use another path")
    }
}
