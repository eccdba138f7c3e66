package import HistoryTracking
package import PersistentStore

/// A row of a live list that is made from a stored object.
package protocol StoredRow: LiveListRow where ID == Int64, Position == SortPosition {
    /// The form in which a list of such rows receives a transaction.
    associatedtype Commit: Sendable = HistoryTransaction

    init(_ object: StoredObject, position: SortPosition)
}

/// A message of a source to its list, in the order of the store's snapshots.
package enum LiveMessage<Row: StoredRow>: Sendable {
    /// Rows for a request, or, without a request, for a full refresh.
    case window(LiveList<Row>.Window, generation: Int)
    case more([Row], LiveList<Row>.Direction, reachedEdge: Bool, requestNumber: Int, generation: Int)
    case count(Int, generation: Int)
    case changes([LiveList<Row>.Change], generation: Int)
    /// The committed transactions, after the changes that they made.
    case transactions([Row.Commit])
    /// The last transaction that the delivered window includes.
    case reached(Int64)
    case state(TrackingState)
    /// The error of a request; without a request, of the list.
    case failed(StoreError, requestNumber: Int?, generation: Int)
}

extension LiveMessage {
    /// Whether the tracking has ended.
    var isEnd: Bool {
        if case .state(.stopped) = self { true } else { false }
    }
}

extension LiveList.Request where Row: StoredRow {
    /// Returns the answer to the request.
    func answer(
        _ pages: any ListPages<Row>, _ generation: Int, in snapshot: borrowing StoreSnapshot
    ) throws(StoreError) -> LiveMessage<Row> {
        var window: LiveList<Row>.Window
        switch kind {
        case .after(let position, let limit):
            return more(try pages.after(position, limit: limit, in: snapshot), .after, generation)
        case .before(let position, let limit):
            return more(try pages.before(position, limit: limit, in: snapshot), .before, generation)
        case .start(let limit): window = try pages.start(limit: limit, in: snapshot)
        case .end(let limit): window = try pages.end(limit: limit, in: snapshot)
        case .around(let position, let before, let after):
            window = try pages.around(position, before: before, after: after, in: snapshot)
        case .at(let index, let before, let after):
            window = try pages.at(index, before: before, after: after, in: snapshot)
        }
        window.requestNumber = number
        return .window(window, generation: generation)
    }

    private func more(
        _ page: ([Row], reachesEdge: Bool), _ direction: LiveList<Row>.Direction, _ generation: Int
    ) -> LiveMessage<Row> {
        .more(
            page.0, direction, reachedEdge: page.reachesEdge, requestNumber: number, generation: generation)
    }

    /// Returns the number of objects that the answer needs.
    func reach(in order: some ListOrder, _ snapshot: borrowing StoreSnapshot) throws(StoreError) -> Int {
        switch kind {
        case .start(let limit): limit
        case .end: .max
        case .after(let position, let limit): try order.index(of: position, in: snapshot) + 1 + limit
        case .before: 0
        case .around(let position, _, let after): try order.index(around: position, in: snapshot) + after
        case .at(let index, _, let after): index + after
        }
    }
}
