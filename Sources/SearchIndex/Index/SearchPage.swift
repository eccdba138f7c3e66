/// The order of the matches.
package enum SearchSort: Hashable, Sendable {
    case newest
    /// See ``SearchRanking``.
    case relevance
}

/// The position at which a search continues.
package struct SearchCursor: Hashable, Sendable {
    /// The oldest position that has been searched.
    package let position: SearchPosition
}

extension SearchCursor {
    /// Creates a cursor for objects older than a position, newest first.
    package init(after position: SearchPosition) { self.init(position: position) }
}

/// A range of the objects that a query admits.
package struct SearchPage: Sendable {
    package internal(set) var hits: [SearchHit] = []
    /// The cursor for the next page; nil at the end.
    package internal(set) var next: SearchCursor?
    /// The number of objects that were read individually because the index could not decide.
    package internal(set) var read = 0
    /// Whether all hits come from the index. False if it was missing or incomplete and the store was read.
    package internal(set) var isFromIndex = true
}

package struct SearchHit: Hashable, Sendable {
    package let position: SearchPosition

    package var id: Int64 { position.id }
}

/// The limits of one search.
package struct SearchBounds: Hashable, Sendable {
    package var limit: Int
    /// The maximum number of objects to read individually.
    package var maxRead: Int

    package init(limit: Int, maxRead: Int = .max) {
        self.limit = limit
        self.maxRead = maxRead
    }
}
