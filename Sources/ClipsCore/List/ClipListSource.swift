package import HistoryTracking
package import LiveQuery
package import PersistentStore
import SearchIndex
import Synchronization

extension ClipQuery: LiveListQuery {}

/// The store's side of a list of clips: the live query of its rows, filtered by searches.
package struct ClipListSource: HistoryConsumer {
    let container: PersistentContainer
    let index: SearchIndex
    package let list: LiveSource<ClipQuery, ClipRow>
    private let facets = FacetCounter()
    private let orphans: OrphanRemoval
    private let title = DeliveredTitle()
    private let deliver: @Sendable ([ClipListMessage]) -> Void

    /// - Parameter deliver: A closure called in order, on the reader's thread; must not block.
    package init(
        store: ClipStore, query: ClipQuery = ClipQuery(), rowsAround: Int = 100,
        deliver: @escaping @Sendable ([ClipListMessage]) -> Void
    ) {
        let (index, session) = (store.index, store.session)
        (container, orphans) = (store.container, OrphanRemoval(in: store))
        self.index = index
        self.deliver = deliver
        let deviation = DeviationReport()
        list = LiveSource(
            query, in: store.container, rowsAround: rowsAround,
            select: { query in
                deviation.set(SearchDeviation())
                guard !query.admitsAll else { return nil }
                return query.selection(index) { deviation.set($0) }
            },
            commit: { [title] transaction in
                var summary = TransactionSummary(transaction, ownSession: session)
                summary.clipTitle = title.ofClip(in: summary.id)
                return summary
            },
            deliver: { messages in
                deliver(messages.flatMap { deviation.news(before: $0) + [.list($0)] })
            })
    }

    package var batchLimit: BatchLimit { list.batchLimit }

    package func refresh(from snapshot: borrowing StoreSnapshot) throws {
        try list.refresh(from: snapshot)
        try facets.refresh(from: snapshot)
        continueCounting()
        orphans.beginAfterRefresh()
    }

    package func consume(_ transactions: [HistoryTransaction], in snapshot: borrowing StoreSnapshot) throws {
        // The last one is shown as a message, which is delivered with the name of its clip.
        if let last = transactions.last {
            title.set(try snapshot.titleOfOnlyClip(in: last), of: last.number)
        }
        try list.consume(transactions, in: snapshot)
        if let facets = try facets.consume(transactions, in: snapshot) { deliver([.facets(facets)]) }
        continueCounting()
        orphans.begin(after: transactions)
    }

    private func continueCounting() {
        if facets.isCounting { Task { try? await countFacets() } }
    }

    /// Counts tags and sites, in steps between which other requests are answered, and delivers their numbers then and
    /// after each change. After a commit, the counting continues once the commit is consumed.
    package func countFacets() async throws(StoreError) {
        facets.begin()
        var isDone = false
        while !isDone {
            let step = try await container.read { [facets] snapshot throws(StoreError) in
                try facets.readMore(in: snapshot)
            }
            guard let step else { return }
            if let numbers = step.facets { deliver([.facets(numbers)]) }
            isDone = step.isDone
        }
    }

    /// Returns all tags, authors, and sites, the most used first.
    package func names() async throws(StoreError) -> KnownNames {
        try await countFacets()
        // A commit may have interrupted the first count.
        return facets.isCounting ? try await FacetCounter.names(in: container) : facets.names
    }

    package func trackingDidChange(_ state: TrackingState) { list.trackingDidChange(state) }
}

/// The title of the clip of a transaction that is being delivered.
private final class DeliveredTitle: Sendable {
    private let title = Mutex<(transaction: Int64, title: String?)>((0, nil))

    func set(_ text: String?, of transaction: Int64) { title.withLock { $0 = (transaction, text) } }

    func ofClip(in transaction: Int64) -> String? {
        title.withLock { $0.transaction == transaction ? $0.title : nil }
    }
}

/// The difference between the present clips and those of the query, reported before their rows.
private final class DeviationReport: Sendable {
    private struct State {
        var present = SearchDeviation()
        var reported = (SearchDeviation(), generation: 0)
    }

    private let state = Mutex(State())

    func set(_ deviation: SearchDeviation) { state.withLock { $0.present = deviation } }

    func news(before message: LiveMessage<ClipRow>) -> [ClipListMessage] {
        let generation: Int
        switch message {
        case .window(_, let number), .count(_, let number): generation = number
        default: return []
        }
        return state.withLock { state in
            let isNone = [state.present, state.reported.0].allSatisfy { $0 == SearchDeviation() }
            guard !isNone, state.reported != (state.present, generation) else { return [] }
            state.reported = (state.present, generation)
            return [.deviates(state.present, generation: generation)]
        }
    }
}
