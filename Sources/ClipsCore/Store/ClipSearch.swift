package import PersistentStore
package import SearchIndex

/// A search of the store from its beginning to its end, a page at a time.
package struct ClipSearch {
    private let query: SearchQuery
    private let sort: SearchSort
    private let store: ClipStore
    private let index: SearchIndex
    private var cursor: SearchCursor?
    private var left: Int
    /// False when the store itself was read, as there is no index or not all of it.
    package private(set) var isFromIndex = true

    private static let page = 200

    package init(_ query: SearchQuery, sort: SearchSort, limit: Int, in store: ClipStore) {
        self.query = query
        self.sort = sort
        self.store = store
        left = limit
        index = SearchIndex(store.container, ClipModel.searched)
    }

    /// Brings the index up to date first; a store is searched without it where that cannot be.
    package func prepare(progress: (SearchIndexState) -> Void = { _ in }) async throws(StoreError)
        -> SearchIndexState
    {
        try await index.bringUpToDate(progress: progress)
    }

    /// The next clips, or nil after the last.
    package mutating func next() async throws(StoreError) -> [Clip]? {
        guard let hits = try await nextHits() else { return nil }
        return try await store.clips(hits.map(\.id))
    }

    mutating func nextHits() async throws(StoreError) -> [SearchHit]? {
        guard left > 0 else { return nil }
        let (query, sort, index, after) = (query, sort, index, cursor)
        let bounds = SearchBounds(limit: min(left, Self.page), maxRead: 20_000)
        let page = try await store.container.read { snapshot in
            try index.search(query, sort: sort, after: after, bounds: bounds, in: snapshot)
        }
        cursor = page.next
        left = page.next == nil ? 0 : left - page.hits.count
        isFromIndex = isFromIndex && page.isFromIndex
        return page.hits
    }
}
