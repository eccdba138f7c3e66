package import HistoryTracking
import PersistentStore
package import SearchIndex

/// A message to a list of clips, in the order of the store's snapshots.
package enum ClipListMessage: Sendable {
    /// Rows for a request, or, without a request, for a full refresh.
    case window(LiveList<ClipRow>.Window, generation: Int)
    case more([ClipRow], LiveList<ClipRow>.Direction, reachedEdge: Bool, requestNumber: Int, generation: Int)
    case count(Int, generation: Int)
    case changes([LiveList<ClipRow>.Change], generation: Int)
    /// The committed transactions, after the changes that they made.
    case transactions([TransactionSummary])
    /// The last transaction that the delivered window includes.
    case reached(Int64)
    case state(TrackingState)
    /// The progress of the search index. Searches are correct without it, but slower.
    case indexing(SearchIndexState)
    /// The error of a request.
    case failed(String, requestNumber: Int?, generation: Int)
}

extension ClipListMessage {
    /// A note about the search index for the user: empty if it is ready, nil for other messages.
    package var indexingNote: String? {
        guard case .indexing(let state) = self else { return nil }
        switch state {
        case .ready: return ""
        case .building(let done, let total): return "search index \(done * 100 / max(1, total))%"
        case .finishing: return "search index 99%"
        case .unavailable: return "searching without an index"
        }
    }
}

/// The answer to a request of a list.
struct ClipListAnswer {
    let request: LiveList<ClipRow>.Request
    let generation: Int

    func message(_ pages: some ListPages, in snapshot: borrowing StoreSnapshot) throws(StoreError)
        -> ClipListMessage
    {
        var window: LiveList<ClipRow>.Window
        switch request.kind {
        case .after(let position, let limit):
            return more(try pages.after(position, limit: limit, in: snapshot), .after)
        case .before(let position, let limit):
            return more(try pages.before(position, limit: limit, in: snapshot), .before)
        case .start(let limit): window = try pages.start(limit: limit, in: snapshot)
        case .end(let limit): window = try pages.end(limit: limit, in: snapshot)
        case .around(let position, let before, let after):
            window = try pages.around(position, before: before, after: after, in: snapshot)
        case .at(let index, let before, let after):
            window = try pages.at(index, before: before, after: after, in: snapshot)
        }
        window.requestNumber = request.number
        return .window(window, generation: generation)
    }

    private func more(
        _ page: (rows: [ClipRow], reachesEdge: Bool), _ direction: LiveList<ClipRow>.Direction
    ) -> ClipListMessage {
        .more(
            page.rows, direction, reachedEdge: page.reachesEdge, requestNumber: request.number,
            generation: generation)
    }
}
