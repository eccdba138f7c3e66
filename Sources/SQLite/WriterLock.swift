import CSQLite
package import Platform
import Synchronization

#if canImport(Musl)
import Musl
#else
import Glibc
#endif

/// Queries whether a process is writing, without taking a lock.
///
/// A writer holds byte 120 of the `-shm` (WAL_WRITE_LOCK, sqlite.org/walformat.html 2.3.1) from its first
/// write until its commit is visible, so "free" after a file event proves that the commit behind the event
/// can be read. The query is `F_OFD_GETLK` (fcntl(2)), one system call that disturbs no writer.
package struct WriterLock: Sendable {
    /// The holder of the lock.
    package enum Holder: Equatable, Sendable {
        case free
        case process(Int32)
        /// A process that the kernel cannot identify.
        case unknown
    }

    /// The first copy of the index's header, which SQLite compares to notice a commit
    /// (sqlite.org/walformat.html 2.1). Equal headers are those of one state of the store.
    package struct IndexHeader: Equatable, Sendable {
        fileprivate static let size = 48
        fileprivate var words = SIMD8<UInt64>()

        /// The least size of the `-wal` with the frames of this state; 0 if it needs none.
        package var logSize: Int {
            // szPage is at byte 14 and mxFrame at byte 16; a page of 65,536 bytes is stored as 1.
            let (page, frames) = (Int(words[1] >> 48), Int(words[2] & 0xFFFF_FFFF))
            return frames == 0 ? 0 : 32 + frames * (24 + (page == 1 ? 65_536 : page))
        }
    }

    private static let writeLockByte = 120
    private let descriptor: CInt
    /// The `-shm`.
    package let file: FileIdentity

    /// Creates nil if the `-shm` cannot be opened: then only the doorbell and polling remain.
    ///
    /// Closing any descriptor of a file drops every POSIX lock that this process has on it, including
    /// SQLite's, so a descriptor is opened once per file and cached (sqlite.org/howtocorrupt.html 2.2).
    package init?(databasePath: String) {
        guard let open = Self.descriptors.withLock({ $0.descriptor(of: databasePath + "-shm") }) else {
            return nil
        }
        (file, descriptor) = open
    }

    package func holder() -> Holder {
        switch csqlite_lock_holder(descriptor, Self.writeLockByte) {
        case 0: .free
        case let process where process > 0: .process(process)
        default: .unknown
        }
    }

    /// Returns the header; nil if the index is empty.
    ///
    /// A header that is read while a writer changes it differs from those before and after.
    package func indexHeader() -> IndexHeader? {
        var header = IndexHeader()
        let count = withUnsafeMutableBytes(of: &header.words) {
            pread(descriptor, $0.baseAddress, IndexHeader.size, 0)
        }
        return count == IndexHeader.size ? header : nil
    }

    /// Closes descriptors whose file has no name any more: SQLite deletes the `-shm` only after the last
    /// connection to it is closed, so no connection of this process can have a lock on it.
    package static func releaseUnlinked() {
        descriptors.withLock { $0.closeUnlinked() }
    }

    /// The descriptors that this process uses only for the query.
    fileprivate static var probes: Set<CInt> { descriptors.withLock { $0.all } }

    private static let descriptors = Mutex(Descriptors())

    private struct Descriptors {
        private var open: [FileIdentity: CInt] = [:]

        var all: Set<CInt> { Set(open.values) }

        mutating func descriptor(of path: String) -> (FileIdentity, CInt)? {
            guard let file = FileIdentity(path: path) else { return nil }
            if let known = open[file] { return (file, known) }
            // Opening a pipe of that name would block without O_NONBLOCK.
            let descriptor = systemOpen(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
            guard descriptor >= 0 else { return nil }
            guard let actual = FileStatus(descriptor: descriptor)?.identity else { return nil }
            if let known = open[actual] { return (actual, known) }
            open[actual] = descriptor
            return (actual, descriptor)
        }

        mutating func closeUnlinked() {
            for (file, descriptor) in open {
                guard FileStatus(descriptor: descriptor)?.links == 0 else { continue }
                close(descriptor)
                open[file] = nil
            }
        }
    }
}

extension FileIdentity {
    /// Whether this process has all of these files open, apart from the descriptors of ``WriterLock``.
    package static func areOpen(_ files: [FileIdentity]) -> Bool {
        areOpen(files, ignoring: WriterLock.probes)
    }
}

/// Outside of the type, which has a variable of the same name.
private func systemOpen(_ path: String, _ flags: CInt) -> CInt { open(path, flags) }
