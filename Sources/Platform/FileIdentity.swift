import CPlatform

#if canImport(Musl)
import Musl
#else
import Glibc
#endif

/// One file, regardless of its names.
package struct FileIdentity: Hashable, Sendable {
    package let device: UInt
    package let inode: UInt

    init(device: UInt, inode: UInt) {
        self.device = device
        self.inode = inode
    }

    /// Creates the identity of the file at a path; nil if there is none.
    package init?(path: String) {
        guard let status = FileStatus(path: path) else { return nil }
        self = status.identity
    }

    /// Whether a file is mounted without its folder.
    package static func isMountedAlone(path: String) -> Bool { platform_is_mount_root(path) == 1 }

    /// Whether this process has all of these files open, with any but the `ignored` descriptors.
    ///
    /// Opens and closes nothing: closing any descriptor of a file drops SQLite's locks on it
    /// (sqlite.org/howtocorrupt.html 2.2).
    ///
    /// - Complexity: O(*n*) system calls, where *n* is the highest descriptor.
    package static func areOpen(_ files: [FileIdentity], ignoring ignored: Set<CInt>) -> Bool {
        var missing = Set(files)
        let limit = min(max(sysconf(Int32(_SC_OPEN_MAX)), 1024), 1 << 20)
        for descriptor in 0..<CInt(limit) {
            if missing.isEmpty { return true }
            guard let status = FileStatus(descriptor: descriptor), !ignored.contains(descriptor) else {
                continue
            }
            missing.remove(status.identity)
        }
        return missing.isEmpty
    }
}
