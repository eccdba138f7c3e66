import Glibc
import Platform

/// The users who may write a store's files.
///
/// If another user prepares an empty, writable file under a store's name, that user gets every clip that is
/// saved, and a log of another user is replayed into the store. The folder is not checked: users who may
/// write it can delete files or create their own under a store's name, and those are rejected.
struct StoreOwnership {
    private let path: String

    init(path: String) { self.path = path }

    /// Checks the owner and the mode of the files.
    ///
    /// - Throws: ``StoreError/otherOwner(path:owner:)`` or ``StoreError/writableByOthers(path:mode:)``.
    func check() throws(StoreError) {
        let resolved = FilePath.resolved(path)
        guard let store = FileStatus(path: resolved) else { return }
        // The superuser may open any user's store; SQLite gives the log and its index that owner.
        guard store.owner == geteuid() || geteuid() == 0 else {
            throw .otherOwner(path: path, owner: Self.name(store.owner))
        }
        for end in ["", "-wal", "-shm", "-journal"] {
            guard let file = end.isEmpty ? store : FileStatus(path: resolved + end) else { continue }
            guard file.owner == store.owner || file.owner == 0 else {
                throw .otherOwner(path: path + end, owner: Self.name(file.owner))
            }
            guard file.permissions & 0o022 == 0 else {
                throw .writableByOthers(path: path + end, mode: file.permissions)
            }
        }
    }

    private static func name(_ user: uid_t) -> String {
        guard let entry = getpwuid(user), let name = entry.pointee.pw_name else { return "user \(user)" }
        return String(cString: name)
    }
}
