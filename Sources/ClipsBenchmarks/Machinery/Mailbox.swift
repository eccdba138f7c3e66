import ClipsCore
import Glibc
import Platform
import Synchronization

/// A queue of messages to the thread of the list, as in the app.
final class Mailbox: Sendable {
    private let messages = Mutex<[ClipListMessage]>([])
    private let pipe: Pipe

    init() throws { pipe = try Pipe() }

    func put(_ news: [ClipListMessage]) {
        let wasEmpty = messages.withLock { messages in
            defer { messages += news }
            return messages.isEmpty
        }
        if wasEmpty { pipe.signal() }
    }

    /// Waits for a message, then returns all messages.
    func receive(milliseconds: Int) -> [ClipListMessage] {
        var wanted = pollfd(fd: pipe.readEnd, events: Int16(POLLIN), revents: 0)
        guard poll(&wanted, 1, Int32(milliseconds)) > 0 else { return [] }
        pipe.drain()
        return messages.withLock { messages in
            defer { messages.removeAll(keepingCapacity: true) }
            return messages
        }
    }
}
