import CNATS
import Dispatch
import Synchronization

/// The messages of an ordered consumer, as they arrive; at most ``capacity`` are in memory.
final class MessageFeed: Sendable {
    static let registry = CallbackRegistry<MessageFeed>()
    static let capacity = 2048

    private struct State {
        var messages: [StreamMessage] = []
        var waiter: CheckedContinuation<Result<Void, RelayError>, Never>?
        var end: RelayError?
    }
    private let state = Mutex(State())
    private let slots = DispatchSemaphore(value: 0)

    init() {
        // A semaphore that ends below its first value aborts the process.
        for _ in 0..<Self.capacity { slots.signal() }
    }

    /// Ends the feed, and a callback that waits for memory.
    func finish(_ error: RelayError) {
        state.withLock { state in
            state.end = state.end ?? error
            state.waiter.take()?.resume(returning: .failure(error))
        }
        slots.signal()
    }

    /// Returns the messages that have arrived, up to a number, and removes them.
    func take(_ limit: Int) -> [StreamMessage] {
        let taken = state.withLock { state in
            let taken = Array(state.messages.prefix(limit))
            state.messages.removeFirst(taken.count)
            return taken
        }
        for _ in taken { slots.signal() }
        return taken
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
        slots.wait()
        let isEnded = state.withLock { state in
            guard state.end == nil else { return true }
            state.messages.append(message)
            state.waiter.take()?.resume(returning: .success(()))
            return false
        }
        if isEnded { slots.signal() }
    }

    static let handler: natsMsgHandler = { _, _, message, closure in
        let copy = StreamMessage(message)
        natsMsg_Destroy(message)
        if let copy { registry[closure]?.receive(copy) }
    }
}
