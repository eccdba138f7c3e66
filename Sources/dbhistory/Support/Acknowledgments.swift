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
