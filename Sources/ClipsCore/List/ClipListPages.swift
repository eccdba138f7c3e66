import PersistentStore

/// The rows of a list in one snapshot, by position rather than by number.
protocol ListPages {
    func start(limit: Int, in snapshot: borrowing StoreSnapshot) throws(StoreError)
        -> LiveList<ClipRow>.Window
    func end(limit: Int, in snapshot: borrowing StoreSnapshot) throws(StoreError) -> LiveList<ClipRow>.Window
    /// Returns the nearest rows after a position, and whether they are the last.
    func after(_ position: SortPosition, limit: Int, in snapshot: borrowing StoreSnapshot) throws(StoreError)
        -> ([ClipRow], Bool)
    /// Returns the nearest rows before a position, and whether they are the first.
    func before(_ position: SortPosition, limit: Int, in snapshot: borrowing StoreSnapshot) throws(StoreError)
        -> ([ClipRow], Bool)
    func around(_ position: SortPosition, before: Int, after: Int, in snapshot: borrowing StoreSnapshot)
        throws(StoreError) -> LiveList<ClipRow>.Window
    /// Returns the rows around an index; past the end, the last rows.
    func at(_ index: Int, before: Int, after: Int, in snapshot: borrowing StoreSnapshot) throws(StoreError)
        -> LiveList<ClipRow>.Window
}

/// The rows of an unfiltered list in an order that an index of the store has.
struct ClipListPages: ListPages {
    let query: ClipQuery

    func start(limit: Int, in snapshot: borrowing StoreSnapshot) throws(StoreError)
        -> LiveList<ClipRow>.Window
    {
        let (rows, isLast) = try page(limit, snapshot) { _ in }
        return LiveList.Window(
            rows: rows, lowerIndex: 0, count: isLast ? rows.count : nil, reachesStart: true,
            reachesEnd: isLast)
    }

    func end(limit: Int, in snapshot: borrowing StoreSnapshot) throws(StoreError) -> LiveList<ClipRow>.Window
    {
        let (rows, isFirst) = try page(limit, snapshot) { $0.isReversed = true }
        let count = isFirst ? rows.count : try snapshot.count(query.request)
        return LiveList.Window(
            rows: rows, lowerIndex: count - rows.count, count: count, reachesStart: isFirst, reachesEnd: true)
    }

    func after(_ position: SortPosition, limit: Int, in snapshot: borrowing StoreSnapshot) throws(StoreError)
        -> ([ClipRow], Bool)
    {
        try page(limit, snapshot) { $0.after = position }
    }

    func before(_ position: SortPosition, limit: Int, in snapshot: borrowing StoreSnapshot) throws(StoreError)
        -> ([ClipRow], Bool)
    {
        try page(limit, snapshot) { request in
            request.before = position
            request.isReversed = true
        }
    }

    func around(_ position: SortPosition, before: Int, after: Int, in snapshot: borrowing StoreSnapshot)
        throws(StoreError) -> LiveList<ClipRow>.Window
    {
        // The row at the position itself belongs to the second part: `before` excludes it.
        let upper = try self.before(position, limit: before, in: snapshot)
        let lower = try page(after, snapshot) { $0.after = position.justBefore }
        let rows = upper.0 + lower.0
        guard let first = rows.first else {
            return LiveList.Window(rows: [], lowerIndex: 0, count: 0, reachesStart: true, reachesEnd: true)
        }
        var counting = query.request
        counting.before = first.position
        let lowerIndex = upper.1 ? 0 : try snapshot.count(counting)
        return LiveList.Window(
            rows: rows, lowerIndex: lowerIndex, count: lower.1 ? lowerIndex + rows.count : nil,
            reachesStart: upper.1, reachesEnd: lower.1, around: position)
    }

    func at(_ index: Int, before: Int, after: Int, in snapshot: borrowing StoreSnapshot) throws(StoreError)
        -> LiveList<ClipRow>.Window
    {
        let first = max(0, index - before)
        let (rows, isLast) = try page(index - first + after, snapshot) { $0.offset = first }
        guard rows.count > index - first else { return try end(limit: before + after, in: snapshot) }
        return LiveList.Window(
            rows: rows, lowerIndex: first, count: isLast ? first + rows.count : nil, reachesStart: first == 0,
            reachesEnd: isLast)
    }

    /// Returns rows and whether they reach the edge, for which it reads one row more.
    private func page(
        _ limit: Int, _ snapshot: borrowing StoreSnapshot, _ shape: (inout FetchRequest) -> Void
    ) throws(StoreError) -> ([ClipRow], Bool) {
        var request = query.request
        shape(&request)
        request.limit = limit + 1
        var objects = try snapshot.fetch(request)
        let isEdge = objects.count <= limit
        if !isEdge { if request.isReversed { objects.removeFirst() } else { objects.removeLast() } }
        let order = snapshot.order(request.sort, of: request.entity)
        return (objects.map { ClipRow($0, position: order.position(of: $0)) }, isEdge)
    }
}
