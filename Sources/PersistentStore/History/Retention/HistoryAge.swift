import SQLite

/// The age of the history, even if its timestamps are wrong.
///
/// A clock that was ahead for one commit leaves a timestamp in the future, and all later commits get the same
/// timestamp. Cleaning then records a mark: the newest number and its own time. Every row up to that number
/// is at least as old as the mark.
struct HistoryAge {
    private let now: Int64
    private let isAhead: Bool
    private let mark: (number: Int64, time: Int64)?

    init(now: Int64, on connection: borrowing Connection) throws {
        self.now = now
        isAhead = try HistoryBoundary.newestStamp(on: connection) ?? now > now
        if let number = try StoreMetadata.integer(.ageMark, on: connection),
            let time = try StoreMetadata.integer(.ageMarkTime, on: connection), time <= now
        {
            mark = (number, time)
        } else {
            mark = nil
        }
    }

    /// Returns the last number such that it and all earlier ones are older than a time.
    func lastNumber(olderThan time: Int64, _ ends: HistoryExtent, on connection: borrowing Connection) throws
        -> Int64
    {
        let stamped = try HistoryBoundary.lastNumber(stampedBefore: time, above: ends.floor, on: connection)
        guard isAhead, let mark, mark.time < time else { return stamped }
        return max(stamped, mark.number)
    }

    /// Whether a mark must be recorded, or the recorded one has expired.
    func needsMark(_ bounds: HistoryBounds) -> Bool {
        guard isAhead else { return false }
        return mark.map { $0.time < bounds.oldest(now) } ?? true
    }

    static func setMark(now: Int64, on connection: borrowing Connection) throws {
        try StoreMetadata.set(.ageMark, .integer(try HistoryBoundary.newest(on: connection)), on: connection)
        try StoreMetadata.set(.ageMarkTime, .integer(now), on: connection)
    }
}
