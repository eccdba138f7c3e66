import PersistentStore
import SQLite

/// One search: takes candidates from the index, reads the objects that it cannot decide, and stops at the
/// bounds.
struct SearchRun {
    private let query: SearchQuery
    private let candidates: Candidates
    private let bounds: SearchBounds
    private let store: StoreScan
    private var page = SearchPage()
    private var last: SearchPosition
    private var isFull = false

    init(
        _ query: SearchQuery, after start: SearchPosition, _ candidates: Candidates, _ bounds: SearchBounds,
        _ store: StoreScan
    ) {
        self.query = query
        self.candidates = candidates
        self.bounds = bounds
        self.store = store
        last = start
    }

    /// Searches the store without the index.
    mutating func runWithoutIndex(in snapshot: borrowing StoreSnapshot) throws(StoreError) -> SearchPage {
        page.isFromIndex = false
        try scanStore(snapshot)
        return page
    }

    /// Searches the index, then the part of the store that is not indexed.
    ///
    /// - Parameter unindexed: the matches among the objects that changed after the index's cursor.
    mutating func run(
        _ source: IndexScan, unindexed: [SearchPosition], _ connection: borrowing Connection,
        in snapshot: borrowing StoreSnapshot
    ) throws -> SearchPage {
        guard source.expression != nil || source.isAtEnd else {
            try scanStore(snapshot)
            return page
        }
        var source = source
        var late = source.late[...]
        var unindexed = unindexed.sorted(by: >)[...]
        var size = 64
        while !isFull && !source.isAtEnd {
            let positions = try source.next(size, connection)
            let bound =
                source.isAtEnd
                ? source.builtPosition ?? SearchPosition(created: .min, id: .min) : positions.last
            guard let bound else { continue }
            let lateOnes = late.prefix { $0 >= bound }
            let newOnes = unindexed.prefix { $0 >= bound }
            late = late.dropFirst(lateOnes.count)
            unindexed = unindexed.dropFirst(newOnes.count)
            try addCandidates(positions + lateOnes, admitted: Array(newOnes), upTo: bound, snapshot)
            size = min(1024, size * 2)
        }
        // The index cannot contain a match, but the unindexed objects can. The store is read beyond its end.
        if candidates.isImpossible && !isFull {
            add(unindexed.filter { $0 >= source.builtPosition ?? SearchPosition(created: .min, id: .min) })
        }
        if let built = source.builtPosition, !isFull {
            page.isFromIndex = false
            last = min(last, built)
            try scanStore(snapshot)
        }
        return page
    }

    /// Adds the matches among the next candidates, which are all candidates down to a position.
    private mutating func addCandidates(
        _ positions: [SearchPosition], admitted: [SearchPosition], upTo bound: SearchPosition,
        _ snapshot: borrowing StoreSnapshot
    ) throws(StoreError) {
        var hits = admitted
        if candidates.isExact {
            hits += positions.filter { isInTime($0) }
        } else {
            let found = try store.positions(
                in: positions.filter { isInTime($0) }.map(\.id), snapshot, where: admits)
            page.read += found.read
            hits += found.admitted
        }
        add(hits.sorted(by: >))
        guard !isFull else { return }
        last = bound
        if bound.created < candidates.createdFrom { isFull = true }
        if page.read >= bounds.maxRead { stop(at: bound) }
    }

    private mutating func scanStore(_ snapshot: borrowing StoreSnapshot) throws(StoreError) {
        last = min(last, SearchPosition(created: candidates.createdBefore, id: .min))
        let flags = SearchFlags(query)
        var size = 128
        while !isFull {
            let (documents, end) = try store.next(size, after: last, flags: flags, in: snapshot)
            page.read += max(documents.count, flags.isEmpty ? 0 : store.stretch / Self.skippedObjectsPerRead)
            add(documents.filter(admits).map(\.position))
            guard !isFull, let end else { return }
            last = end
            if end.created < candidates.createdFrom { return }
            if page.read >= bounds.maxRead { return stop(at: end) }
            size = min(1024, size * 2)
        }
    }

    private static let skippedObjectsPerRead = 8

    private func isInTime(_ position: SearchPosition) -> Bool {
        position.created >= candidates.createdFrom && position.created < candidates.createdBefore
    }

    private func admits(_ document: SearchDocument) -> Bool { query.matches(document) }

    private mutating func add(_ positions: [SearchPosition]) {
        for position in positions {
            page.hits.append(SearchHit(position: position))
            if page.hits.count == bounds.limit { return stop(at: position) }
        }
    }

    private mutating func stop(at position: SearchPosition) {
        isFull = true
        page.next = SearchCursor(position: position)
    }
}
