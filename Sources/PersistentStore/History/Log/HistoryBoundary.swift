package import FoundationEssentials
import SQLite

/// The boundaries of transactions in the log, and their positions by time.
enum HistoryBoundary {
    /// True for the first row of a transaction: a context's `begin` row, or a change of an external writer.
    static let isFirstRow = "(kind = 3 OR (kind < 3 AND at NOT NULL))"

    /// True for the last row of a transaction: a context's `end` row, or a change of an external writer.
    private static let isLastRow = "at NOT NULL"

    static func newest(on connection: borrowing Connection) throws -> Int64 {
        try connection.integer("SELECT max(number) FROM history") ?? 0
    }

    /// Returns the end of the last transaction that is completely at or before a number.
    static func end(atOrBefore number: Int64, on connection: borrowing Connection) throws -> Int64? {
        try connection.integer(
            "SELECT number FROM history WHERE number <= ?1 AND \(isLastRow) ORDER BY number DESC LIMIT 1",
            number)
    }

    /// Returns the end of the transaction that contains a number.
    static func end(atOrAfter number: Int64, on connection: borrowing Connection) throws -> Int64? {
        try connection.integer(
            "SELECT number FROM history WHERE number >= ?1 AND \(isLastRow) ORDER BY number LIMIT 1", number)
    }

    /// Returns the first row of the transaction that contains a number.
    static func beginning(ofTransactionWith number: Int64, on connection: borrowing Connection) throws
        -> Int64?
    {
        try connection.integer(
            "SELECT number FROM history WHERE number <= ?1 AND \(isFirstRow) ORDER BY number DESC LIMIT 1",
            number)
    }

    /// The timestamp of the newest row that has one.
    static func newestStamp(on connection: borrowing Connection) throws -> Int64? {
        try connection.integer(
            """
            SELECT coalesce(at, began) FROM history WHERE coalesce(at, began) NOT NULL
            ORDER BY number DESC LIMIT 1
            """)
    }

    /// Returns the last number such that its timestamp and all earlier ones are before a time.
    ///
    /// Each writer ensures that timestamps rise with the numbers; in another program's database they are those of the
    /// writers' clocks, and a clock that was set back affects the result. So this is a search: from the newest row, in
    /// steps that double until one is early enough, and then halve. No row without a timestamp is read twice,
    /// however long its transaction is.
    ///
    /// - Complexity: O(log *n*) steps over the *n* rows after the returned number.
    static func lastNumber(
        stampedBefore time: Int64, above floor: Int64, on connection: borrowing Connection
    ) throws -> Int64 {
        var low = floor
        var high = max(floor, try newest(on: connection))
        var step: Int64 = 16
        let stamped = try connection.prepare(
            """
            SELECT number, coalesce(at, began) FROM history WHERE number > ?1 AND number <= ?2
            AND coalesce(at, began) NOT NULL ORDER BY number DESC LIMIT 1
            """)
        while low < high {
            step = min(step, (high - low) / 2)
            let middle = high - step
            step *= 2
            stamped.reset()
            try stamped.bind(low, at: 1)
            try stamped.bind(middle, at: 2)
            if try stamped.step(), stamped.integer(1) >= time {
                high = stamped.integer(0) - 1
            } else {
                low = middle
            }
        }
        return low
    }

    /// Returns the first millisecond that is not before a date. A date made from a millisecond returns that
    /// one.
    static func milliseconds(_ date: Date) -> Int64 {
        let microseconds = (date.timeIntervalSince1970 * 1_000_000).rounded()
        guard !microseconds.isNaN else { return 0 }
        return Int64((max(-4e18, min(4e18, microseconds)) / 1000).rounded(.up))
    }
}

/// The extent of the readable history.
struct HistoryExtent: Sendable, Equatable {
    /// The number of the last row that is no longer readable.
    let floor: Int64
    /// The number of the newest deleted transaction at any position; a token before it has expired.
    let expiry: Int64
    /// Tokens of other generations have expired.
    let generation: Int64
    /// The number of selective deletions so far. A plan made before the latest of them is invalid.
    let deletions: Int64

    init(_ connection: borrowing Connection) throws {
        floor = max(0, try StoreMetadata.integer(.historyFloor, on: connection) ?? 0)
        expiry = try StoreMetadata.historyExpiry(floor: floor, on: connection)
        generation = try StoreMetadata.integer(.generation, on: connection) ?? 1
        deletions = try StoreMetadata.integer(.deletions, on: connection) ?? 0
    }
}

/// Timestamps of the log: whole milliseconds since 1970.
extension Date {
    /// The range in which a Date distinguishes single milliseconds.
    private static let range: ClosedRange<Double> = -8e15...8e15

    package init(milliseconds: Int64) {
        self.init(timeIntervalSince1970: Double(milliseconds) / 1000)
    }

    /// The last timestamp that is not later than the date. It is exact: a transaction's own date finds that
    /// transaction.
    var lastMillisecond: Int64 {
        let seconds = timeIntervalSince1970 * 1000
        guard Self.range.contains(seconds) else { return seconds > 0 ? .max : .min }
        var milliseconds = Int64(seconds.rounded(.down))
        while Date(milliseconds: milliseconds) > self { milliseconds -= 1 }
        while Date(milliseconds: milliseconds + 1) <= self { milliseconds += 1 }
        return milliseconds
    }

    /// The same; nil for a date beyond the range of timestamps.
    var storedMillisecond: Int64? {
        Self.range.contains(timeIntervalSince1970 * 1000) ? lastMillisecond : nil
    }

    /// The last timestamp that is earlier than the date.
    var millisecondBefore: Int64 {
        let last = lastMillisecond
        guard last != .max && last != .min else { return last }
        return Date(milliseconds: last) < self ? last : last - 1
    }
}
