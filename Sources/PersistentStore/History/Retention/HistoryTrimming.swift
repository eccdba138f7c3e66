import SQLite

/// Keeps the history within its bounds without a cleaner: a commit that crosses a multiple of ``interval``
/// deletes part of the history beyond them, more than was added since the last crossing.
///
/// It works by number, not by time, so that it includes processes that live for one commit; all other commits
/// pay one comparison. Only history beyond the bounds is deleted, so only consumers that retain history
/// always are respected.
struct HistoryTrimming {
    /// A power of two.
    static let interval: Int64 = 1024
    /// The time to wait for the lock, in milliseconds.
    static let patience: Int64 = 20
    /// The ratio of deleted to added rows, so that a backlog shrinks.
    private static let factor: Int64 = 4
    private static let batch = interval * factor
    /// The maximum number of rows deleted by one commit.
    private static let maxRows: Int64 = 1 << 17

    private let bounds: HistoryBounds
    private let now: Int64
    private let newest: Int64
    private let added: Int64

    /// Creates nil if this commit does not cross a multiple of the interval.
    init?(_ bounds: HistoryBounds, after recorded: ClosedRange<Int64>, now: Int64) {
        let crossed = recorded.upperBound / Self.interval - (recorded.lowerBound - 1) / Self.interval
        guard crossed > 0, recorded.upperBound < StoreMetadata.farthest else { return nil }
        self.bounds = bounds
        self.now = now
        newest = recorded.upperBound
        added = min(crossed * Self.interval, Self.maxRows)
    }

    struct Plan {
        fileprivate let extent: HistoryExtent
        fileprivate var last: Int64
        fileprivate var removed: Int64
        fileprivate var count: RetainedChangeCount?
        fileprivate var rowsLeft: Int64
        fileprivate var isBegun = false

        /// Raises the floor, with the first batch.
        ///
        /// - Returns: Whether there is more to delete.
        mutating func carryOut(on connection: borrowing Connection) throws -> Bool {
            if !isBegun {
                isBegun = true
                guard try HistoryExtent(connection) == extent else { return false }
                let holds = try ConsumerHolds(extent, on: connection)
                if last > extent.floor, last <= holds.limit ?? .max {
                    count?.remove(removed, upTo: last)
                    try StoreMetadata.set(.historyFloor, .integer(last), on: connection)
                }
                try count?.store(on: connection)
            }
            let deleted = try HistoryRemoval.removeBatch(min(rowsLeft, HistoryTrimming.batch), on: connection)
            rowsLeft -= deleted
            return deleted > 0 && rowsLeft > 0
        }
    }

    /// Returns the plan, without the lock; nil if the history is within its bounds.
    func plan(on connection: borrowing Connection) throws -> Plan? {
        let extent = try HistoryExtent(connection)
        guard
            let first = try connection.integer(
                "SELECT min(number) FROM history WHERE number > ?1", extent.floor)
        else { return nil }
        var plan = Plan(
            extent: extent, last: extent.floor, removed: 0, count: nil,
            rowsLeft: min(added * Self.factor, Self.maxRows))
        let isLong = bounds.maximumChanges.map { newest - extent.floor > Int64($0) } ?? false
        if isLong, let most = bounds.maximumChanges {
            var count = try RetainedChangeCount(extent, on: connection)
            plan.rowsLeft = min(
                min(max(added, newest - count.upTo), Self.maxRows) * Self.factor, Self.maxRows)
            plan.last = max(plan.last, try lastNumber(&count, most: most, plan.rowsLeft, on: connection))
            plan.count = count
        }
        plan.last = max(plan.last, try lastAgedNumber(first, plan.rowsLeft, on: connection))
        let holds = try ConsumerHolds(extent, on: connection)
        if let limit = holds.limit, plan.last > limit {
            plan.last = try HistoryBoundary.end(atOrBefore: limit, on: connection) ?? extent.floor
        }
        plan.last = max(plan.last, extent.floor)
        let isWorkLeft = try plan.last > extent.floor || HistoryRemoval.hasRemains(on: connection)
        guard isWorkLeft || plan.count != nil else { return nil }
        plan.removed = try RetainedChangeCount.changes(above: extent.floor, upTo: plan.last, on: connection)
        return plan
    }

    /// Continues counting over a bounded number of rows, and purges the history that is known to exceed the
    /// bound.
    private func lastNumber(
        _ count: inout RetainedChangeCount, most: Int, _ rows: Int64, on connection: borrowing Connection
    ) throws -> Int64 {
        let stop = count.upTo + max(rows, 4 * RetainedChangeCount.slice)
        while count.upTo < stop, try count.advance(on: connection) {}
        let floor = try StoreMetadata.integer(.historyFloor, on: connection) ?? 0
        let excess = min(count.changes - Int64(most), rows)
        guard excess > 0,
            let last = try RetainedChangeCount.number(ofChange: excess, above: floor, on: connection)
        else { return 0 }
        return try HistoryBoundary.end(atOrAfter: last, on: connection) ?? 0
    }

    private func lastAgedNumber(_ first: Int64, _ rows: Int64, on connection: borrowing Connection) throws
        -> Int64
    {
        let oldest = bounds.oldest(now)
        let stamp = try connection.integer("SELECT coalesce(at, began) FROM history WHERE number = ?1", first)
        guard let stamp, stamp < oldest else { return 0 }
        // The first transaction, regardless of its length, and the old part of the rows after it.
        let end = try HistoryBoundary.end(atOrAfter: first, on: connection) ?? 0
        let aged = try connection.integer(
            "SELECT max(number) FROM history WHERE number > ?1 AND number <= ?2 AND coalesce(at, began) < ?3",
            end, first + rows, oldest)
        guard let aged else { return end }
        return max(end, try HistoryBoundary.end(atOrBefore: aged, on: connection) ?? end)
    }
}

/// The number of retained changes. The store records the count and the number up to which it holds, so that
/// only newer rows are counted.
struct RetainedChangeCount: Sendable {
    /// The numbers read in one query, so that no other task waits long for the connection.
    static let slice: Int64 = 20_000

    private(set) var changes: Int64
    private(set) var upTo: Int64

    init(_ extent: HistoryExtent, on connection: borrowing Connection) throws {
        changes = try StoreMetadata.integer(.countedChanges, on: connection) ?? 0
        upTo = try StoreMetadata.integer(.countedUpTo, on: connection) ?? 0
        if upTo < extent.floor { (changes, upTo) = (0, extent.floor) }
    }

    /// Counts one more slice.
    ///
    /// - Returns: False when there is nothing more to count.
    mutating func advance(on connection: borrowing Connection) throws -> Bool {
        let last = min(
            try Self.sliceEnd(above: upTo, on: connection), try HistoryBoundary.newest(on: connection))
        guard upTo < last else { return false }
        changes += try Self.changes(above: upTo, upTo: last, on: connection)
        upTo = last
        return true
    }

    func store(on connection: borrowing Connection) throws {
        try StoreMetadata.set(.countedChanges, .integer(changes), on: connection)
        try StoreMetadata.set(.countedUpTo, .integer(upTo), on: connection)
    }

    /// Subtracts the changes below a raised floor.
    mutating func remove(_ removed: Int64, upTo number: Int64) {
        (changes, upTo) = number < upTo ? (changes - removed, upTo) : (0, number)
    }

    /// Subtracts the changes of a transaction deleted from between others; they are a run of numbers.
    mutating func remove(changesFrom first: Int64, _ count: Int64) {
        changes -= max(0, min(count, upTo - first + 1))
    }

    /// Returns the end of a slice above a number. A gap of any width takes no slice.
    static func sliceEnd(above low: Int64, on connection: borrowing Connection) throws -> Int64 {
        let first = try connection.integer("SELECT min(number) FROM history WHERE number > ?1", low)
        return max(low, (first ?? 0) - 1) + slice
    }

    static func changes(above low: Int64, upTo high: Int64, on connection: borrowing Connection) throws
        -> Int64
    {
        try connection.integer(
            "SELECT count(*) FROM history WHERE number > ?1 AND number <= ?2 AND kind < 3", low, high) ?? 0
    }

    /// Returns the number of the n-th change above a number; nil if there are fewer.
    static func number(ofChange index: Int64, above low: Int64, on connection: borrowing Connection) throws
        -> Int64?
    {
        try connection.integer(
            "SELECT number FROM history WHERE number > ?1 AND kind < 3 ORDER BY number LIMIT 1 OFFSET ?2",
            low,
            index - 1)
    }

    static func transactions(above low: Int64, upTo high: Int64, on connection: borrowing Connection) throws
        -> Int64
    {
        try connection.integer(
            """
            SELECT count(*) FROM history WHERE number > ?1 AND number <= ?2 AND \(HistoryBoundary.isFirstRow)
            """, low, high) ?? 0
    }
}
