#if canImport(Musl)
import Musl
#else
import Glibc
#endif

/// The permissions of a store's files: only their owner may read them.
package enum FilePermissions {
    /// Withdraws the permissions of other users from a regular file of this user.
    ///
    /// Follows no link, and changes no file with a second name, which may belong to another program. An
    /// `O_PATH` descriptor is closed without dropping SQLite's locks.
    package static func restrictToOwner(_ path: String) {
        guard let file = try? FileDescriptor(path, pathOnlyFlag | O_NOFOLLOW), let status = file.status,
            status.isRegular, status.links == 1, status.owner == geteuid() || geteuid() == 0,
            status.permissions & 0o077 != 0
        else { return }
        chmod("/proc/self/fd/\(file.number)", status.permissions & ~0o077)
    }

    /// O_PATH, a macro that Swift does not import.
    private static let pathOnlyFlag: CInt = 0o10000000

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
