import PersistentStore
import SearchIndex

/// The clips that a search has found so far, in the order of the list, kept right as others write.
///
/// The search continues in steps, from the newest, until it has found all; each step is short, so that the next
/// letter that is typed does not wait. Costs eight bytes for each clip. For a list in another order they are sorted
/// once, at the end.
struct ClipSelection: ClipOrder {
    let search: SearchQuery
    let sort: SortOrder
    /// In the order of the search, until all are found.
    private var found = SortedClips(sort: ClipQuery.newestFirst)
    /// Where the search continues; nil when it has found all.
    private var next: SearchCursor?
    private var hasBegun = false
    private var step = 2000

    private static let stepBounds = 1000...64_000

    init(_ query: ClipQuery) {
        search = query.search
        sort = query.sort
    }

    /// Whether it has all clips of the search, in the order of the list.
    var isComplete: Bool { hasBegun && next == nil && isSorted }
    /// Whether those found so far are in the order of the list, and can be shown.
    var isSorted: Bool { found.sort == sort }

    var count: Int { found.count }

    func ids(_ range: Range<Int>) -> [Int64] { found.ids(range) }

    func index(of position: SortPosition, in snapshot: StoreSnapshot) throws -> Int {
        try found.index(of: position, in: snapshot)
    }

    /// Continues by one step.
    ///
    /// - Parameter wanted: how many are enough, for a first step.
    mutating func extend(_ index: SearchIndex, in snapshot: StoreSnapshot, wanted: Int? = nil) throws {
        guard !isComplete else { return }
        let began = ContinuousClock.now
        let bounds = SearchBounds(limit: wanted ?? step, maxRead: 2 * step)
        let page = try index.search(search, after: next, bounds: bounds, in: snapshot)
        hasBegun = true
        next = page.next
        found.append(page.hits.map(\.id))
        if wanted == nil { adapt(to: .now - began) }
        if next == nil, !isSorted { try found.sort(by: sort, in: snapshot) }
    }

    /// A step has costs of its own, so it is as long as a key can wait for it.
    private mutating func adapt(to duration: Duration) {
        let wanted = duration < .milliseconds(4) ? step * 2 : duration > .milliseconds(8) ? step / 2 : step
        step = min(max(wanted, Self.stepBounds.lowerBound), Self.stepBounds.upperBound)
    }

    /// A clip that was changed.
    struct Changed {
        let key: Int64
        /// Where it was in the order of the list, whether the search had found it or not; nil for a new one.
        let earlier: SortPosition?
        /// What it is now; nil for a deleted one.
        let object: StoredObject?
    }

    /// Takes over changed clips; where each was in the list and where it is now, nil for not in it.
    mutating func apply(
        _ changes: [Changed], in snapshot: StoreSnapshot
    ) throws -> [(old: SortPosition?, new: SortPosition?)] {
        let known = found.contained(Set(changes.compactMap { $0.earlier == nil ? nil : $0.key }))
        var moved: [Int64: SortPosition?] = [:]
        let places = changes.map { change in
            let old = known.contains(change.key) ? change.earlier : nil
            let object = change.object.flatMap { admits($0) ? $0 : nil }
            let new = object.map { snapshot.position(of: $0, in: sort) }
            if old != new || !isSorted && (old != nil || new != nil) {
                moved[change.key] = .some(object.map { snapshot.position(of: $0, in: found.sort) })
            }
            return (old: old, new: new)
        }
        if !moved.isEmpty { try found.move(moved, in: snapshot) }
        return places
    }

    /// Whether the search has found it, or would have where it has come by.
    private func admits(_ object: StoredObject) -> Bool {
        let document = SearchDocument(object, ClipModel.searched)
        let position = SearchPosition(created: document.created, id: document.id)
        return next.map { position >= $0.position } ?? true && search.matches(document)
    }
}
