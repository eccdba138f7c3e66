import Glibc
import SQLite

extension PersistentContainer {
    /// Copies one state of the store into a new file that only its owner may read, while others go on writing.
    ///
    /// Made beside its place and moved there whole, so there is never half a backup under that name.
    ///
    /// - Parameters:
    ///   - replaces: whether a file that is there already is replaced.
    ///   - progress: called with the parts done and of how many, some times a second or less.
    nonisolated(nonsending) package func backUp(
        to path: String, replaces: Bool, progress: @escaping @Sendable (_ done: Int, _ of: Int) -> Void
    ) async throws(StoreError) {
        let backup = StoreBackup(store: self.path, path: path, replaces: replaces)
        try await reader.read { snapshot in
            try snapshot.ask { try backup.run($0, progress) }
        }
    }
}

/// One backup to one path.
private struct StoreBackup {
    let store: String
    let path: String
    let replaces: Bool

    private static let pagesAtOnce: Int32 = 2000

    func run(_ source: borrowing Connection, _ progress: (Int, Int) -> Void) throws {
        try checkPlace()
        // Beside its place, so that it can be moved there whole.
        guard let (temporary, descriptor) = UniqueFile.make(path + ".") else { throw failure(errno) }
        defer { close(descriptor) }
        defer { for end in ["-journal", "-wal", "-shm"] { unlink(temporary + end) } }
        do {
            try copy(source, temporary, progress)
            guard fsync(descriptor) == 0 else { throw failure(errno) }
            try place(temporary)
        } catch {
            unlink(temporary)
            guard let error = error as? SQLiteError else { throw error }
            switch error.primary {
            case .corrupt, .full: throw StoreError(error, path: error.primary == .full ? path : store)
            case .inputOutput, .cannotOpen: throw refusal(error.systemReason)
            // SQLite opens a file that cannot be opened to be written all the same, only to be read.
            case .readOnly: throw refusal("the new file cannot be written")
            default: throw StoreError.cannotBackUp(path: path, reason: error.message)
            }
        }
    }

    private func copy(
        _ source: borrowing Connection, _ temporary: String, _ progress: (Int, Int) -> Void
    ) throws {
        let destination = try Connection(path: temporary, access: .readWrite)
        // The file has no name yet that anybody relies on, and is synced as a whole.
        try destination.execute("PRAGMA synchronous = OFF")
        let backup = try Backup(of: source, into: destination)
        while try backup.step(pages: Self.pagesAtOnce) {
            progress(backup.totalPages - backup.remainingPages, backup.totalPages)
        }
        // A page is copied as it is. A damaged copy must not take the place of one that is well.
        let check = try destination.prepare("PRAGMA quick_check(1)")
        guard try check.step(), check.text(0) == "ok" else {
            throw StoreError.damaged(path: store, reason: check.text(0))
        }
    }

    private func checkPlace() throws {
        guard FileIdentity(path: path) == nil || replaces else { throw isThere }
        guard FileIdentity(path: path) == nil || FileIdentity(path: path) != FileIdentity(path: store) else {
            throw StoreError.cannotBackUp(path: path, reason: "it is the store itself")
        }
        var status = stat()
        guard stat(path, &status) != 0 || status.st_mode & S_IFMT == S_IFREG else {
            throw StoreError.cannotBackUp(path: path, reason: "it is no ordinary file")
        }
        // A journal of another database would be taken for the backup's (sqlite.org/howtocorrupt.html 2.4).
        for end in ["-wal", "-journal"] where access(path + end, F_OK) == 0 {
            throw StoreError.cannotBackUp(path: path, reason: "\(path)\(end) is there, so it is in use")
        }
    }

    private func place(_ temporary: String) throws {
        switch UniqueFile.move(temporary, to: path, replaces: replaces) {
        case 0: return
        case EEXIST: throw isThere
        case let code: throw failure(code)
        }
    }

    private var isThere: StoreError { .cannotBackUp(path: path, reason: "there is a file already") }

    private func failure(_ code: CInt) -> StoreError {
        [ENOSPC, EDQUOT, EFBIG].contains(code)
            ? .full(path: path) : refusal(String(cString: strerror(code)))
    }

    private func refusal(_ reason: String) -> StoreError {
        .cannotBackUp(path: path, reason: "\(reason); check the folder and the disk, or name another place")
    }
}
