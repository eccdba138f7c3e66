package import PersistentStore
package import SearchIndex

/// Which clips a list shows, and in what order.
package struct ClipQuery: Hashable, Sendable {
    /// What a person typed to find clips; see `SearchQuery` for what it may be.
    package var filter: String
    package var sort: SortOrder

    package static let newestFirst = SortOrder(ClipAttribute.created.rawValue, isAscending: false)

    package init(filter: String = "", sort: SortOrder = ClipQuery.newestFirst) {
        self.filter = filter
        self.sort = sort
    }

    /// What `--sort` understands; times and the star count from the newest, words from A.
    package static func sort(named name: String) -> SortOrder? {
        switch ClipAttribute(rawValue: name) {
        case .created, .updated, .starred, .unread: SortOrder(name, isAscending: false)
        case .title, .url, .author, .tags: SortOrder(name)
        default: nil
        }
    }

    /// The filter as it is understood now; words like `yesterday` mean another day tomorrow.
    package var search: SearchQuery { SearchQuery(filter) }

    package var admitsAll: Bool { search.isEmpty }

    /// A word of the filter that has no meaning, as a sentence; while it is typed, only one that more letters
    /// cannot help.
    package func problem(isTyping: Bool) -> String? {
        search.problems.first { !isTyping || !$0.isUnfinished }?.description
    }

    package func hasSameFilter(as other: ClipQuery) -> Bool { search == other.search }

    /// Whether the store keeps an index in this order.
    var isSortedByIndex: Bool {
        sort.attribute == "id" || ClipAttribute(rawValue: sort.attribute).map(ClipModel.isIndexed) ?? false
    }

    /// All clips in the order of the query; the filter is not in it.
    package var request: FetchRequest {
        var request = FetchRequest(ClipModel.entity, sort: sort)
        request.attributes = ClipModel.listAttributes
        return request
    }
}
