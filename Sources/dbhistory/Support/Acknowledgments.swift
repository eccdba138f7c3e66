import Glibc
import Platform
import Synchronization

/// Lines on standard input, each of which acknowledges a line of output.
final class Acknowledgments: Sendable {
    /// The reader has ended: nothing more is acknowledged.
    struct Ended: Error {}

    private let unread = Mutex<[UInt8]>([])

    func wait() throws {
        try unread.withLock { bytes in
            while true {
                if let end = bytes.firstIndex(of: UInt8(ascii: "\n")) {
                    bytes.removeSubrange(...end)
                    return
                }
                guard let more = try? DescriptorIO.read(STDIN_FILENO, limit: 4096)
                else {
                    throw Ended()
                }
                bytes += more
            }
        }
    }
}

/// A pipe on standard output.
struct OutputPipe: Sendable {
    /// Creates nil if standard output is not a pipe.
    init?() {
        var status = stat()
        guard fstat(STDOUT_FILENO, &status) == 0, status.st_mode & S_IFMT == S_IFIFO else { return nil }
    }

    /// Waits until its reader has taken all bytes.
    func waitUntilRead() throws {
        var pause = Duration.microseconds(20)
        var count: CInt = 0
        while ioctl(STDOUT_FILENO, UInt(FIONREAD), &count) == 0, count > 0 {
            guard !DescriptorIO.hasHungUp(STDOUT_FILENO) else { throw Acknowledgments.Ended() }
            DescriptorIO.pause(for: pause)
            pause = min(pause * 2, .milliseconds(5))
        }
    }
}
