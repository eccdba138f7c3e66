package import HistoryTracking
package import LiveQuery
import PersistentStore
package import SearchIndex

/// A message to a list of clips, in the order of the store's snapshots.
package enum ClipListMessage: Sendable {
    /// Rows for a request, or, without a request, for a full refresh.
    case window(LiveList<ClipRow>.Window, generation: Int)
    case more([ClipRow], LiveList<ClipRow>.Direction, reachedEdge: Bool, requestNumber: Int, generation: Int)
    case count(Int, generation: Int)
    /// The filter whose matches the list shows because its own has none; nil for its own.
    case corrected(filter: String?, generation: Int)
    case changes([LiveList<ClipRow>.Change], generation: Int)
    /// The committed transactions, after the changes that they made.
    case transactions([TransactionSummary])
    /// The last transaction that the delivered window includes.
    case reached(Int64)
    case state(TrackingState)
    /// The progress of the search index. Searches are correct without it, but slower.
    case indexing(SearchIndexState)
    /// The state of the mirror, in a few words, empty if all is well; and the number of unresolved conflicts.
    case mirror(String, conflicts: Int)
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

extension ClipListMessage {
    init(_ message: LiveMessage<ClipRow>, ownSession: Int64?) {
        self =
            switch message {
            case .window(let window, let generation): .window(window, generation: generation)
            case .more(let rows, let direction, let reachedEdge, let number, let generation):
                .more(
                    rows, direction, reachedEdge: reachedEdge, requestNumber: number, generation: generation)
            case .count(let count, let generation): .count(count, generation: generation)
            case .changes(let changes, let generation): .changes(changes, generation: generation)
            case .transactions(let transactions):
                .transactions(transactions.map { TransactionSummary($0, ownSession: ownSession) })
            case .reached(let number): .reached(number)
            case .state(let state): .state(state)
            case .failed(let error, let number, let generation):
                .failed(error.sentence, requestNumber: number, generation: generation)
            }
    }
}
