import CNATS
import Dispatch
import Synchronization

/// The messages of an ordered consumer, as they arrive; about ``capacity`` bytes are in memory.
final class MessageFeed: Sendable {
    static let registry = CallbackRegistry<MessageFeed>()
    static let capacity = 8 << 20

    private struct State {
        var messages: [StreamMessage] = []
        var size = 0
        /// Whether the callback waits for room.
        var isFull = false
        var waiter: CheckedContinuation<Result<Void, RelayError>, Never>?
        var end: RelayError?

        /// Lets a callback that waits for room continue.
        mutating func makeRoom(_ room: DispatchSemaphore) {
            if isFull { room.signal() }
            isFull = false
        }
    }
    private let state = Mutex(State())
    private let room = DispatchSemaphore(value: 0)

    /// Ends the feed, and a callback that waits for room.
    func finish(_ error: RelayError) {
        state.withLock { state in
            state.end = state.end ?? error
            state.waiter.take()?.resume(returning: .failure(error))
            state.makeRoom(room)
        }
    }

    /// Returns the messages that have arrived, up to a number, and removes them.
    func take(_ limit: Int) -> [StreamMessage] {
        state.withLock { state in
            let taken = Array(state.messages.prefix(limit))
            state.messages.removeFirst(taken.count)
            state.size -= taken.reduce(0) { $0 + $1.size }
            if state.size < Self.capacity { state.makeRoom(room) }
            return taken
        }
    }

    /// Returns when there is a message.
    ///
    /// - Throws: The reason that the feed ended. A task that begins to wait cancels another one's wait.
    func wait() async throws(RelayError) {
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let result: Result<Void, RelayError>? = state.withLock { state in
                    if !state.messages.isEmpty { return .success(()) }
                    if let end = state.end { return .failure(end) }
                    if Task.isCancelled { return .failure(.cancelled) }
                    state.waiter?.resume(returning: .failure(.cancelled))
                    state.waiter = continuation
                    return nil
                }
                if let result { continuation.resume(returning: result) }
            }
        } onCancel: {
            wake(.cancelled)
        }
        try result.get()
    }

    /// Ends a wait with an error.
    func wake(_ error: RelayError) {
        state.withLock { $0.waiter.take()?.resume(returning: .failure(error)) }
    }

    /// Runs on the subscription's own thread: blocking it makes the server wait (flow control).
    private func receive(_ message: StreamMessage) {
        let isFull = state.withLock { state in
            guard state.end == nil else { return false }
            state.messages.append(message)
            state.size += message.size
            state.waiter.take()?.resume(returning: .success(()))
            state.isFull = state.size >= Self.capacity
            return state.isFull
        }
        if isFull { room.wait() }
    }

    static let handler: natsMsgHandler = { _, _, message, closure in
        let copy = StreamMessage(message)
        natsMsg_Destroy(message)
        if let copy { registry[closure]?.receive(copy) }
    }
}
