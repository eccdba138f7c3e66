import Synchronization

/// Messages from any thread to the one that waits until ``descriptor`` is readable.
package final class Mailbox<Message: Sendable>: Sendable {
    private let messages = Mutex<[Message]>([])
    private let pipe: Pipe

    package init() throws(SystemError) { pipe = try Pipe() }

    /// Readable while there are messages.
    package var descriptor: CInt { pipe.readEnd }

    package var isEmpty: Bool { messages.withLock(\.isEmpty) }

    package func post(_ message: Message) { post([message]) }

    /// Adds messages, which the receiver gets together.
    package func post(_ added: [Message]) {
        guard !added.isEmpty else { return }
        let wasEmpty = messages.withLock { messages in
            defer { messages += added }
            return messages.isEmpty
        }
        // Outside of the lock, which the receiver takes first. If it takes the messages before this byte
        // arrives, it checks an empty mailbox once.
        if wasEmpty { pipe.signal() }
    }

    /// Returns and removes all messages, in the order of their arrival.
    package func removeAll() -> [Message] {
        messages.withLock { messages in
            pipe.drain()
            defer { messages.removeAll(keepingCapacity: true) }
            return messages
        }
    }
}
