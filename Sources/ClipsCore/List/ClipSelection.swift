import LiveQuery
import PersistentStore
import SearchIndex

/// The clips that a search has found so far, in the order of the list, updated with each change.
///
/// The search runs in short steps from the newest clip, so that the next typed letter does not wait. For a
/// list in another order, the clips are sorted once, at the end.
///
/// - Complexity: Eight bytes for each clip.
struct ClipSelection: ListSelection {
    private let index: SearchIndex
    private let search: SearchQuery
    private let sort: SortKey
    /// The query that is searched instead, because the filter has no matches.
    private var correction: SearchQuery?
    private let report: (@Sendable (SearchDeviation) -> Void)?
    /// The clips, in the order of the search until all are found.
    private var found = SortedObjects(ClipModel.entity, sort: [ClipQuery.newestFirst])
    /// The position at which the search continues; nil if it has found all.
    private var next: SearchCursor?
    private var hasBegun = false
    /// The clip around which the list is shown.
    private var sought: SearchPosition?
    private var step = 2000

    private static let stepBounds = 1000...64_000

    /// - Parameter report: A closure called with the correction of a filter without matches; nil to find only its own.
    init(_ query: ClipQuery, _ index: SearchIndex, report: (@Sendable (SearchDeviation) -> Void)? = nil) {
        self.index = index
        search = query.search
        sort = query.sort
        self.report = report
    }

    /// Whether all clips of the search are known, in the order of the list.
    var isComplete: Bool { hasBegun && next == nil && isSorted }
    /// Whether the known clips are in the order of the list, and include the one around which the list is shown.
    var isSorted: Bool {
        isOrdered && (sought.map { sought in next.map { sought >= $0.position } ?? hasBegun } ?? true)
    }
    private var isOrdered: Bool { found.sort == [sort] }

    var count: Int { found.count }

    func keys(_ range: Range<Int>) -> [Int64] { found.keys(range) }

    func index(of position: SortPosition, in snapshot: borrowing StoreSnapshot) throws(StoreError) -> Int {
        try found.index(of: position, in: snapshot)
    }

    mutating func seek(
        _ position: SortPosition, in snapshot: borrowing StoreSnapshot
    ) throws(StoreError) -> Bool {
        guard try snapshot.matches(search, position.key) else { return false }
        if isOrdered, case .integer(let created)? = position.values.first {
            sought = SearchPosition(created: created, id: position.key)
        }
        return true
    }

    mutating func extend(wanted: Int?, in snapshot: borrowing StoreSnapshot) throws(StoreError) {
        guard !isComplete else { return }
        let began = ContinuousClock.now
        let bounds = SearchBounds(limit: wanted ?? step, maxRead: 2 * step)
        var page = try index.search(correction ?? search, after: next, bounds: bounds, in: snapshot)
        if page.next == nil, page.hits.isEmpty, found.count == 0, correction == nil, let report,
            let close = try index.correction(of: search, in: snapshot)
        {
            correction = close
            page = try index.search(close, bounds: bounds, in: snapshot)
            report(SearchDeviation(correction: close.description))
        }
        hasBegun = true
        next = page.next
        found.append(page.hits.map(\.id))
        if wanted == nil { adapt(to: .now - began) }
        if next == nil, !isOrdered { try found.sort(by: [sort], in: snapshot) }
    }

    /// A step has fixed costs, so it takes as long as a key may wait.
    private mutating func adapt(to duration: Duration) {
        let wanted = duration < .milliseconds(4) ? step * 2 : duration > .milliseconds(8) ? step / 2 : step
        step = min(max(wanted, Self.stepBounds.lowerBound), Self.stepBounds.upperBound)
    }

    mutating func apply(
        _ changes: [ListCandidate], in snapshot: borrowing StoreSnapshot
    ) throws(StoreError) -> [(old: SortPosition?, new: SortPosition?)] {
        let known = found.contained(Set(changes.compactMap { $0.earlier == nil ? nil : $0.key }))
        var moved: [Int64: SortPosition?] = [:]
        let documents = try snapshot.documents(changes.compactMap(\.object), ClipModel.searched)
        let admitted = Set(documents.filter(admits).map(\.id))
        let positions = changes.map { change in
            let old = known.contains(change.key) ? change.earlier : nil
            let object = change.object.flatMap { admitted.contains($0.id.key) ? $0 : nil }
            let new = object.map { snapshot.position(of: $0, in: [sort]) }
            if old != new || !isOrdered && (old != nil || new != nil) {
                moved[change.key] = .some(object.map { snapshot.position(of: $0, in: found.sort) })
            }
            return (old: old, new: new)
        }
        if !moved.isEmpty { try found.move(moved, in: snapshot) }
        return positions
    }

    /// Whether the part of the search that is done admits the clip.
    private func admits(_ document: SearchDocument) -> Bool {
        let position = SearchPosition(created: document.created, id: document.id)
        return next.map { position >= $0.position } ?? true
            && (search.matches(document) || correction?.matches(document) == true)
    }
}

extension StoreSnapshot {
    /// Whether a clip matches a search.
    func matches(_ search: SearchQuery, _ clip: Int64) throws(StoreError) -> Bool {
        let request = FetchRequest(ClipModel.entity, where: .keys([clip]))
        return try documents(fetch(request), ClipModel.searched).contains(where: search.matches)
    }
}

extension ClipQuery {
    /// Returns the search for the clips of the query, in their order.
    func selection(
        _ index: SearchIndex, report: (@Sendable (SearchDeviation) -> Void)? = nil
    ) -> any ListSelection {
        isRanked
            ? RankedSelection(self, index, report: report) : ClipSelection(self, index, report: report)
    }
}
