package import HistoryTracking
package import LiveQuery
package import PersistentStore
import SearchIndex

extension ClipQuery: LiveListQuery {}

/// The store's side of a list of clips: the live query of its rows, filtered by searches.
package struct ClipListSource: HistoryConsumer {
    let container: PersistentContainer
    let index: SearchIndex
    private let list: LiveSource<ClipQuery, ClipRow>

    /// - Parameter deliver: A closure called in order, on the reader's thread; must not block.
    package init(
        store: ClipStore, query: ClipQuery = ClipQuery(), rowsAround: Int = 100,
        deliver: @escaping @Sendable ([ClipListMessage]) -> Void
    ) {
        let (index, session) = (store.index, store.session)
        container = store.container
        self.index = index
        list = LiveSource(
            query, in: store.container, rowsAround: rowsAround,
            select: { $0.admitsAll ? nil : ClipSelection($0, index) },
            deliver: { deliver($0.map { ClipListMessage($0, ownSession: session) }) })
    }

    package var batchLimit: BatchLimit { list.batchLimit }

    package func refresh(from snapshot: borrowing StoreSnapshot) throws { try list.refresh(from: snapshot) }

    package func consume(_ transactions: [HistoryTransaction], in snapshot: borrowing StoreSnapshot) throws {
        try list.consume(transactions, in: snapshot)
    }

    package func trackingDidChange(_ state: TrackingState) { list.trackingDidChange(state) }

    /// See ``LiveSource/answer(_:generation:anchor:)``.
    package func answer(_ request: LiveList<ClipRow>.Request, generation: Int, anchor: SortPosition?) async {
        await list.answer(request, generation: generation, anchor: anchor)
    }

    /// See ``LiveSource/show(_:generation:anchor:around:)``.
    package func show(
        _ query: ClipQuery, generation: Int, anchor: SortPosition?, around clip: Int64? = nil
    ) async {
        await list.show(query, generation: generation, anchor: anchor, around: clip)
    }

    /// See ``LiveSource/keys(_:from:through:limit:)``.
    package func ids(
        _ query: ClipQuery, from first: SortPosition, through last: SortPosition, limit: Int
    ) async throws(StoreError) -> [Int64] {
        try await list.keys(query, from: first, through: last, limit: limit)
    }
}
