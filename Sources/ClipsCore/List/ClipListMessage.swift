package import LiveQuery
package import SearchIndex

/// A message to a list of clips, in the order of the store's snapshots.
package enum ClipListMessage: Sendable {
    case list(LiveMessage<ClipRow>)
    /// The difference between the clips of the list and those of its query.
    case deviates(SearchDeviation, generation: Int)
    /// The numbers of the tags and sites.
    case facets(ClipFacets)
    /// The progress of the search index. Searches are correct without it, but slower.
    case indexing(SearchIndexState, wasBehind: Bool)
    /// The state of the mirror, in a few words, empty if all is well; and the number of unresolved conflicts.
    case mirror(String, conflicts: Int)
}

/// The difference between the clips of a list and those of its query.
package struct SearchDeviation: Hashable, Sendable {
    /// The filter whose matches the list shows because its own has none; nil for its own.
    package var correction: String?
    /// Whether the matches are in the order of time, since the index is too far behind to rank them.
    package var isUnranked: Bool

    package init(correction: String? = nil, isUnranked: Bool = false) {
        (self.correction, self.isUnranked) = (correction, isUnranked)
    }
}

extension SearchIndexState {
    /// A note about the search index for the user; empty if it is ready.
    package var note: String {
        switch self {
        case .ready: ""
        case .building(let done, let total): "search index \(done * 100 / max(1, total))%"
        case .finishing: "search index 99%"
        case .unavailable: "searching without an index"
        }
    }
}
