#if canImport(Musl)
import Musl
#else
import Glibc
#endif

/// An exclusive lock between threads and processes, held for the lifetime of the value.
///
/// The lock belongs to the open file description (flock(2)): it is released when its process is killed, and
/// two threads of one process exclude each other like two processes.
package struct FileLock: ~Copyable {
    package enum Failure: Error {
        case busy
        case system(Errno)
    }

    private let file: FileDescriptor

    /// Waits for the lock, for at most `timeout`; creates the file if it is missing.
    package init(path: String, timeout: Duration) throws(Failure) {
        let deadline = ContinuousClock.now + timeout
        while true {
            if let file = try Self.lock(path, until: deadline) {
                self.file = file
                return
            }
        }
    }

    /// Runs `body` while the lock is held.
    package borrowing func hold<Result, Thrown: Error>(
        _ body: () throws(Thrown) -> Result
    ) throws(Thrown) -> Result {
        try body()
    }

    /// Returns nil if the path no longer leads to the locked file: later processes lock another one.
    private static func lock(
        _ path: String, until deadline: ContinuousClock.Instant
    ) throws(Failure) -> FileDescriptor? {
        let file = try system { () throws(Errno) in
            try FileDescriptor(path, O_RDWR | O_CREAT | O_NOFOLLOW)
        }
        while try !system({ () throws(Errno) in try file.tryLock() }) {
            guard ContinuousClock.now < deadline else { throw .busy }
            DescriptorIO.pause(for: .microseconds(500))
        }
        guard let opened = file.status, FileIdentity(path: path) == opened.identity else { return nil }
        return file
    }

    private static func system<Result: ~Copyable>(
        _ call: () throws(Errno) -> Result
    ) throws(Failure) -> Result {
        do {
            return try call()
        } catch {
            throw .system(error)
        }
    }
}
