import Glibc
import SQLite

extension PersistentContainer {
    /// Copies one state of the store into a new file that only its owner may read, while other processes
    /// continue to write.
    ///
    /// The copy is created in the same folder and then renamed, so no partial backup ever exists under that
    /// name.
    ///
    /// - Parameters:
    ///   - replaces: Whether to replace an existing file.
    ///   - progress: A closure called with the completed and the total number of parts, at most a few times
    ///     per second.
    nonisolated(nonsending) package func backUp(
        to path: String, replaces: Bool, progress: @escaping @Sendable (_ done: Int, _ of: Int) -> Void
    ) async throws(StoreError) {
        let backup = StoreBackup(store: self.path, path: path, replaces: replaces)
        try await reader.read { snapshot in
            try snapshot.ask { try backup.run($0, progress) }
        }
    }
}

/// A backup to one path.
private struct StoreBackup {
    let store: String
    let path: String
    let replaces: Bool

    private static let pagesAtOnce: Int32 = 2000

    func run(_ source: borrowing Connection, _ progress: (Int, Int) -> Void) throws {
        try checkPath()
        // In the same folder, so that it can be renamed atomically.
        guard let (temporary, descriptor) = UniqueFile.make(path + ".") else { throw failure(errno) }
        defer { close(descriptor) }
        defer { for end in ["-journal", "-wal", "-shm"] { unlink(temporary + end) } }
        do {
            try copy(source, temporary, progress)
            guard fsync(descriptor) == 0 else { throw failure(errno) }
            try move(temporary)
        } catch {
            unlink(temporary)
            guard let error = error as? SQLiteError else { throw error }
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
        _ source: borrowing Connection, _ temporary: String, _ progress: (Int, Int) -> Void
    ) throws {
        let destination = try Connection(path: temporary, access: .readWrite)
        // No process relies on the file yet; it is synced as a whole later.
        try destination.execute("PRAGMA synchronous = OFF")
        let backup = try Backup(of: source, into: destination)
        while try backup.step(pages: Self.pagesAtOnce) {
            progress(backup.totalPages - backup.remainingPages, backup.totalPages)
        }
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
        var status = stat()
        guard stat(path, &status) != 0 || status.st_mode & S_IFMT == S_IFREG else {
            throw StoreError.cannotBackUp(path: path, reason: "it is not a regular file")
        }
        // SQLite would apply the journal of another database to the backup (sqlite.org/howtocorrupt.html
        // 2.4).
        for end in ["-wal", "-journal"] where access(path + end, F_OK) == 0 {
            throw StoreError.cannotBackUp(path: path, reason: "\(path)\(end) exists, so the file is in use")
        }
    }

    private func move(_ temporary: String) throws {
        switch UniqueFile.move(temporary, to: path, replaces: replaces) {
        case 0: return
        case EEXIST: throw isThere
        case let code: throw failure(code)
        }
    }

    private var isThere: StoreError { .cannotBackUp(path: path, reason: "a file already exists") }

    private func failure(_ code: CInt) -> StoreError {
        [ENOSPC, EDQUOT, EFBIG].contains(code)
            ? .full(path: path) : rejection(String(cString: strerror(code)))
    }

    private func rejection(_ reason: String) -> StoreError {
        .cannotBackUp(path: path, reason: "\(reason); check the folder and the disk, or use another path")
    }
}
