#if canImport(Musl)
package import Musl
#else
package import Glibc
#endif

/// The metadata of a file (stat(2)).
///
/// Two values are equal if, within the resolution of its timestamps, the file was not changed in between.
package struct FileStatus: Equatable {
    private var status = stat()

    /// Creates the metadata of the file that a path leads to, or of a symbolic link itself; nil if there is
    /// none.
    package init?(path: String, followsLinks: Bool = true) {
        guard (followsLinks ? stat(path, &status) : lstat(path, &status)) == 0 else { return nil }
    }

    package init?(descriptor: CInt) {
        guard fstat(descriptor, &status) == 0 else { return nil }
    }

    /// Whether a file is missing or empty. An empty file is one that another process, or one that was killed,
    /// has only begun to create.
    package static func isMissingOrEmpty(_ path: String) -> Bool {
        FileStatus(path: path).map { $0.size == 0 } ?? true
    }

    package var identity: FileIdentity {
        FileIdentity(device: UInt(status.st_dev), inode: UInt(status.st_ino))
    }

    /// The type, such as `S_IFREG`.
    package var type: mode_t { status.st_mode & S_IFMT }
    package var isRegular: Bool { type == S_IFREG }
    package var isFolder: Bool { type == S_IFDIR }
    package var permissions: mode_t { status.st_mode & 0o777 }
    package var size: Int { Int(status.st_size) }
    /// The number of names.
    package var links: Int { Int(status.st_nlink) }
    package var owner: uid_t { status.st_uid }
    package var group: gid_t { status.st_gid }
    package var modified: timespec { status.st_mtim }
    /// The time at which the contents or the metadata changed.
    package var changed: timespec { status.st_ctim }

    package static func == (left: FileStatus, right: FileStatus) -> Bool {
        left.identity == right.identity && left.status.st_mode == right.status.st_mode
            && left.size == right.size && left.links == right.links && left.owner == right.owner
            && left.modified == right.modified && left.changed == right.changed
    }
}

extension timespec {
    fileprivate static func == (left: timespec, right: timespec) -> Bool {
        left.tv_sec == right.tv_sec && left.tv_nsec == right.tv_nsec
    }
}
