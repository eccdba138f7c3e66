import PersistentStore

/// The rows of a list in one snapshot, by position rather than by number.
protocol ListPages<Row> {
    associatedtype Row: StoredRow

    func start(limit: Int, in snapshot: borrowing StoreSnapshot) throws(StoreError) -> LiveList<Row>.Window
    func end(limit: Int, in snapshot: borrowing StoreSnapshot) throws(StoreError) -> LiveList<Row>.Window
    /// Returns the nearest rows after a position, and whether they are the last.
    func after(_ position: SortPosition, limit: Int, in snapshot: borrowing StoreSnapshot)
        throws(StoreError) -> ([Row], reachesEdge: Bool)
    /// Returns the nearest rows before a position, and whether they are the first.
    func before(_ position: SortPosition, limit: Int, in snapshot: borrowing StoreSnapshot)
        throws(StoreError) -> ([Row], reachesEdge: Bool)
    func around(_ position: SortPosition, before: Int, after: Int, in snapshot: borrowing StoreSnapshot)
        throws(StoreError) -> LiveList<Row>.Window
    /// Returns the rows around an index; past the end, the last rows.
    func at(_ index: Int, before: Int, after: Int, in snapshot: borrowing StoreSnapshot)
        throws(StoreError) -> LiveList<Row>.Window
}

/// The rows of a list in an order that an index of the store has.
struct IndexedPages<Row: StoredRow>: ListPages {
    private let plan: ListPlan

    init(_ plan: ListPlan) { self.plan = plan }

    func start(limit: Int, in snapshot: borrowing StoreSnapshot) throws(StoreError) -> LiveList<Row>.Window {
        let (rows, isLast) = try page(plan.request, limit, in: snapshot)
        return LiveList.Window(
            rows: rows, lowerIndex: 0, count: isLast ? rows.count : nil, reachesStart: true,
            reachesEnd: isLast)
    }

    func end(limit: Int, in snapshot: borrowing StoreSnapshot) throws(StoreError) -> LiveList<Row>.Window {
        var request = plan.request
        request.isReversed = true
        let (rows, isFirst) = try page(request, limit, in: snapshot)
        let count = isFirst ? rows.count : try snapshot.count(plan.request)
        return LiveList.Window(
            rows: rows, lowerIndex: count - rows.count, count: count, reachesStart: isFirst, reachesEnd: true)
    }

    func after(_ position: SortPosition, limit: Int, in snapshot: borrowing StoreSnapshot)
        throws(StoreError) -> ([Row], reachesEdge: Bool)
    {
        var request = plan.request
        request.after = position
        return try page(request, limit, in: snapshot)
    }

    func before(_ position: SortPosition, limit: Int, in snapshot: borrowing StoreSnapshot)
        throws(StoreError) -> ([Row], reachesEdge: Bool)
    {
        var request = plan.request
        request.before = position
        request.isReversed = true
        return try page(request, limit, in: snapshot)
    }

    func around(_ position: SortPosition, before: Int, after: Int, in snapshot: borrowing StoreSnapshot)
        throws(StoreError) -> LiveList<Row>.Window
    {
        // The row at the position itself belongs to the second part: `before` excludes it.
        let upper = try self.before(position, limit: before, in: snapshot)
        let lower = try self.after(position.justBefore, limit: after, in: snapshot)
        let rows = upper.0 + lower.0
        guard let first = rows.first else {
            return LiveList.Window(rows: [], lowerIndex: 0, count: 0, reachesStart: true, reachesEnd: true)
        }
        var counting = plan.request
        counting.before = first.position
        let lowerIndex = upper.reachesEdge ? 0 : try snapshot.count(counting)
        return LiveList.Window(
            rows: rows, lowerIndex: lowerIndex, count: lower.reachesEdge ? lowerIndex + rows.count : nil,
            reachesStart: upper.reachesEdge, reachesEnd: lower.reachesEdge, around: position)
    }

    func at(_ index: Int, before: Int, after: Int, in snapshot: borrowing StoreSnapshot)
        throws(StoreError) -> LiveList<Row>.Window
    {
        let first = max(0, index - before)
        var request = plan.request
        request.offset = first
        let (rows, isLast) = try page(request, index - first + after, in: snapshot)
        guard rows.count > index - first else { return try end(limit: before + after, in: snapshot) }
        return LiveList.Window(
            rows: rows, lowerIndex: first, count: isLast ? first + rows.count : nil, reachesStart: first == 0,
            reachesEnd: isLast)
    }

    /// Returns rows and whether they reach the edge, for which it reads one row more.
    private func page(_ request: FetchRequest, _ limit: Int, in snapshot: borrowing StoreSnapshot)
        throws(StoreError) -> ([Row], reachesEdge: Bool)
    {
        var request = request
        request.limit = limit + 1
        var objects = try snapshot.fetch(request)
        let isEdge = objects.count <= limit
        if !isEdge { if request.isReversed { objects.removeFirst() } else { objects.removeLast() } }
        return (objects.map { Row($0, position: plan.order.position(of: $0)) }, isEdge)
    }
}

/// The rows of a list whose order is in memory; only their contents are read.
struct OrderedPages<Row: StoredRow>: ListPages {
    private let plan: ListPlan
    private let order: any ListOrder

    init(_ plan: ListPlan, _ order: any ListOrder) {
        self.plan = plan
        self.order = order
    }

    func start(limit: Int, in snapshot: borrowing StoreSnapshot) throws(StoreError) -> LiveList<Row>.Window {
        try window(0, limit, in: snapshot)
    }

    func end(limit: Int, in snapshot: borrowing StoreSnapshot) throws(StoreError) -> LiveList<Row>.Window {
        try window(max(0, count - limit), count, in: snapshot)
    }

    func after(_ position: SortPosition, limit: Int, in snapshot: borrowing StoreSnapshot)
        throws(StoreError) -> ([Row], reachesEdge: Bool)
    {
        let first = try order.index(of: position.justAfter, in: snapshot)
        let end = first + limit
        return (try rows(first..<min(count, end), in: snapshot), isEnd(end))
    }

    func before(_ position: SortPosition, limit: Int, in snapshot: borrowing StoreSnapshot)
        throws(StoreError) -> ([Row], reachesEdge: Bool)
    {
        let end = try order.index(of: position, in: snapshot)
        return (try rows(max(0, end - limit)..<end, in: snapshot), end <= limit)
    }

    func around(_ position: SortPosition, before: Int, after: Int, in snapshot: borrowing StoreSnapshot)
        throws(StoreError) -> LiveList<Row>.Window
    {
        let index = try order.index(around: position, in: snapshot)
        var window = try window(max(0, index - before), index + after, in: snapshot)
        window.around = index < count ? order.position(at: index) ?? position : position
        return window
    }

    func at(_ index: Int, before: Int, after: Int, in snapshot: borrowing StoreSnapshot)
        throws(StoreError) -> LiveList<Row>.Window
    {
        guard index < count else { return try end(limit: before + after, in: snapshot) }
        return try window(max(0, index - before), index + after, in: snapshot)
    }

    private var count: Int { order.count }

    private func isEnd(_ index: Int) -> Bool { index >= count && order.isComplete }

    private func window(_ first: Int, _ end: Int, in snapshot: borrowing StoreSnapshot)
        throws(StoreError) -> LiveList<Row>.Window
    {
        let rows = try rows(min(first, count)..<min(end, count), in: snapshot)
        return LiveList.Window(
            rows: rows, lowerIndex: rows.isEmpty ? 0 : first, count: order.isComplete ? count : nil,
            reachesStart: first == 0, reachesEnd: isEnd(end))
    }

    private func rows(_ range: Range<Int>, in snapshot: borrowing StoreSnapshot) throws(StoreError) -> [Row] {
        guard !range.isEmpty else { return [] }
        let keys = order.keys(range)
        let request = FetchRequest(
            plan.request.entity, where: .keys(keys), attributes: plan.request.attributes)
        let objects = try snapshot.fetch(request)
        let byKey = Dictionary(uniqueKeysWithValues: objects.map { ($0.id.key, $0) })
        return zip(keys, range).compactMap { key, index in
            byKey[key].map { Row($0, position: order.position(at: index) ?? plan.order.position(of: $0)) }
        }
    }
}
