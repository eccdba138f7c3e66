import Glibc

/// A file that SQLite makes, which only its owner may read.
package enum NewFile {
    /// Whether there is no file, or one with nothing in it: what another process, or one that was ended in the
    /// middle, has only begun to make.
    package static func isNeeded(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) != 0 || status.st_size == 0
    }

    /// Whether a file with nothing in it was a store: SQLite fills it before its log has anything, and the doorbell
    /// comes last. As new, SQLite would throw the log away with all that is in it.
    static func wasStore(_ path: String) -> Bool {
        var status = stat()
        guard stat(path, &status) == 0, status.st_size == 0 else { return false }
        var log = stat()
        return access(Doorbell.path(store: path), F_OK) == 0
            || stat(path + "-wal", &log) == 0 && log.st_size > 0
    }

    package static func leaveToOwner(_ path: String) { chmod(path, 0o600) }

    /// Makes an empty file for the owner of the store when the superuser opens another user's store: SQLite would
    /// make one that the owner could not open.
    ///
    /// By its descriptor, since the owner of the folder may exchange names at any time.
    package static func prepare(_ path: String, forOwnerOf store: String) {
        var status = stat()
        guard geteuid() == 0, stat(store, &status) == 0, status.st_uid != 0 else { return }
        let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return }
        _ = fchown(descriptor, status.st_uid, status.st_gid)
        close(descriptor)
    }
}
