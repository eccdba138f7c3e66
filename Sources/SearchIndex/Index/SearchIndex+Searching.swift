package import PersistentStore
import SQLite

extension SearchIndex {
    /// With more changes than this after the index's cursor, the store is read instead.
    private static let maxUnindexed = 2000

    /// Returns the next objects that a query admits, starting with the newest or after a cursor.
    ///
    /// The result is exactly the objects that the query admits in the snapshot, regardless of the state of
    /// the index. Catches up first if few changes are missing; never starts a backfill.
    package nonisolated func search(
        _ query: SearchQuery, after cursor: SearchCursor? = nil, bounds: SearchBounds,
        in snapshot: borrowing StoreSnapshot
    ) throws(StoreError) -> SearchPage {
        try assumeIsolated { index in
            Result { () throws(StoreError) in
                try index.find(query, after: cursor, bounds: bounds, in: snapshot)
            }
        }.get()
    }

    /// Returns the number of objects that a query admits, counted up to a bound, and whether that is all of
    /// them.
    package nonisolated func count(
        _ query: SearchQuery, upTo bounds: SearchBounds, in snapshot: borrowing StoreSnapshot
    ) throws(StoreError) -> (count: Int, isAll: Bool) {
        let page = try search(query, bounds: bounds, in: snapshot)
        return (page.hits.count, page.next == nil)
    }

    private func find(
        _ query: SearchQuery, after cursor: SearchCursor?, bounds: SearchBounds,
        in snapshot: borrowing StoreSnapshot
    ) throws(StoreError) -> SearchPage {
        _ = try advance(in: snapshot, mayBuild: false)
        let start = cursor?.position ?? SearchPosition(created: .max, id: .max)
        let store = StoreScan(self, bounds)
        let page = try use(.reading) { connection, vocabulary -> SearchPage? in
            guard let record = try IndexRecord(connection), (try? snapshot.check(record.cursor)) != nil,
                try record.isOf(snapshot),
                try !snapshot.hasMoreChanges(after: record.cursor, than: Self.maxUnindexed)
            else { return nil }
            // Several megabytes for a large store; a search for stars or authors alone does not need them.
            if Candidates.needsWords(query) {
                try vocabulary.refresh(edition: record.edition, from: connection)
            }
            let news = try changes(after: record.cursor, limit: .max, snapshot).objects
            let candidates = Candidates(query, vocabulary)
            let source = try IndexScan(candidates, record, news: Set(news), after: start, connection)
            let unindexed = try store.positions(in: news, snapshot) {
                $0.position < start && query.matches($0)
            }
            var run = SearchRun(query, after: start, candidates, bounds, store)
            return try run.run(source, unindexed: unindexed.admitted, connection, in: snapshot)
        }
        if let page, let page { return page }
        var run = SearchRun(query, after: start, Candidates(query, Vocabulary()), bounds, store)
        return try run.runWithoutIndex(in: snapshot)
    }
}
