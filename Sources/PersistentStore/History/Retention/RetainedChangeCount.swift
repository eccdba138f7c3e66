import SQLite

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
