import Glibc

/// The permissions of a file that SQLite creates: only its owner may read it.
package enum FilePermissions {
    /// Whether the file is missing or empty. An empty file is one that another process, or one that was
    /// killed, has only begun to create.
    package static func isNeeded(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) != 0 || status.st_size == 0
    }

    /// Whether an empty file was a store: SQLite fills it before its log, and the doorbell is created last.
    /// If the file were opened as a new one, SQLite would discard the log with all its contents.
    static func wasStore(_ path: String) -> Bool {
        var status = stat()
        guard stat(path, &status) == 0, status.st_size == 0 else { return false }
        var log = stat()
        return access(Doorbell.path(store: path), F_OK) == 0
            || stat(path + "-wal", &log) == 0 && log.st_size > 0
    }

    package static func restrictToOwner(_ path: String) { chmod(path, 0o600) }

    /// Creates an empty file for the owner of the store if the superuser opens another user's store: SQLite
    /// would create one that the owner could not open.
    ///
    /// Works on the descriptor, since the owner of the folder may exchange names at any time.
    package static func prepare(_ path: String, forOwnerOf store: String) {
        var status = stat()
        guard geteuid() == 0, stat(store, &status) == 0, status.st_uid != 0 else { return }
        let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return }
        _ = fchown(descriptor, status.st_uid, status.st_gid)
        close(descriptor)
    }
}
