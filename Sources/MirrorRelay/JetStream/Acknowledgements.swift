import CNATS
import Synchronization

/// The puts of a connection that wait for their acknowledgement, and the feeds that end with it.
final class Acknowledgements: Sendable {
    private struct State {
        var waiting: [UInt: (batch: PutBatch, index: Int)] = [:]
        var feeds: [Int: MessageFeed] = [:]
        var end: RelayError?
    }
    private let state = Mutex(State())

    static let registry = CallbackRegistry<Acknowledgements>()

    /// Adds a put of a batch.
    ///
    /// - Throws: The reason that the connection ended.
    func add(_ message: UInt, _ batch: PutBatch, _ index: Int) throws(RelayError) {
        let end = state.withLock { state in
            if state.end == nil { state.waiting[message] = (batch, index) }
            return state.end
        }
        if let end { throw end }
    }

    func add(_ feed: MessageFeed, number: Int) {
        let end = state.withLock { state in
            state.feeds[number] = feed
            return state.end
        }
        if let end { feed.finish(end) }
    }

    func removeFeed(_ number: Int) { state.withLock { $0.feeds[number] = nil } }

    func answer(_ message: UInt, _ answer: PutBatch.Answer) {
        guard let put = state.withLock({ $0.waiting.removeValue(forKey: message) }) else { return }
        put.batch.answer(put.index, answer)
    }

    /// Fails all that waits.
    func end(_ error: RelayError) {
        let (waiting, feeds) = state.withLock { state in
            state.end = state.end ?? error
            defer { (state.waiting, state.feeds) = ([:], [:]) }
            return (state.waiting, state.feeds)
        }
        for put in waiting.values { put.batch.answer(put.index, .failure(error)) }
        for feed in feeds.values { feed.finish(error) }
    }

    var isEnded: Bool { state.withLock { $0.end != nil } }

    /// The handler of `jsOptions.PublishAsync`. The message's address names the put.
    static let handler: jsPubAckHandler = { _, message, acknowledgement, failure, closure in
        let number = UInt(bitPattern: message)
        let answer: PutBatch.Answer =
            if let acknowledgement {
                StreamMessage.isValid(acknowledgement.pointee.Sequence)
                    ? .success(acknowledgement.pointee.Sequence)
                    : .failure(.rejected(reason: "the number of a message is not valid"))
            } else {
                .failure(
                    failure.map {
                        RelayError($0.pointee.Err, code: jsErrCode(UInt32($0.pointee.ErrCode.rawValue)))
                    }
                        ?? .unreachable(reason: "no answer"))
            }
        registry[closure]?.answer(number, answer)
        natsMsg_Destroy(message)
    }

    /// The handler of a closed connection.
    static let closed: natsConnectionHandler = { connection, closure in
        var text: UnsafePointer<CChar>?
        let status = natsConnection_GetLastError(connection, &text)
        let reason = text.map { String(cString: $0) } ?? ""
        let error: RelayError =
            status == NATS_CONNECTION_AUTH_FAILED
            ? .unauthorized : .unreachable(reason: reason.isEmpty ? "the connection was closed" : reason)
        registry[closure]?.end(error)
        registry.remove(Int(bitPattern: closure))
    }
}

/// Puts that were sent together, and their answers.
final class PutBatch: Sendable {
    typealias Answer = Result<UInt64, RelayError>

    private struct State {
        var answers: [Answer?]
        var missing: Int
        var waiter: CheckedContinuation<[Answer], Never>?
    }
    private let state: Mutex<State>

    init(count: Int) { state = Mutex(State(answers: Array(repeating: nil, count: count), missing: count)) }

    func answer(_ index: Int, _ answer: Answer) {
        let complete = state.withLock { state -> (CheckedContinuation<[Answer], Never>, [Answer])? in
            guard state.answers[index] == nil else { return nil }
            state.answers[index] = answer
            state.missing -= 1
            guard state.missing == 0, let waiter = state.waiter.take() else { return nil }
            return (waiter, state.answers.compactMap(\.self))
        }
        if let (waiter, answers) = complete { waiter.resume(returning: answers) }
    }

    /// Returns the answers once all have arrived. May be called once.
    func answers() async -> [Answer] {
        await withCheckedContinuation { continuation in
            let complete: [Answer]? = state.withLock { state in
                guard state.missing > 0 else { return state.answers.compactMap(\.self) }
                state.waiter = continuation
                return nil
            }
            if let complete { continuation.resume(returning: complete) }
        }
    }
}
