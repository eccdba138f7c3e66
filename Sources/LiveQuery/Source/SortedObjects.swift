package import PersistentStore

/// The keys of objects in an order for which the store has no index: sorted once, then updated with each
/// change. Without it, each page would sort all objects.
///
/// - Complexity: Eight bytes for each object. A change reads O(log *n*) objects and passes once over the keys.
package struct SortedObjects: ListOrder {
    private let entity: String
    package private(set) var sort: [SortKey]
    private var keys: [Int64] = []

    /// Creates an empty order, to which a search appends its hits.
    package init(_ entity: String, sort: [SortKey]) {
        self.entity = entity
        self.sort = sort
    }

    init(_ request: FetchRequest, in snapshot: borrowing StoreSnapshot) throws(StoreError) {
        self.init(request.entity, sort: request.sort)
        keys = try snapshot.keys(request)
    }

    package var count: Int { keys.count }
    package var isComplete: Bool { true }

    /// Adds objects after all others.
    package mutating func append(_ more: [Int64]) { keys += more }

    /// Changes the order; the store sorts the objects.
    package mutating func sort(by sort: [SortKey], in snapshot: borrowing StoreSnapshot) throws(StoreError) {
        keys = try snapshot.keys(FetchRequest(entity, where: .keys(keys), sort: sort))
        self.sort = sort
    }

    /// Returns those of some objects that are among these, in one pass.
    package func contained(_ wanted: Set<Int64>) -> Set<Int64> {
        guard let low = wanted.min(), let high = wanted.max() else { return [] }
        var contained: Set<Int64> = []
        for key in keys where key >= low && key <= high && wanted.contains(key) { contained.insert(key) }
        return contained
    }

    package func keys(_ range: Range<Int>) -> [Int64] { Array(keys[range]) }

    package func index(of position: SortPosition, in snapshot: borrowing StoreSnapshot) throws(StoreError)
        -> Int
    {
        let order = snapshot.order(sort, of: entity)
        var request = FetchRequest(entity)
        request.attributes = order.components.map(\.attribute)
        var (low, high) = (0, keys.count)
        while low < high {
            let middle = (low + high) / 2
            var probe = middle
            var object: StoredObject?
            // Skips objects that were deleted without a trace in the history.
            while object == nil, probe < high {
                request.predicate = .keys([keys[probe]])
                object = try snapshot.fetch(request).first
                probe += 1
            }
            if let object, order.position(of: object) < position {
                low = probe
            } else {
                high = middle
            }
        }
        return low
    }

    /// Moves changed objects to their present positions; nil for those that no longer belong to the list.
    package mutating func move(
        _ objects: [Int64: SortPosition?], in snapshot: borrowing StoreSnapshot
    ) throws(StoreError) {
        if objects.count == 1, let key = objects.keys.first {
            if let index = keys.firstIndex(of: key) { keys.remove(at: index) }
        } else {
            let (low, high) = (objects.keys.min() ?? 0, objects.keys.max() ?? 0)
            keys.removeAll { $0 >= low && $0 <= high && objects.keys.contains($0) }
        }
        var arrivals: [(key: Int64, index: Int)] = []
        for position in objects.values.compactMap(\.self).sorted() {
            arrivals.append((position.key, try index(of: position, in: snapshot)))
        }
        guard arrivals.count > 1 else {
            for arrival in arrivals { keys.insert(arrival.key, at: arrival.index) }
            return
        }
        var merged: [Int64] = []
        merged.reserveCapacity(keys.count + arrivals.count)
        var next = 0
        for arrival in arrivals {
            merged += keys[next..<arrival.index]
            merged.append(arrival.key)
            next = arrival.index
        }
        keys = merged + keys[next...]
    }
}
