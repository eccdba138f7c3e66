import SQLite

/// The retention of the history: limits on its age and size.
public struct HistoryBounds: Hashable, Sendable {
    /// The age beyond which history is purged even if a consumer still needs it, except consumers that retain
    /// history always (``ConsumerRetention/always``).
    public var maximumAge: Duration
    /// The age up to which history is retained even after all consumers have read it, for example for undo
    /// and restore. The other bounds have precedence.
    public var minimumAge: Duration
    /// The number of changes beyond which the oldest history is purged, even if a consumer still needs it.
    public var maximumChanges: Int?
    /// The history's share of the store's used pages, from 0 to 1, beyond which the oldest history is purged.
    /// Checked by cleaning only, and only if SQLite has `dbstat`.
    public var maximumStoreShare: Double?

    public init(
        maximumAge: Duration = .seconds(30 * 24 * 3600), minimumAge: Duration = .zero,
        maximumChanges: Int? = nil, maximumStoreShare: Double? = nil
    ) {
        self.maximumAge = maximumAge
        self.minimumAge = minimumAge
        self.maximumChanges = maximumChanges
        self.maximumStoreShare = maximumStoreShare
    }

    /// The timestamp before which history exceeds the maximum age.
    func oldest(_ now: Int64) -> Int64 { now - maximumAge.wholeMilliseconds }

    /// The timestamp before which history may be purged. Several transactions may share a millisecond, so
    /// without a minimum age the current one is included.
    func youngest(_ now: Int64) -> Int64 {
        minimumAge == .zero ? .max : now - minimumAge.wholeMilliseconds
    }
}

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
    func lastNumber(olderThan time: Int64, _ extent: HistoryExtent, on connection: borrowing Connection)
        throws
        -> Int64
    {
        let stamped = try HistoryBoundary.lastNumber(stampedBefore: time, above: extent.floor, on: connection)
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

/// The history's share of the store, in bytes of used pages.
struct HistoryShare {
    let history: Double
    let others: Double

    /// Creates nil without `dbstat` (sqlite.org/dbstat.html), which Debian's library has.
    init?(on connection: borrowing Connection) throws {
        guard try connection.integer("SELECT 1 FROM pragma_module_list WHERE name = 'dbstat'") == 1 else {
            return nil
        }
        let entities = try connection.texts("SELECT name FROM history_entity")
        var bytes: Int64 = 0
        for table in ["history"] + entities.map({ "history_values_\($0)" }) {
            bytes +=
                try connection.integer("SELECT pgsize FROM dbstat WHERE aggregate = 1 AND name = ?1", table)
                ?? 0
        }
        let pages =
            (try connection.integer("PRAGMA page_count") ?? 0)
            - (try connection.integer("PRAGMA freelist_count") ?? 0)
        history = Double(bytes)
        others = max(0, Double(pages * (try connection.integer("PRAGMA page_size") ?? 0) - bytes))
    }

    /// Returns the part of the history to retain for it to be at most a given share of the store.
    func part(within share: Double) -> Double {
        guard share < 1, history > 0 else { return 1 }
        return min(1, max(0, share) * others / (1 - max(0, share)) / history)
    }
}
