import ClipsCore
import HistoryTracking
import LiveQuery
import Platform
import Synchronization

/// The one channel of a store's events: the result of a save arrives after the list's messages of its transaction.
final class Delivery: Sendable {
    fileprivate struct State {
        /// The newest transaction that the list has received.
        var newest: Int64 = 0
        /// Whether messages of the list arrive.
        var isLive = true
        var waiting: [(transaction: Int64, event: AppEvent)] = []
    }

    private let mailbox: Mailbox<AppEvent>
    private let state = Mutex(State())

    init(_ mailbox: Mailbox<AppEvent>) { self.mailbox = mailbox }

    func post(_ event: AppEvent) { mailbox.post(event) }

    func post(_ reply: StoreRequest.Reply) {
        let event = AppEvent.answered(reply)
        guard let transaction = reply.transaction else { return post(event) }
        state.withLock { state in
            guard state.isLive, state.newest < transaction else { return mailbox.post(event) }
            state.waiting.append((transaction, event))
        }
    }

    func post(_ messages: [ClipListMessage]) {
        state.withLock { state in
            for case .list(let message) in messages { state.note(message) }
            let newest = state.isLive ? state.newest : .max
            let shown = state.waiting.prefix { $0.transaction <= newest }
            state.waiting.removeFirst(shown.count)
            mailbox.post(messages.map { .message($0) } + shown.map(\.event))
        }
    }
}

extension Delivery.State {
    fileprivate mutating func note(_ message: LiveMessage<ClipRow>) {
        switch message {
        case .transactions(let transactions): newest = max(newest, transactions.last?.id ?? 0)
        case .reached(let number): newest = max(newest, number)
        case .state(let state): isLive = state == .live || state == .polling
        case .window, .more, .count, .changes, .failed: break
        }
    }
}
