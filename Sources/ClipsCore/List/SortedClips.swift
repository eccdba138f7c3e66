import PersistentStore

/// All clips in an order that no index of the store has: sorted once, then kept right as others write. Without it
/// each page would be sorted out of the whole store.
///
/// Costs eight bytes for each clip. A change costs one pass over them, and some twenty clips read for its place.
struct SortedClips: ClipOrder {
    private(set) var sort: SortOrder
    private var ids: [Int64] = []

    /// None, to which a search adds what it finds.
    init(sort: SortOrder) { self.sort = sort }

    init(_ query: ClipQuery, in snapshot: StoreSnapshot) throws {
        sort = query.sort
        ids = try snapshot.keys(query.request)
    }

    var count: Int { ids.count }
    var isComplete: Bool { true }

    /// Adds clips that come after all the others.
    mutating func append(_ more: [Int64]) { ids += more }

    /// Another order; all are sorted by the store.
    mutating func sort(by sort: SortOrder, in snapshot: StoreSnapshot) throws {
        ids = try snapshot.keys(FetchRequest(ClipModel.entity, where: .keys(ids), sort: sort))
        self.sort = sort
    }

    /// Those of some clips that are among these: one pass, in which new clips cost a comparison each.
    func contained(_ keys: Set<Int64>) -> Set<Int64> {
        guard let low = keys.min(), let high = keys.max() else { return [] }
        var contained: Set<Int64> = []
        for id in ids where id >= low && id <= high && keys.contains(id) { contained.insert(id) }
        return contained
    }

    func ids(_ range: Range<Int>) -> [Int64] { Array(ids[range]) }

    func index(of position: SortPosition, in snapshot: StoreSnapshot) throws -> Int {
        var request = FetchRequest(ClipModel.entity)
        request.attributes = sort.attribute == "id" ? [] : [sort.attribute]
        var (low, high) = (0, ids.count)
        while low < high {
            let middle = (low + high) / 2
            var probe = middle
            var clip: StoredObject?
            // One that went without a trace in the history is passed over.
            while clip == nil, probe < high {
                request.predicate = .keys([ids[probe]])
                clip = try snapshot.fetch(request).first
                probe += 1
            }
            if let clip, snapshot.position(of: clip, in: sort) < position {
                low = probe
            } else {
                high = middle
            }
        }
        return low
    }

    /// Takes over where changed clips are now, in its sort; nil for those that are gone. The others are where they
    /// were.
    mutating func move(_ clips: [Int64: SortPosition?], in snapshot: StoreSnapshot) throws {
        if clips.count == 1, let id = clips.keys.first {
            if let index = ids.firstIndex(of: id) { ids.remove(at: index) }
        } else {
            let (low, high) = (clips.keys.min() ?? 0, clips.keys.max() ?? 0)
            ids.removeAll { $0 >= low && $0 <= high && clips.keys.contains($0) }
        }
        let arrivals = try clips.values.compactMap(\.self).sorted().map {
            (id: $0.key, index: try index(of: $0, in: snapshot))
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
