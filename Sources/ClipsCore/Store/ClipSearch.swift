package import PersistentStore
package import SearchIndex

/// A search of a store, one page at a time.
package struct ClipSearch {
    private let query: SearchQuery
    private let sort: SearchSort
    private let store: ClipStore
    private var cursor: SearchCursor?
    private var left: Int
    /// Whether all hits came from the index. False if it was missing or incomplete and the store was read.
    package private(set) var isFromIndex = true

    private static let pageSize = 200

    package init(_ query: SearchQuery, sort: SearchSort, limit: Int, in store: ClipStore) {
        self.query = query
        self.sort = sort
        self.store = store
        left = limit
    }

    /// Returns the next clips; nil at the end.
    package mutating func next() async throws(StoreError) -> [Clip]? {
        try await next { hits, snapshot throws(StoreError) in try ClipStore.clips(hits, in: snapshot) }
    }

    /// Returns the next hits, read by `body` from the snapshot that was searched; nil at the end.
    mutating func next<Element: Sendable>(
        _ body: @Sendable (_ hits: [Int64], borrowing StoreSnapshot) throws(StoreError) -> [Element]
    ) async throws(StoreError) -> [Element]? {
        guard left > 0 else { return nil }
        let (query, sort, index, after) = (query, sort, store.index, cursor)
        let bounds = SearchBounds(limit: min(left, Self.pageSize), maxRead: 20_000)
        let (page, elements) = try await store.container.read { snapshot throws(StoreError) in
            let page = try index.search(query, sort: sort, after: after, bounds: bounds, in: snapshot)
            return (page, try body(page.hits.map(\.id), snapshot))
        }
        cursor = page.next
        left = page.next == nil ? 0 : left - page.hits.count
        isFromIndex = isFromIndex && page.isFromIndex
        return elements
    }
}
