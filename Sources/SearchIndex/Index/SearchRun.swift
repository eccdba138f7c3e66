import PersistentStore
import SQLite

/// One search: takes what the index proposes, reads what it cannot vouch for, and stops at the bounds.
struct SearchRun {
    private let query: SearchQuery
    private let except: SearchQuery?
    private let tier: Int
    private let candidates: Candidates
    private let bounds: SearchBounds
    private let store: StoreScan
    private var page = SearchPage()
    private var last: SearchPlace
    private var isFull = false

    init(
        _ query: SearchQuery, except: SearchQuery?, tier: Int, after start: SearchPlace,
        _ candidates: Candidates,
        _ bounds: SearchBounds, _ store: StoreScan
    ) {
        self.query = query
        self.except = except
        self.tier = tier
        self.candidates = candidates
        self.bounds = bounds
        self.store = store
        last = start
    }

    /// Reads the store alone.
    mutating func runWithoutIndex() throws -> SearchPage {
        page.isFromIndex = false
        try scanStore()
        return page
    }

    /// - Parameter unindexed: what has changed since the index was written, as it is now.
    mutating func run(
        _ source: IndexScan, unindexed: [SearchDocument], _ connection: borrowing Connection
    ) throws -> SearchPage {
        guard source.expression != nil || source.isAtEnd else {
            try scanStore()
            return page
        }
        var source = source
        var late = source.late[...]
        var unindexed = unindexed.filter(admits).map(\.place).sorted(by: >)[...]
        var size = 64
        while !isFull && !source.isAtEnd {
            let places = try source.next(size, connection)
            let bound =
                source.isAtEnd ? source.builtPlace ?? SearchPlace(created: .min, id: .min) : places.last
            guard let bound else { continue }
            let lateOnes = late.prefix { $0 >= bound }
            let newOnes = unindexed.prefix { $0 >= bound }
            late = late.dropFirst(lateOnes.count)
            unindexed = unindexed.dropFirst(newOnes.count)
            try take(places + lateOnes, admitted: Array(newOnes), upTo: bound)
            size = min(1024, size * 2)
        }
        // Nothing in the index, but perhaps in what is not yet in it.
        if candidates.isImpossible && !isFull { add(Array(unindexed)) }
        if let built = source.builtPlace, !isFull {
            page.isFromIndex = false
            last = min(last, built)
            try scanStore()
        }
        return page
    }

    /// Takes in the next candidates, all down to a place.
    private mutating func take(_ places: [SearchPlace], admitted: [SearchPlace], upTo bound: SearchPlace)
        throws
    {
        var hits = admitted
        if candidates.isExact && except == nil {
            hits += places.filter { isInTime($0) }
        } else {
            let documents = try store.documents(places.filter { isInTime($0) })
            page.read += documents.count
            hits += documents.filter(admits).map(\.place)
        }
        add(hits.sorted(by: >))
        guard !isFull else { return }
        last = bound
        if bound.created < candidates.createdFrom { isFull = true }
        if page.read >= bounds.mostRead { stop(at: bound) }
    }

    private mutating func scanStore() throws {
        last = min(last, SearchPlace(created: candidates.createdBefore, id: .min))
        let flags = SearchFlags(query)
        var size = 128
        while !isFull {
            let (documents, end) = try store.next(size, after: last, flags: flags)
            page.read += max(documents.count, flags.isEmpty ? 0 : store.stretch / Self.passedOverForOneRead)
            add(documents.filter(admits).map(\.place))
            guard !isFull, let end else { return }
            last = end
            if end.created < candidates.createdFrom { return }
            if page.read >= bounds.mostRead { return stop(at: end) }
            size = min(1024, size * 2)
        }
    }

    private static let passedOverForOneRead = 8

    private func isInTime(_ place: SearchPlace) -> Bool {
        place.created >= candidates.createdFrom && place.created < candidates.createdBefore
    }

    private func admits(_ document: SearchDocument) -> Bool {
        query.matches(document) && except?.matches(document) != true
    }

    private mutating func add(_ places: [SearchPlace]) {
        for place in places {
            page.hits.append(SearchHit(place: place, tier: tier))
            if page.hits.count == bounds.limit { return stop(at: place) }
        }
    }

    private mutating func stop(at place: SearchPlace) {
        isFull = true
        page.next = SearchCursor(tier: tier, place: place)
    }
}
