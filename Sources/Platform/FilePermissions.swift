import Glibc

/// The permissions of a file that SQLite creates: only its owner may read it.
package enum FilePermissions {
    package static func restrictToOwner(_ path: String) { chmod(path, 0o600) }

    /// Allows all users to read a file.
    package static func allowReading(_ descriptor: CInt) { fchmod(descriptor, 0o644) }

    /// Creates an empty file for the owner of the store if the superuser opens another user's store: SQLite
    /// would create one that the owner could not open.
    ///
    /// Works on the descriptor, since the owner of the folder may exchange names at any time.
    package static func prepare(_ path: String, forOwnerOf store: String) {
        guard geteuid() == 0, let status = FileStatus(path: store), status.owner != 0,
            let file = try? FileDescriptor(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW)
        else { return }
        _ = fchown(file.number, status.owner, status.group)
    }
}
