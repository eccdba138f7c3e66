package import PersistentStore
package import SearchIndex

/// A search of a store: the hits of one state of it, whose clips are read one page at a time.
package struct ClipSearch {
    private let query: SearchQuery
    private let sort: SearchSort
    private let limit: Int
    private let store: ClipStore
    /// The hits without the pages already returned; nil before the first.
    private var left: ArraySlice<Int64>?
    /// Whether no clip was omitted because of the limit, known after the first page.
    package private(set) var isAtEnd = false

    private static let pageSize = 200

    package init(_ query: SearchQuery, sort: SearchSort, limit: Int, in store: ClipStore) {
        (self.query, self.sort, self.limit, self.store) = (query, sort, limit, store)
    }

    /// Returns the next clips, without deleted ones; nil at the end.
    package mutating func next() async throws(StoreError) -> [Clip]? {
        try await next { hits, snapshot throws(StoreError) in try ClipStore.clips(hits, in: snapshot) }
    }

    /// Returns the next hits, read by `body` from a snapshot; nil at the end.
    ///
    /// A page that begins at a position would skip a clip that another process moves before it is read.
    mutating func next<Element: Sendable>(
        _ body: @Sendable (_ hits: [Int64], borrowing StoreSnapshot) throws(StoreError) -> [Element]
    ) async throws(StoreError) -> [Element]? {
        guard limit > 0, left?.isEmpty != true else { return nil }
        let (query, sort, limit, known, index) = (query, sort, limit, left, store.index)
        let (found, elements) = try await store.container.read { snapshot throws(StoreError) in
            let found =
                if let known { (hits: known, isAtEnd: false) } else {
                    try Self.hits(query, sort, limit, index, snapshot)
                }
            return (found, try body(Array(found.hits.prefix(Self.pageSize)), snapshot))
        }
        if left == nil { isAtEnd = found.isAtEnd }
        left = found.hits.dropFirst(Self.pageSize)
        return elements
    }

    private static func hits(
        _ query: SearchQuery, _ sort: SearchSort, _ limit: Int, _ index: SearchIndex,
        _ snapshot: borrowing StoreSnapshot
    ) throws(StoreError) -> (hits: ArraySlice<Int64>, isAtEnd: Bool) {
        guard sort == .relevance else {
            let page = try index.search(query, bounds: SearchBounds(limit: limit), in: snapshot)
            return (page.hits.map(\.id)[...], page.next == nil)
        }
        var ranking = SearchRanking(query, limit: limit)
        while !ranking.isComplete { try ranking.extend(with: index, in: snapshot) }
        return (ranking.hits.map(\.id)[...], ranking.isAtEnd)
    }

    /// Returns the number of clips that the query admits, and whether counting ended before all were read.
    package func count() async throws(StoreError) -> (count: Int, isAll: Bool) {
        let (query, index) = (query, store.index)
        let bounds = SearchBounds(limit: .max, maxRead: Self.maxCounted)
        return try await store.container.read { snapshot throws(StoreError) in
            try index.count(query, upTo: bounds, in: snapshot)
        }
    }

    /// The number of clips that counting reads individually, in a second or two.
    private static let maxCounted = 100_000
}

extension ClipStore {
    /// Returns the query with close words for those that no clip has; nil if there are none.
    package func correction(of query: SearchQuery) async throws(StoreError) -> SearchQuery? {
        try await container.read { [index] snapshot throws(StoreError) in
            try index.correction(of: query, in: snapshot)
        }
    }
}
