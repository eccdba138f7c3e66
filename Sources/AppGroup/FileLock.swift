import Glibc

/// An exclusive lock between threads and processes, held for the lifetime of the value.
///
/// The lock belongs to the open file description (flock(2)): it is released when its process is killed, and
/// two threads of one process exclude each other like two processes.
struct FileLock: ~Copyable {
    private let descriptor: CInt

    /// Waits for the lock, for at most `timeout`; creates the file if it is missing.
    init(path: String, timeout: Duration) throws(SharedDefaultsError) {
        let deadline = ContinuousClock.now + timeout
        while true {
            let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
            guard descriptor >= 0 else { throw .cannotWrite(path, reason: .currentError) }
            while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
                let code = errno
                guard code == EWOULDBLOCK || code == EINTR, ContinuousClock.now < deadline else {
                    close(descriptor)
                    guard code == EWOULDBLOCK || code == EINTR else {
                        throw .cannotWrite(path, reason: String(cString: strerror(code)))
                    }
                    throw .busy(path, waited: timeout)
                }
                var pause = timespec(tv_sec: 0, tv_nsec: 500_000)
                nanosleep(&pause, nil)
            }
            if Self.isNamed(path, descriptor) {
                self.descriptor = descriptor
                return
            }
            close(descriptor)
        }
    }

    deinit { close(descriptor) }

    /// Runs `body` while the lock is held.
    borrowing func hold<Result>(_ body: () throws(SharedDefaultsError) -> Result)
        throws(SharedDefaultsError) -> Result
    {
        try body()
    }

    /// Returns whether the path still leads to the locked file. If it was deleted, later processes lock
    /// another file.
    private static func isNamed(_ path: String, _ descriptor: CInt) -> Bool {
        var (named, opened) = (stat(), stat())
        return stat(path, &named) == 0 && fstat(descriptor, &opened) == 0 && named.st_ino == opened.st_ino
            && named.st_dev == opened.st_dev
    }
}

extension String {
    /// The message for `errno`.
    static var currentError: String { String(cString: strerror(errno)) }
}
