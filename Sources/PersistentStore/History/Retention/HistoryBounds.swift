import SQLite

/// The retention of the history: limits on its age and size.
public struct HistoryBounds: Hashable, Sendable {
    package var maximumAge: Duration
    package var minimumAge: Duration
    package var maximumChanges: Int?
    package var maximumStoreShare: Double?

    /// Creates bounds.
    ///
    /// - Parameters:
    ///   - maximumAge: The age beyond which history is purged even if a consumer still needs it, except consumers that
    ///     retain history always (``ConsumerRetention/always``). Zero purges all history.
    ///   - minimumAge: The age up to which history is retained even after all consumers have read it, for example for
    ///     undo and restore. The other bounds have precedence.
    ///   - maximumChanges: The number of changes beyond which the oldest history is purged, even if a consumer still
    ///     needs it.
    ///   - maximumStoreShare: The history's share of the store's used pages, from 0 to 1, beyond which the oldest
    ///     history is purged. Checked by cleaning only, and only if SQLite has `dbstat`.
    public init(
        maximumAge: Duration = .seconds(30 * 24 * 3600), minimumAge: Duration = .zero,
        maximumChanges: Int? = nil, maximumStoreShare: Double? = nil
    ) {
        self.maximumAge = maximumAge
        self.minimumAge = minimumAge
        self.maximumChanges = maximumChanges
        self.maximumStoreShare = maximumStoreShare
    }

    // Several transactions may share a millisecond, so an age of zero includes the current one.

    /// The timestamp before which history exceeds the maximum age.
    func oldest(_ now: Int64) -> Int64 {
        maximumAge <= .zero ? .max : now - maximumAge.wholeMilliseconds
    }

    /// The timestamp before which history may be purged.
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

/// The number up to which a purge deletes the history, and the consumers that block it.
///
/// Computed on a snapshot, and carried out only if the store has not changed in a relevant way when the write
/// lock is held.
struct PurgePlan: Sendable {
    let extent: HistoryExtent
    /// The number up to which all history is deleted; the end of a transaction.
    let number: Int64
    /// The number up to which history would be deleted without consumers.
    let wanted: Int64
    /// Whether the purge passes cursors of consumers that do not retain history always.
    let passesCursors: Bool
    let ignored: Set<String>

    /// Creates a plan that ends where every consumer has read, if that history is old enough, and in any case
    /// where a bound requires it.
    ///
    /// - Parameter sized: the number up to which the bounds on size require a purge.
    init(
        _ bounds: HistoryBounds, ignoring ignored: Set<String>, sized: Int64, now: Int64,
        on connection: borrowing Connection
    ) throws {
        let extent = try HistoryExtent(connection)
        let holds = try ConsumerHolds(extent, ignoring: ignored, on: connection)
        let age = try HistoryAge(now: now, on: connection)
        let aged = try age.lastNumber(olderThan: bounds.oldest(now), extent, on: connection)
        let beyond = max(aged, sized, extent.floor)
        var passed = extent.floor
        if let position = holds.passed {
            passed = min(
                position, try age.lastNumber(olderThan: bounds.youngest(now), extent, on: connection))
        }
        let allowed = min(beyond, holds.limit ?? .max)
        let last = try HistoryBoundary.end(atOrBefore: max(allowed, passed), on: connection)
        self.extent = extent
        self.ignored = ignored
        number = max(extent.floor, last ?? 0)
        wanted = max(number, try HistoryBoundary.end(atOrBefore: beyond, on: connection) ?? 0)
        passesCursors = allowed > passed
    }

    /// Creates a plan that ends before the end of a request, or where every consumer has read.
    init(_ request: HistoryDeleteRequest, on connection: borrowing Connection) throws {
        extent = try HistoryExtent(connection)
        ignored = []
        let end = try request.lastNumber(extent, on: connection)
        wanted = max(extent.floor, try HistoryBoundary.end(atOrBefore: end, on: connection) ?? 0)
        passesCursors = !request.respectsConsumers
        let passed = request.respectsConsumers ? try ConsumerHolds(extent, on: connection).passed : nil
        let last = try HistoryBoundary.end(atOrBefore: min(wanted, passed ?? .max), on: connection)
        number = max(extent.floor, last ?? 0)
    }

    /// Returns the names of the consumers that need the retained part of the requested history.
    func blockedBy(on connection: borrowing Connection) throws -> [String] {
        guard wanted > number else { return [] }
        return try ConsumerHolds(extent, ignoring: ignored, on: connection).names(
            before: wanted, always: passesCursors)
    }

    /// Raises the floor. From then on every token below it has expired, so no reader can meet a gap.
    ///
    /// - Parameter isForced: whether to pass even consumers that retain history always.
    /// - Returns: False if the store has changed since the plan was made.
    func raiseFloor(_ removed: PurgeResult, isForced: Bool, on connection: borrowing Connection) throws
        -> Bool
    {
        let current = try HistoryExtent(connection)
        guard current == extent else { return false }
        if !isForced {
            let holds = try ConsumerHolds(current, ignoring: ignored, on: connection)
            guard number <= (passesCursors ? holds.limit : holds.passed) ?? .max else { return false }
        }
        var count = try RetainedChangeCount(current, on: connection)
        count.remove(Int64(removed.changes), upTo: number)
        try count.store(on: connection)
        try StoreMetadata.set(.historyFloor, .integer(number), on: connection)
        try HistoryRemoval.removeValues(at: number, on: connection)
        return true
    }
}

extension HistoryDeleteRequest {
    /// Returns the number up to which the request reaches, which may be inside a transaction.
    func lastNumber(_ extent: HistoryExtent, on connection: borrowing Connection) throws -> Int64 {
        switch end {
        case .before(let token):
            try check(token, on: connection)
            return try lastNumber(beforeTransactionWith: token.number, on: connection)
        case .beforeTransaction(let number):
            return try lastNumber(beforeTransactionWith: number, on: connection)
        case .beforeDate(let date):
            return try HistoryBoundary.lastNumber(
                stampedBefore: HistoryBoundary.milliseconds(date), above: extent.floor, on: connection)
        }
    }

    private func check(_ token: HistoryToken, on connection: borrowing Connection) throws {
        let metadata = try StoreMetadata(connection)
        guard token.storeID == metadata.storeID else { throw StoreError.tokenOfAnotherStore }
        let newest = HistoryToken(
            storeID: metadata.storeID, generation: metadata.generation,
            number: try HistoryBoundary.newest(on: connection))
        guard token.number <= newest.number else { throw StoreError.tokenFromFuture(newest: newest) }
    }

    /// Returns the number before a whole transaction. A number inside a transaction means that transaction;
    /// the number of a deleted transaction means its former position.
    private func lastNumber(
        beforeTransactionWith number: Int64, on connection: borrowing Connection
    ) throws -> Int64 {
        guard let first = try HistoryBoundary.beginning(ofTransactionWith: number, on: connection),
            let end = try HistoryBoundary.end(atOrAfter: first, on: connection), end >= number
        else { return number }
        return first - 1
    }
}
