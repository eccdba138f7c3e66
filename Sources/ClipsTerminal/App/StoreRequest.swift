import ClipsCore
import PersistentStore

/// A request of the state to its store: what is read or written, its queue, and what the result does to the state.
struct StoreRequest: Sendable {
    /// The list's requests, other reads, the counts of the sidebar, the user's own work, and the memory of filters,
    /// which waits for the lock of its file, have a queue each, so that a save that waits for another writer, or a
    /// long count, delays no read.
    enum Queue: CaseIterable, Sendable { case list, reads, counts, saves, memory }

    /// The waiting requests of the queue that a request makes needless.
    enum Superseding: Sendable {
        case none, clips, excerpts, lines, matches, changes, steps, newest, arrivals, all
    }

    /// What a result does to the state.
    struct Reply: Sendable {
        let apply: @Sendable (inout AppState) -> Void
        /// The own transaction that the list must show before.
        var transaction: Int64?
    }

    let queue: Queue
    let superseding: Superseding
    /// The work of the request, if it is a save.
    let work: Work?
    /// Returns nil if the result arrives as messages to the list.
    let perform: @Sendable (ClipsSession, UnsavedWork) async throws -> Reply?
    /// Returns the reply for a value that the store would read; nil for one of another type.
    let reply: @Sendable (Any) -> Reply?

    init<Value>(
        _ queue: Queue, _ superseding: Superseding, work: Work? = nil,
        _ perform: @escaping @Sendable (ClipsSession, UnsavedWork) async throws -> Value?,
        reply: @escaping @Sendable (Value) -> Reply
    ) {
        (self.queue, self.superseding, self.work) = (queue, superseding, work)
        self.perform = { try await perform($0, $1).map(reply) }
        self.reply = { ($0 as? Value).map(reply) }
    }

    func supersedes(_ other: StoreRequest) -> Bool {
        superseding == .all || superseding != .none && superseding == other.superseding
    }
}

extension Effect.Performance {
    /// A request whose result arrives as messages to the list.
    static func list(
        superseding: StoreRequest.Superseding = .none,
        _ perform: @escaping @Sendable (ClipsSession) async -> Void
    ) -> Self {
        .store(
            StoreRequest(.list, superseding) { session, _ -> Void? in
                await perform(session)
                return nil
            } reply: { _ in
                StoreRequest.Reply { _ in }
            })
    }

    static func read<Value: Sendable>(
        on queue: StoreRequest.Queue = .reads, superseding: StoreRequest.Superseding = .none,
        _ read: @escaping @Sendable (ClipsSession) async throws -> Value,
        then apply: @escaping @Sendable (inout AppState, Value) -> Void
    ) -> Self {
        .store(
            StoreRequest(queue, superseding) { session, _ in
                try await read(session)
            } reply: { value in
                StoreRequest.Reply { apply(&$0, value) }
            })
    }

    /// A read of a clip for work on it, which another process may have deleted.
    static func readClip(_ id: Int64, then apply: @escaping @Sendable (inout AppState, Clip) -> Void) -> Self
    {
        .read {
            try await $0.store.clipIfStored(id)
        } then: {
            $0.typing.awaitsResult = false
            if let clip = $1 { return apply(&$0, clip) }
            if [.note(id), .deletion(id), .edit(id)].contains($0.typing.awaitedQuestion) {
                $0.cancelAwaitedQuestion()
            }
            $0.report($0.alreadyDeleted([id]), isError: true)
        }
    }

    static func save(_ work: Work) -> Self {
        .store(
            StoreRequest(.saves, .none, work: work) { session, unsaved in
                await work.outcome(in: session.store, unsaved)
            } reply: { outcome in
                StoreRequest.Reply(apply: { $0.finish(work, outcome) }, transaction: outcome.token?.number)
            })
    }
}
