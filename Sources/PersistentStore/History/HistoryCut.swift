import SQLite

/// Where the older end of the history is to be cut off, and who is in the way.
///
/// Worked out on a snapshot; carried out only if under the lock nothing speaks against it.
struct HistoryCut: Sendable {
    let ends: HistoryEnds
    /// The number up to which everything goes; the end of a transaction.
    let number: Int64
    /// The number up to which it would go without consumers.
    let wanted: Int64
    /// Whether the cut passes cursors that are not kept always.
    let passesCursors: Bool
    let ignored: Set<String>

    /// Cuts at what every consumer has passed, if it is old enough; and in any case at what lies beyond a bound.
    ///
    /// - Parameter sized: up to where the bounds on size want it cut.
    init(
        _ bounds: HistoryBounds, ignoring ignored: Set<String>, sized: Int64, now: Int64,
        on connection: borrowing Connection
    ) throws {
        let ends = try HistoryEnds(connection)
        let holds = try ConsumerHolds(ends, ignoring: ignored, on: connection)
        let age = try HistoryAge(now: now, on: connection)
        let aged = try age.lastNumber(olderThan: bounds.oldest(now), ends, on: connection)
        let beyond = max(aged, sized, ends.floor)
        var passed = ends.floor
        if let position = holds.passed {
            passed = min(position, try age.lastNumber(olderThan: bounds.youngest(now), ends, on: connection))
        }
        let allowed = min(beyond, holds.limit ?? .max)
        let cut = try HistoryBoundary.end(atOrBefore: max(allowed, passed), on: connection)
        self.ends = ends
        self.ignored = ignored
        number = max(ends.floor, cut ?? 0)
        wanted = max(number, try HistoryBoundary.end(atOrBefore: beyond, on: connection) ?? 0)
        passesCursors = allowed > passed
    }

    /// Cuts before the end of a request, or at what every consumer has passed.
    init(_ request: HistoryDeleteRequest, on connection: borrowing Connection) throws {
        ends = try HistoryEnds(connection)
        ignored = []
        let end = try request.lastNumber(ends, on: connection)
        wanted = max(ends.floor, try HistoryBoundary.end(atOrBefore: end, on: connection) ?? 0)
        passesCursors = !request.respectsConsumers
        let passed = request.respectsConsumers ? try ConsumerHolds(ends, on: connection).passed : nil
        let cut = try HistoryBoundary.end(atOrBefore: min(wanted, passed ?? .max), on: connection)
        number = max(ends.floor, cut ?? 0)
    }

    /// Who needs what stays though it was asked for.
    func heldBy(on connection: borrowing Connection) throws -> [String] {
        guard wanted > number else { return [] }
        return try ConsumerHolds(ends, ignoring: ignored, on: connection).names(
            before: wanted, always: passesCursors)
    }

    /// Raises the floor: from then on a token below it has expired, so that no reader meets a hole. False when
    /// the store is no longer what the cut was worked out on.
    ///
    /// - Parameter isForced: whether even consumers that keep history always are passed.
    func raiseFloor(_ removed: PurgeResult, isForced: Bool, on connection: borrowing Connection) throws
        -> Bool
    {
        let current = try HistoryEnds(connection)
        guard current == ends else { return false }
        if !isForced {
            let holds = try ConsumerHolds(current, ignoring: ignored, on: connection)
            guard number <= (passesCursors ? holds.limit : holds.passed) ?? .max else { return false }
        }
        var count = try KeptChanges(current, on: connection)
        count.remove(Int64(removed.changes), upTo: number)
        try count.store(on: connection)
        try StoreMetadata.set(.historyFloor, .integer(number), on: connection)
        return true
    }
}

extension HistoryDeleteRequest {
    /// The number up to which the request reaches; in the middle of nothing in particular.
    func lastNumber(_ ends: HistoryEnds, on connection: borrowing Connection) throws -> Int64 {
        switch end {
        case .token(let token):
            try check(token, on: connection)
            return try lastNumber(beforeTransactionWith: token.number, on: connection)
        case .transaction(let number): return try lastNumber(beforeTransactionWith: number, on: connection)
        case .date(let date):
            return try HistoryBoundary.lastNumber(
                stampedBefore: HistoryBoundary.milliseconds(date), above: ends.floor, on: connection)
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

    /// A number in the middle of a transaction stands for the whole of it; one of a transaction that is gone for
    /// the place where it was.
    private func lastNumber(
        beforeTransactionWith number: Int64, on connection: borrowing Connection
    ) throws -> Int64 {
        guard let first = try HistoryBoundary.beginning(ofTransactionWith: number, on: connection),
            let end = try HistoryBoundary.end(atOrAfter: first, on: connection), end >= number
        else { return number }
        return first - 1
    }
}
