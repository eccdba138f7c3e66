import Glibc
import Synchronization

/// Messages from any thread to the one that waits in `poll`.
final class Mailbox<Message: Sendable>: Sendable {
    private let messages = Mutex<[Message]>([])
    private let ends: (reading: CInt, writing: CInt)

    init() {
        var ends: [CInt] = [-1, -1]
        if pipe(&ends) == 0 {
            for end in ends {
                _ = fcntl(end, F_SETFD, FD_CLOEXEC)
                _ = fcntl(end, F_SETFL, O_NONBLOCK)
            }
        }
        self.ends = (ends[0], ends[1])
    }

    deinit {
        close(ends.reading)
        close(ends.writing)
    }

    /// False where the system gave no pipe: no wait would end.
    var isUsable: Bool { ends.reading >= 0 }

    /// Readable while there are messages.
    var descriptor: CInt { ends.reading }

    var isEmpty: Bool { messages.withLock(\.isEmpty) }

    func post(_ message: Message) { post([message]) }

    /// Several at once: whoever waits gets all of them together.
    func post(_ news: [Message]) {
        guard !news.isEmpty else { return }
        let wasEmpty = messages.withLock { messages in
            defer { messages += news }
            return messages.isEmpty
        }
        // Out of the lock, which whoever waits takes first. That messages are taken before this byte comes costs
        // one look at an empty mailbox.
        guard wasEmpty else { return }
        var byte: UInt8 = 0
        _ = write(ends.writing, &byte, 1)
    }

    /// All messages there are, in the order they came.
    func takeAll() -> [Message] {
        messages.withLock { messages in
            var bytes = [UInt8](repeating: 0, count: 16)
            while read(ends.reading, &bytes, bytes.count) == bytes.count {}
            defer { messages.removeAll(keepingCapacity: true) }
            return messages
        }
    }
}
