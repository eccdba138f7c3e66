import CPlatform

#if canImport(Musl)
import Musl
#else
import Glibc
#endif

/// A descriptor that is closed with its owner.
///
/// A store's files must never be opened with it: closing a descriptor drops SQLite's locks
/// (sqlite.org/howtocorrupt.html 2.2).
package struct FileDescriptor: ~Copyable, Sendable {
    package let number: CInt

    /// Takes ownership of an open descriptor.
    package init(owning number: CInt) { self.number = number }

    /// Opens a file with `O_CLOEXEC`, without flags to read it.
    ///
    /// An interrupted call is an error, not repeated: only a FIFO or a device waits here, and a signal must be
    /// able to end that.
    package init(_ path: String, _ flags: CInt = O_RDONLY) throws(Errno) {
        let opened = open(path, flags | O_CLOEXEC, 0o600)
        guard opened >= 0 else { throw .last }
        number = opened
    }

    deinit { close(number) }

    /// Opens a file; returns nil if it is missing.
    package static func ifExists(_ path: String, _ flags: CInt) throws(Errno) -> FileDescriptor? {
        do {
            return try FileDescriptor(path, flags)
        } catch {
            guard error.code == ENOENT else { throw error }
            return nil
        }
    }

    package var status: FileStatus? { FileStatus(descriptor: number) }

    /// Reads up to `limit` bytes; returns nil at the end.
    package borrowing func read(limit: Int = 1 << 16) throws(Errno) -> [UInt8]? {
        try DescriptorIO.read(number, limit: limit)
    }

    /// Writes all bytes.
    package borrowing func write(_ bytes: some Collection<UInt8>) throws(Errno) {
        try DescriptorIO.write(bytes, to: number)
    }

    /// Writes bytes at an offset in one call; reports no error.
    package borrowing func write(_ bytes: [UInt8], at offset: Int) {
        _ = pwrite(number, bytes, bytes.count, offset)
    }

    /// Whether the system gives this process that many more descriptors.
    package static func areAvailable(_ count: Int) -> Bool {
        let descriptors = (0..<count).map { _ in fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3) }
        for descriptor in descriptors where descriptor >= 0 { close(descriptor) }
        return !descriptors.contains(-1)
    }

    /// Takes the exclusive lock of the open file (flock(2)) without waiting. Returns false if another open file
    /// has it.
    package borrowing func tryLock() throws(Errno) -> Bool {
        guard flock(number, LOCK_EX | LOCK_NB) != 0 else { return true }
        let error = Errno.last
        guard [EWOULDBLOCK, EINTR].contains(error.code) else { throw error }
        return false
    }

    /// Takes a shared lock of one byte, which need not exist, until the open file is closed. Returns false if it
    /// cannot.
    package borrowing func shareByte(_ offset: Int) -> Bool { platform_lock_byte(number, offset, 1) == 0 }

    /// Takes the exclusive lock of one byte, which need not exist, until the open file is closed. Returns false if it
    /// cannot.
    package borrowing func takeByte(_ offset: Int) -> Bool { platform_lock_byte(number, offset, 0) == 0 }

    /// Whether any open file has a lock of the byte.
    package borrowing func isByteLocked(_ offset: Int) -> Bool {
        platform_is_byte_locked(number, offset) == 1
    }

    /// Writes the contents to the disk.
    package borrowing func sync() throws(Errno) {
        guard fsync(number) == 0 else { throw .last }
    }
}
