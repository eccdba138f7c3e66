import PersistentStore

/// The known clips of a list, in its order.
protocol ClipOrder {
    var sort: SortKey { get }
    var count: Int { get }
    /// Whether all clips of the list are known.
    var isComplete: Bool { get }
    /// Returns the index of the first clip that is not before a position.
    func index(of position: SortPosition, in snapshot: borrowing StoreSnapshot) throws(StoreError) -> Int
    func ids(_ range: Range<Int>) -> [Int64]
}

/// The rows of a list whose order is in memory; only their contents are read.
struct OrderedPages<Order: ClipOrder>: ListPages {
    let order: Order

    func start(limit: Int, in snapshot: borrowing StoreSnapshot) throws(StoreError)
        -> LiveList<ClipRow>.Window
    { try window(0, limit, snapshot) }

    func end(limit: Int, in snapshot: borrowing StoreSnapshot) throws(StoreError) -> LiveList<ClipRow>.Window
    {
        try window(max(0, count - limit), count, snapshot)
    }

    func after(_ position: SortPosition, limit: Int, in snapshot: borrowing StoreSnapshot) throws(StoreError)
        -> ([ClipRow], Bool)
    {
        let first = try order.index(of: position.justAfter, in: snapshot)
        return (try rows(first..<min(count, first + limit), snapshot), isEnd(first + limit))
    }

    func before(_ position: SortPosition, limit: Int, in snapshot: borrowing StoreSnapshot) throws(StoreError)
        -> ([ClipRow], Bool)
    {
        let end = try order.index(of: position, in: snapshot)
        return (try rows(max(0, end - limit)..<end, snapshot), end <= limit)
    }

    func around(_ position: SortPosition, before: Int, after: Int, in snapshot: borrowing StoreSnapshot)
        throws(StoreError) -> LiveList<ClipRow>.Window
    {
        let index = try order.index(of: position, in: snapshot)
        var window = try window(max(0, index - before), index + after, snapshot)
        window.around = position
        return window
    }

    func at(_ index: Int, before: Int, after: Int, in snapshot: borrowing StoreSnapshot) throws(StoreError)
        -> LiveList<ClipRow>.Window
    {
        guard index < count else { return try end(limit: before + after, in: snapshot) }
        return try window(max(0, index - before), index + after, snapshot)
    }

    private var count: Int { order.count }

    private func isEnd(_ index: Int) -> Bool { index >= count && order.isComplete }

    private func window(_ first: Int, _ end: Int, _ snapshot: borrowing StoreSnapshot) throws(StoreError)
        -> LiveList<ClipRow>.Window
    {
        let rows = try rows(min(first, count)..<min(end, count), snapshot)
        return LiveList.Window(
            rows: rows, lowerIndex: rows.isEmpty ? 0 : first, count: order.isComplete ? count : nil,
            reachesStart: first == 0, reachesEnd: isEnd(end))
    }

    private func rows(_ range: Range<Int>, _ snapshot: borrowing StoreSnapshot) throws(StoreError)
        -> [ClipRow]
    {
        guard !range.isEmpty else { return [] }
        let ids = order.ids(range)
        var request = FetchRequest(ClipModel.entity, where: .keys(ids))
        request.attributes = ClipModel.listAttributes
        let objects = try snapshot.fetch(request)
        let byKey = Dictionary(uniqueKeysWithValues: objects.map { ($0.id.key, $0) })
        return ids.compactMap { id in
            byKey[id].map { ClipRow($0, position: snapshot.position(of: $0, in: [order.sort])) }
        }
    }
}
