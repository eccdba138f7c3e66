package import PersistentStore
package import SearchIndex

/// A search of a store, one page at a time.
package struct ClipSearch {
    private let query: SearchQuery
    private let sort: SearchSort
    private let store: ClipStore
    private var cursor: SearchCursor?
    private var ranking: SearchRanking
    private var ranked: ArraySlice<Int64> = []
    private var left: Int
    /// Whether all hits came from the index. False if it was missing or incomplete and the store was read.
    package private(set) var isFromIndex = true
    /// Whether no clip was omitted because of the limit, known at the end.
    package private(set) var isAtEnd = false

    private static let pageSize = 200

    package init(_ query: SearchQuery, sort: SearchSort, limit: Int, in store: ClipStore) {
        self.query = query
        self.sort = sort
        self.store = store
        ranking = SearchRanking(query, limit: limit)
        left = limit
    }

    /// Returns the next clips; nil at the end.
    package mutating func next() async throws(StoreError) -> [Clip]? {
        try await next { hits, snapshot throws(StoreError) in try ClipStore.clips(hits, in: snapshot) }
    }

    /// Returns the next hits, read by `body` from a snapshot; nil at the end.
    mutating func next<Element: Sendable>(
        _ body: @Sendable (_ hits: [Int64], borrowing StoreSnapshot) throws(StoreError) -> [Element]
    ) async throws(StoreError) -> [Element]? {
        guard left > 0 else { return nil }
        return sort == .relevance ? try await nextRanked(body) : try await nextNewest(body)
    }

    private mutating func nextNewest<Element: Sendable>(
        _ body: @Sendable (_ hits: [Int64], borrowing StoreSnapshot) throws(StoreError) -> [Element]
    ) async throws(StoreError) -> [Element] {
        let (query, index, after) = (query, store.index, cursor)
        let bounds = SearchBounds(limit: min(left, Self.pageSize), maxRead: 20_000)
        let (page, elements) = try await store.container.read { snapshot throws(StoreError) in
            let page = try index.search(query, after: after, bounds: bounds, in: snapshot)
            return (page, try body(page.hits.map(\.id), snapshot))
        }
        cursor = page.next
        isAtEnd = page.next == nil
        left = isAtEnd ? 0 : left - page.hits.count
        isFromIndex = isFromIndex && page.isFromIndex
        return elements
    }

    private mutating func nextRanked<Element: Sendable>(
        _ body: @Sendable (_ hits: [Int64], borrowing StoreSnapshot) throws(StoreError) -> [Element]
    ) async throws(StoreError) -> [Element] {
        while !ranking.isComplete {
            let (begun, index) = (ranking, store.index)
            ranking = try await store.container.read { snapshot throws(StoreError) in
                var ranking = begun
                try ranking.extend(with: index, in: snapshot)
                return ranking
            }
            ranked = ranking.hits.map(\.id)[...]
        }
        let page = Array(ranked.prefix(Self.pageSize))
        ranked = ranked.dropFirst(page.count)
        if ranked.isEmpty { left = 0 }
        (isAtEnd, isFromIndex) = (ranking.isAtEnd, ranking.isFromIndex)
        return try await store.container.read { snapshot throws(StoreError) in try body(page, snapshot) }
    }

    /// Returns the number of clips that the query admits, and whether counting ended before all were read.
    package func count() async throws(StoreError) -> (count: Int, isAll: Bool) {
        var (count, read, cursor) = (0, 0, SearchCursor?.none)
        let (query, index, bounds) = (query, store.index, SearchBounds(limit: 10_000, maxRead: 10_000))
        repeat {
            let after = cursor
            let page = try await store.container.read { snapshot throws(StoreError) in
                try index.search(query, after: after, bounds: bounds, in: snapshot)
            }
            count += page.hits.count
            read += page.read
            cursor = page.next
        } while cursor != nil && read < Self.maxCounted
        return (count, cursor == nil)
    }

    /// Returns the query with close words for those that no clip has; nil if there are none.
    package func correction() async throws(StoreError) -> SearchQuery? {
        let (query, index) = (query, store.index)
        return try await store.container.read { snapshot throws(StoreError) in
            try index.correction(of: query, in: snapshot)
        }
    }

    /// The number of clips that counting reads individually, in a second or two.
    private static let maxCounted = 100_000
}
