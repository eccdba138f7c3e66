import CSQLite
import Glibc

/// One file, regardless of its names.
package struct FileIdentity: Hashable, Sendable {
    package let device: UInt
    package let inode: UInt

    /// Creates the identity of the file at a path; nil if there is none.
    package init?(path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        self.init(device: UInt(status.st_dev), inode: UInt(status.st_ino))
    }

    package init(device: UInt, inode: UInt) {
        self.device = device
        self.inode = inode
    }

    /// Whether a file is mounted without its folder.
    package static func isMountedAlone(path: String) -> Bool { csqlite_is_mount_root(path) == 1 }

    /// Whether this process has all of these files open, ignoring the descriptors of ``WriterLock``.
    ///
    /// Opens and closes nothing: closing any descriptor of a file drops SQLite's locks on it
    /// (sqlite.org/howtocorrupt.html 2.2).
    ///
    /// - Complexity: O(*n*) system calls, where *n* is the highest descriptor.
    package static func areOpen(_ files: [FileIdentity]) -> Bool {
        var missing = Set(files)
        let probes = WriterLock.probes
        let limit = min(max(sysconf(Int32(_SC_OPEN_MAX)), 1024), 1 << 20)
        for descriptor in 0..<CInt(limit) {
            if missing.isEmpty { return true }
            var status = stat()
            guard fstat(descriptor, &status) == 0, !probes.contains(descriptor) else { continue }
            missing.remove(FileIdentity(device: UInt(status.st_dev), inode: UInt(status.st_ino)))
        }
        return missing.isEmpty
    }
}
