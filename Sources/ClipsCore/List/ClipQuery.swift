package import PersistentStore

/// Which clips a list shows, and in what order.
package struct ClipQuery: Hashable, Sendable {
    /// Words that a clip must contain, each anywhere in its title, address, tags, text, note or author.
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

    package var predicate: Predicate? {
        let words = filter.split { $0.isWhitespace }
        guard !words.isEmpty else { return nil }
        let places: [ClipAttribute] = [.title, .url, .tags, .text, .note, .author]
        return .and(words.map { word in .or(places.map { .contains($0.rawValue, String(word)) }) })
    }

    package var request: FetchRequest {
        var request = FetchRequest(ClipModel.entity, where: predicate, sort: sort)
        request.attributes = ClipModel.listAttributes
        return request
    }
}
