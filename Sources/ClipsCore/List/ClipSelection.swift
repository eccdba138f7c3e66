import PersistentStore
import SearchIndex

/// The clips that a search has found so far, in the order of the list, kept right as others write.
///
/// These are all clips that satisfy the query and are not older than where the search has come; it goes on in steps
/// until it has found `most`.
struct ClipSelection: ClipOrder {
    let search: SearchQuery
    let sort: SortOrder
    private(set) var positions: [SortPosition] = []
    private var byKey: [Int64: SortPosition] = [:]
    /// Where the search goes on; nil when it has found all.
    private var next: SearchCursor?
    private var hasBegun = false

    /// Nobody reads so far down; a list of that length asks for better words.
    static let most = 10_000
    private static let step = SearchBounds(limit: 2000, mostRead: 4000)

    init(_ query: ClipQuery) {
        search = query.search
        sort = query.sort
    }

    /// Whether it has all that it will look for.
    var isComplete: Bool { hasBegun && (next == nil || positions.count >= Self.most) }
    /// Whether there may be clips that it does not have.
    var hasMore: Bool { !hasBegun || next != nil }

    var count: Int { positions.count }

    func ids(_ range: Range<Int>) -> [Int64] { positions[range].map(\.key) }

    func index(of position: SortPosition, in _: StoreSnapshot) -> Int { index(of: position) }

    /// Goes on by one step, or, for a list in another order than the search, to the end.
    ///
    /// - Parameter wanted: how many are enough for the first step.
    mutating func extend(_ index: SearchIndex, in snapshot: StoreSnapshot, wanted: Int = step.limit) throws {
        while !isComplete {
            let bounds = SearchBounds(limit: wanted, mostRead: Self.step.mostRead)
            let page = try index.search(search, after: next, bounds: bounds, in: snapshot)
            hasBegun = true
            next = page.next
            try insert(page.hits, from: snapshot)
            if isByTime { return }
        }
    }

    /// What became of clips that were changed; `nil` for those that are gone.
    mutating func place(_ key: Int64, _ object: StoredObject?, in snapshot: StoreSnapshot) -> (
        old: SortPosition?, new: SortPosition?
    ) {
        let old = byKey[key]
        var new: SortPosition?
        if let object {
            let document = SearchDocument(object, ClipModel.searched)
            let place = SearchPlace(created: document.created, id: document.id)
            let isReached = next.map { place >= $0.place } ?? true
            if isReached && search.matches(document) { new = snapshot.position(of: object, in: sort) }
        }
        guard old != new else { return (old, new) }
        if let old {
            positions.remove(at: index(of: old))
            byKey[key] = nil
        }
        if let new {
            positions.insert(new, at: index(of: new))
            byKey[key] = new
        }
        return (old, new)
    }

    /// Where the first position stands that is not before this one.
    func index(of position: SortPosition) -> Int {
        var (low, high) = (0, positions.count)
        while low < high {
            let middle = (low + high) / 2
            if positions[middle] < position { low = middle + 1 } else { high = middle }
        }
        return low
    }

    private var isByTime: Bool { sort == ClipQuery.newestFirst }

    private mutating func insert(_ hits: [SearchHit], from snapshot: StoreSnapshot) throws {
        guard !hits.isEmpty else { return }
        guard !isByTime else {
            for hit in hits {
                let id = ClipModel.objectID(hit.id)
                let position = snapshot.position(of: id, value: .integer(hit.place.created), in: sort)
                positions.append(position)
                byKey[hit.id] = position
            }
            return
        }
        var request = FetchRequest(ClipModel.entity, where: .keys(hits.map(\.id)))
        request.attributes = [sort.attribute]
        for object in try snapshot.fetch(request) {
            let position = snapshot.position(of: object, in: sort)
            positions.append(position)
            byKey[object.id.key] = position
        }
        positions.sort()
    }
}
