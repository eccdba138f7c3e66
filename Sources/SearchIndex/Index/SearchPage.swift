/// Which of the matches come first.
package enum SearchSort: Hashable, Sendable {
    case newest
    /// What has all words in title and tags, then the rest; newer before older in both.
    case relevance
}

/// Where a search goes on.
package struct SearchCursor: Hashable, Sendable {
    /// 0 for what has all words in title and tags, 1 for the rest.
    let tier: Int
    /// Everything not older than this has been looked at.
    package let place: SearchPlace
}

extension SearchCursor {
    /// For what is older than a place, from the newest on.
    package init(after place: SearchPlace) { self.init(tier: 1, place: place) }
}

/// A stretch of the objects that a query admits.
package struct SearchPage: Sendable {
    package internal(set) var hits: [SearchHit] = []
    /// Where to go on; nil when there is nothing more.
    package internal(set) var next: SearchCursor?
    /// How many objects were read one by one, as the index could not tell.
    package internal(set) var read = 0
    /// False when the index was not there, or not complete, and the store was read instead.
    package internal(set) var isFromIndex = true
}

package struct SearchHit: Hashable, Sendable {
    package let place: SearchPlace
    /// Lower comes first.
    package let tier: Int

    package var id: Int64 { place.id }
}

/// How much one search does before it says how far it came.
package struct SearchBounds: Hashable, Sendable {
    package var limit: Int
    /// Objects that may be read one by one.
    package var mostRead: Int

    package init(limit: Int, mostRead: Int = .max) {
        self.limit = limit
        self.mostRead = mostRead
    }
}
