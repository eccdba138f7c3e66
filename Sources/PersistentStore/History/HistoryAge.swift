import SQLite

/// How old history is, also when its timestamps are no help.
///
/// A clock that was ahead for one commit leaves timestamps that are later than now, and all that follow are held
/// at it. So cleaning then notes the newest number and its own time: whatever has such a number is at least as
/// old as the note.
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

    /// The last number that, with all before it, is from before a time.
    func lastNumber(olderThan time: Int64, _ ends: HistoryEnds, on connection: borrowing Connection) throws
        -> Int64
    {
        let stamped = try HistoryBoundary.lastNumber(stampedBefore: time, above: ends.floor, on: connection)
        guard isAhead, let mark, mark.time < time else { return stamped }
        return max(stamped, mark.number)
    }

    /// Whether the note has to be made, or has served its time.
    func needsMark(_ bounds: HistoryBounds) -> Bool {
        guard isAhead else { return false }
        return mark.map { $0.time < bounds.oldest(now) } ?? true
    }

    static func setMark(now: Int64, on connection: borrowing Connection) throws {
        try StoreMetadata.set(.ageMark, .integer(try HistoryBoundary.newest(on: connection)), on: connection)
        try StoreMetadata.set(.ageMarkTime, .integer(now), on: connection)
    }
}
