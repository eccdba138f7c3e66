import PersistentStore

/// The IDs of clips in an order for which the store has no index: sorted once, then updated with each change.
/// Without it, each page would sort the whole store.
///
/// - Complexity: Eight bytes for each clip. A change reads O(log *n*) clips and passes once over the IDs.
struct SortedClips: ClipOrder {
    private(set) var sort: SortKey
    private var ids: [Int64] = []

    /// Creates an empty order, to which a search appends its hits.
    init(sort: SortKey) { self.sort = sort }

    init(_ query: ClipQuery, in snapshot: borrowing StoreSnapshot) throws(StoreError) {
        sort = query.sort
        ids = try snapshot.keys(query.request)
    }

    var count: Int { ids.count }
    var isComplete: Bool { true }

    /// Adds clips after all others.
    mutating func append(_ more: [Int64]) { ids += more }

    /// Changes the order; the store sorts the clips.
    mutating func sort(by sort: SortKey, in snapshot: borrowing StoreSnapshot) throws(StoreError) {
        ids = try snapshot.keys(FetchRequest(ClipModel.entity, where: .keys(ids), sort: [sort]))
        self.sort = sort
    }

    /// Returns those of some clips that are among these, in one pass.
    func contained(_ keys: Set<Int64>) -> Set<Int64> {
        guard let low = keys.min(), let high = keys.max() else { return [] }
        var contained: Set<Int64> = []
        for id in ids where id >= low && id <= high && keys.contains(id) { contained.insert(id) }
        return contained
    }

    func ids(_ range: Range<Int>) -> [Int64] { Array(ids[range]) }

    func index(of position: SortPosition, in snapshot: borrowing StoreSnapshot) throws(StoreError) -> Int {
        var request = FetchRequest(ClipModel.entity)
        request.attributes = sort.attribute == "id" ? [] : [sort.attribute]
        var (low, high) = (0, ids.count)
        while low < high {
            let middle = (low + high) / 2
            var probe = middle
            var clip: StoredObject?
            // Skips clips that were deleted without a trace in the history.
            while clip == nil, probe < high {
                request.predicate = .keys([ids[probe]])
                clip = try snapshot.fetch(request).first
                probe += 1
            }
            if let clip, snapshot.position(of: clip, in: [sort]) < position {
                low = probe
            } else {
                high = middle
            }
        }
        return low
    }

    /// Moves changed clips to their present positions; nil for deleted ones.
    mutating func move(_ clips: [Int64: SortPosition?], in snapshot: borrowing StoreSnapshot)
        throws(StoreError)
    {
        if clips.count == 1, let id = clips.keys.first {
            if let index = ids.firstIndex(of: id) { ids.remove(at: index) }
        } else {
            let (low, high) = (clips.keys.min() ?? 0, clips.keys.max() ?? 0)
            ids.removeAll { $0 >= low && $0 <= high && clips.keys.contains($0) }
        }
        var arrivals: [(id: Int64, index: Int)] = []
        for position in clips.values.compactMap(\.self).sorted() {
            arrivals.append((position.key, try index(of: position, in: snapshot)))
        }
        guard arrivals.count > 1 else {
            for arrival in arrivals { ids.insert(arrival.id, at: arrival.index) }
            return
        }
        var merged: [Int64] = []
        merged.reserveCapacity(ids.count + arrivals.count)
        var next = 0
        for arrival in arrivals {
            merged += ids[next..<arrival.index]
            merged.append(arrival.id)
            next = arrival.index
        }
        ids = merged + ids[next...]
    }
}
