import CNATS
import Synchronization

/// The messages of a pull consumer, as they arrive. The server sends as many as were requested.
final class MessageFeed: Sendable {
    static let registry = CallbackRegistry<MessageFeed>()
    /// The size in memory that no requested messages have.
    private static let capacity = 256 << 20
    /// The size of messages that are requested together.
    static let window = 4 << 20
    /// The pause of a server that sends nothing, after which the feed has failed.
    static let silence = Duration.seconds(40)

    private struct State {
        var messages: [StreamMessage] = []
        var size = 0
        var waiter: CheckedContinuation<Result<Void, RelayError>, Never>?
        var end: RelayError?
        /// The number of messages that were requested and have not arrived.
        var missing = 0
        var requested: (count: Int, size: Int, time: ContinuousClock.Instant) = (0, 0, .now)
        var window: TransferWindow
        var lastHeard = ContinuousClock.now
        /// The sequence of the last message that arrived.
        var last: UInt64 = 0
    }
    private let state: Mutex<State>
    let consumer: String
    /// The subject to which the messages are sent.
    let inbox: String

    /// - Parameter first: The number of messages that are requested first, and at least.
    init(consumer: String, inbox: String, first: Int) {
        (self.consumer, self.inbox) = (consumer, inbox)
        state = Mutex(State(window: TransferWindow(first...4096)))
    }

    /// Ends the feed.
    func finish(_ error: RelayError) {
        state.withLock { state in
            state.end = state.end ?? error
            state.waiter.take()?.resume(returning: .failure(error))
        }
    }

    /// Returns the messages that have arrived, up to a number, and removes them.
    func take(_ limit: Int) -> [StreamMessage] {
        state.withLock { state in
            let taken = Array(state.messages.prefix(limit))
            state.messages.removeFirst(taken.count)
            state.size -= taken.reduce(0) { $0 + $1.size }
            return taken
        }
    }

    /// Removes the messages up to a sequence, and returns whether all of them have arrived.
    func skip(upTo sequence: UInt64) -> Bool {
        state.withLock { state in
            let skipped = state.messages.prefix { $0.sequence <= sequence }
            state.messages.removeFirst(skipped.count)
            state.size -= skipped.reduce(0) { $0 + $1.size }
            return state.last >= sequence
        }
    }

    /// The number of messages that must be requested now, which counts as done; 0 for none.
    func takeRequest() -> Int {
        state.withLock { state in
            guard state.missing == 0, state.size < Self.window, state.end == nil else { return 0 }
            let mean = max(1, state.requested.size / max(1, state.requested.count))
            state.missing = min(state.window.size, max(1, Self.window / mean))
            state.requested = (state.missing, 0, .now)
            state.lastHeard = .now
            return state.missing
        }
    }

    /// Whether the server has been silent for too long since messages were requested.
    var isSilent: Bool {
        state.withLock { $0.missing > 0 && ContinuousClock.now - $0.lastHeard > Self.silence }
    }

    /// Whether the feed ended, or the server may have deleted the consumer, of which nothing was requested.
    var isStale: Bool {
        state.withLock {
            $0.end != nil || $0.missing == 0 && ContinuousClock.now - $0.lastHeard > Self.silence
        }
    }

    var isAwaited: Bool { state.withLock { $0.waiter != nil } }

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

    private func receive(_ message: StreamMessage) {
        state.withLock { state in
            guard state.end == nil else { return }
            state.lastHeard = .now
            state.messages.append(message)
            state.size += message.size
            state.last = message.sequence
            state.requested.size += message.size
            state.missing = max(0, state.missing - 1)
            if state.missing == 0 {
                state.window.note(state.requested.count, in: ContinuousClock.now - state.requested.time)
            }
            if state.size > Self.capacity { state.end = .rejected(reason: "it sends more than requested") }
            state.waiter.take()?.resume(returning: .success(()))
        }
    }

    /// Handles a message about the request: 100 is a sign of life, 408 its end.
    private func receive(status: String) {
        state.withLock { state in
            state.lastHeard = .now
            switch status {
            case "100": break
            case "404", "408": state.missing = 0
            default:
                state.end = state.end ?? .unreachable(reason: "the server ended the delivery (\(status))")
            }
            if let end = state.end { state.waiter.take()?.resume(returning: .failure(end)) }
        }
    }

    static let handler: natsMsgHandler = { _, _, message, closure in
        defer { natsMsg_Destroy(message) }
        guard let feed = registry[closure] else { return }
        var text: UnsafePointer<CChar>?
        if natsMsg_GetDataLength(message) == 0, natsMsg_GetReply(message) == nil,
            natsMsgHeader_Get(message, "Status", &text) == NATS_OK, let text
        {
            feed.receive(status: String(cString: text))
        } else if let copy = StreamMessage(message) {
            feed.receive(copy)
        } else {
            feed.finish(.rejected(reason: "the number of a message is not valid"))
        }
    }
}
