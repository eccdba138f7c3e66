package import PersistentStore
import SQLite

extension SearchIndex {
    /// With more that is not yet in the index, the store is read instead.
    private static let mostUnindexed = 2000

    /// The next objects that a query admits, from the newest, or from what was left by an earlier search.
    ///
    /// Exactly those that the query admits in the snapshot, whatever state the index is in. Catches up first if that
    /// is little; never builds.
    package nonisolated func search(
        _ query: SearchQuery, sort: SearchSort = .newest, after cursor: SearchCursor? = nil,
        bounds: SearchBounds,
        in snapshot: StoreSnapshot
    ) throws -> SearchPage {
        try assumeIsolated { index in
            try index.searchByTier(query, sort: sort, after: cursor, bounds: bounds, in: snapshot)
        }
    }

    /// How many objects a query admits, counted up to a bound; false when there may be more.
    package nonisolated func count(
        _ query: SearchQuery, upTo bounds: SearchBounds, in snapshot: StoreSnapshot
    ) throws -> (count: Int, isAll: Bool) {
        let page = try search(query, bounds: bounds, in: snapshot)
        return (page.hits.count, page.next == nil)
    }

    private func searchByTier(
        _ query: SearchQuery, sort: SearchSort, after cursor: SearchCursor?, bounds: SearchBounds,
        in snapshot: StoreSnapshot
    ) throws -> SearchPage {
        _ = try advance(in: snapshot, mayBuild: false)
        let headings = query.inHeadings
        guard sort == .relevance, headings != query else {
            return try find(query, tier: 1, after: cursor, bounds: bounds, in: snapshot)
        }
        var page = SearchPage()
        if cursor.map({ $0.tier == 0 }) ?? true {
            page = try find(headings, tier: 0, after: cursor, bounds: bounds, in: snapshot)
            guard page.next == nil else { return page }
        }
        let left = SearchBounds(limit: bounds.limit - page.hits.count, mostRead: bounds.mostRead - page.read)
        guard left.limit > 0, left.mostRead > 0 else {
            page.next = SearchCursor(tier: 1, place: SearchPlace(created: .max, id: .max))
            return page
        }
        let rest = try find(
            query, except: headings, tier: 1, after: cursor?.tier == 1 ? cursor : nil, bounds: left,
            in: snapshot)
        page.hits += rest.hits
        page.next = rest.next
        page.read += rest.read
        page.isFromIndex = page.isFromIndex && rest.isFromIndex
        return page
    }

    private func find(
        _ query: SearchQuery, except: SearchQuery? = nil, tier: Int, after cursor: SearchCursor?,
        bounds: SearchBounds, in snapshot: StoreSnapshot
    ) throws -> SearchPage {
        let start = cursor?.place ?? SearchPlace(created: .max, id: .max)
        let store = StoreScan(self, snapshot, bounds)
        let page = try use(.reading) { connection, vocabulary -> SearchPage? in
            guard let record = try IndexRecord(connection), (try? snapshot.check(record.cursor)) != nil,
                try !snapshot.hasMoreChanges(after: record.cursor, than: Self.mostUnindexed)
            else { return nil }
            // Some megabytes for a large store, which a search for stars or authors alone does without.
            if Candidates.needsWords(query) {
                try vocabulary.refresh(edition: record.edition, from: connection)
            }
            let news = try changes(after: record.cursor, limit: .max, snapshot).objects
            let candidates = Candidates(query, vocabulary)
            let source = try IndexScan(candidates, record, news: Set(news), after: start, connection)
            let unindexed = try documents(news, snapshot).filter { $0.place < start }
            var run = SearchRun(query, except: except, tier: tier, after: start, candidates, bounds, store)
            return try run.run(source, unindexed: unindexed, connection)
        }
        if let page, let page { return page }
        var run = SearchRun(
            query, except: except, tier: tier, after: start, Candidates(query, Vocabulary()), bounds, store)
        return try run.runWithoutIndex()
    }
}
