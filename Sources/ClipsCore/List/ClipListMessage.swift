package import HistoryTracking
package import SearchIndex

/// What a list of clips is told, in the order of the store's snapshots.
package enum ClipListMessage: Sendable {
    /// Rows for a request, or unasked when everything was read anew.
    case window(LiveList<ClipRow>.Window, generation: Int)
    case more([ClipRow], LiveList<ClipRow>.Direction, reachedEdge: Bool, requestNumber: Int, generation: Int)
    case count(Int, generation: Int)
    case changes([LiveList<ClipRow>.Change], generation: Int)
    /// What was committed, for who wants to say so; comes after the changes it made.
    case transactions([TransactionSummary])
    /// The window just delivered holds everything up to this transaction.
    case reached(Int64)
    case state(TrackingState)
    /// How far the search index is, while it is made; searches are right meanwhile, but slower.
    case indexing(SearchIndexState)
    /// A request that the store could not answer, and why.
    case failed(String, requestNumber: Int?, generation: Int)
}

extension ClipListMessage {
    /// How far the search index is, for a person: empty when it is ready, nil for other messages.
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
