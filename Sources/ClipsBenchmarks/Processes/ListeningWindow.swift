import ClipsCore
import LiveQuery
import PersistentStore
import Platform

/// A session with its live list on this thread: the app without its screen.
final class ListeningWindow {
    private let session: ClipsSession
    private let mailbox: Mailbox<ClipListMessage>
    private var list = LiveList<ClipRow>(height: 40)
    private var failure: String?

    /// Opens a store and waits until its list is loaded and counted.
    init(store: String) throws {
        let mailbox = try Mailbox<ClipListMessage>()
        self.mailbox = mailbox
        list.follows = true
        session = try blocking {
            let session = try await ClipsSession(path: store, author: "reader") { mailbox.post($0) }
            try await session.start()
            return session
        }
        let began = Moment.now
        while !list.isCounted {
            receiveMessages(milliseconds: 100)
            if let failure { throw BenchmarkError(failure) }
            guard began.secondsSince < 30 else { throw BenchmarkError("the list was not loaded in 30 s") }
        }
    }

    func close() throws {
        let session = session
        try blocking { await session.stop() }
    }

    /// Waits for a clip and returns its time of arrival; nil after half a second.
    private func wait(for clip: Int64) -> Moment? {
        let began = Moment.now
        while true {
            if list.rows.prefix(8).contains(where: { $0.id == clip }) { return .now }
            let left = 500 - Int(began.secondsSince * 1000)
            guard left > 0 else { return nil }
            receiveMessages(milliseconds: left)
        }
    }

    /// Returns the time from the beginning of one commit until its clip is in the list.
    func timeOfArrival(from writer: RoleWriter) throws -> Double {
        let wanted = newestID + 1
        try writer.commit(1)
        guard let seen = wait(for: wanted) else { throw BenchmarkError("a commit was lost") }
        return try seen - writer.begun()
    }

    private var newestID: Int64 { list.rows.first?.id ?? 0 }

    private func receiveMessages(milliseconds: Int) {
        _ = DescriptorIO.poll([mailbox.descriptor], for: .milliseconds(milliseconds))
        for message in mailbox.removeAll() { list.apply(message, &failure) }
        let (session, anchor) = (session, list.selectedRow?.position)
        while let request = list.nextRequest() {
            Task.detached { await session.source.list.answer(request, generation: 0, anchor: anchor) }
        }
    }
}

extension LiveList<ClipRow> {
    mutating func apply(_ message: ClipListMessage, _ failure: inout String?) {
        guard case .list(let message) = message else { return }
        switch message {
        case .window(let window, _): replace(window: window)
        case .more(let rows, let direction, let reachedEdge, let number, _):
            extend(with: rows, direction, reachedEdge: reachedEdge, requestNumber: number)
        case .count(let count, _): setCount(count)
        case .changes(let changes, _): apply(changes: changes)
        case .failed(let error, _, _): failure = error.sentence
        case .transactions, .reached, .state: break
        }
    }
}
