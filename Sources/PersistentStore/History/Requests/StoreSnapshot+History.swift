import SQLite

/// The forms of results of a history request. See ``HistoryFetchRequest``.
extension StoreSnapshot {
    /// Returns the number of admitted transactions, and of their admitted changes; reads no values.
    public func count(_ request: HistoryFetchRequest) throws(StoreError) -> (transactions: Int, changes: Int)
    {
        let count = try historyCount(request)
        return (count.transactions, count.changes)
    }

    package func historyCount(_ request: HistoryFetchRequest) throws(StoreError) -> HistoryCount {
        try ask { [log = try log] in try log.count(request, on: $0) }
    }

    /// Returns the changed objects, each once; reads no values.
    public func objectIDs(_ request: HistoryFetchRequest) throws(StoreError) -> Set<ObjectID> {
        try ask { [log = try log] in try log.objectIDs(request, on: $0) }
    }

    /// Returns all admitted transactions; `forEachTransaction(_:_:)` holds one in memory.
    public func transactions(_ request: HistoryFetchRequest) throws(StoreError) -> [HistoryTransaction] {
        try ask { [log = try log] connection in
            let reading = try HistoryReading(log, request, on: connection)
            var transactions: [HistoryTransaction] = []
            while let transaction = try reading.next(on: connection) { transactions.append(transaction) }
            return transactions
        }
    }

    /// Returns all admitted changes, without their transactions; `forEachChange(_:_:)` holds a few in
    /// memory.
    public func changes(_ request: HistoryFetchRequest) throws(StoreError) -> [HistoryChange] {
        var changes: [HistoryChange] = []
        try forEachChange(request) { change, _ in
            changes.append(change)
            return true
        }
        return changes
    }

    /// Calls a closure with each admitted transaction, in the order of their numbers, or with
    /// `maxChangesAtOnce` with each piece. Memory is bounded by one element, regardless
    /// of the length of the history.
    ///
    /// - Parameters:
    ///   - request: The part of the history to read.
    ///   - body: A closure that returns false to stop. It may run other queries on this snapshot.
    public func forEachTransaction(
        _ request: HistoryFetchRequest, _ body: (HistoryTransaction) throws(StoreError) -> Bool
    ) throws(StoreError) {
        if let error = try firstError(request, of: body) { throw error }
    }

    /// Does the same with a closure that throws errors of its own.
    public func forEachTransaction(
        _ request: HistoryFetchRequest, _ body: (HistoryTransaction) throws -> Bool
    ) throws {
        if let error = try firstError(request, of: body) { throw error }
    }

    /// Calls a closure with each admitted change, in order, and with its transaction, which has no changes
    /// itself. Holds at most a few hundred changes in memory, even of a transaction of a million.
    ///
    /// - Parameters:
    ///   - request: The part of the history to read.
    ///   - body: A closure that returns false to stop. It may run other queries on this snapshot.
    package func forEachChange(
        _ request: HistoryFetchRequest,
        _ body: (HistoryChange, HistoryTransaction) throws(StoreError) -> Bool
    ) throws(StoreError) {
        if let error = try firstError(request, of: body) { throw error }
    }

    /// Does the same with a closure that throws errors of its own.
    package func forEachChange(
        _ request: HistoryFetchRequest, _ body: (HistoryChange, HistoryTransaction) throws -> Bool
    ) throws {
        if let error = try firstError(request, of: body) { throw error }
    }

    /// Calls a closure with the changes of these numbers that the history retains, in the order of the numbers.
    package func forEachChange(
        numbered numbers: [Int64], _ body: (HistoryChange) throws(StoreError) -> Void
    ) throws(StoreError) {
        var start = 0
        while start < numbers.count {
            let part = numbers[start..<min(numbers.count, start + Self.maxChangesHeld)]
            for change in try ask({ [log = try log] in try log.changes(numbered: Array(part), on: $0) }) {
                try body(change)
            }
            start = part.endIndex
        }
    }

    /// Returns the error with which a closure stopped; nil if it threw none.
    private func firstError<Failure>(
        _ request: HistoryFetchRequest, of body: (HistoryTransaction) throws(Failure) -> Bool
    ) throws(StoreError) -> Failure? {
        let reading = try source.run { [log = try log] in try $0.beginReading(request, log) }
        defer { try? source.run { $0.endReading(reading) } }
        while let transaction = try source.run({ try $0.nextTransaction(of: reading) }) {
            do throws(Failure) {
                guard try body(transaction) else { return nil }
            } catch {
                return error
            }
        }
        return nil
    }

    private func firstError<Failure>(
        _ request: HistoryFetchRequest, of body: (HistoryChange, HistoryTransaction) throws(Failure) -> Bool
    ) throws(StoreError) -> Failure? {
        var request = request
        request.includesChanges = true
        request.maxChangesAtOnce = min(request.maxChangesAtOnce ?? .max, Self.maxChangesHeld)
        return try firstError(request) { (piece) throws(Failure) in
            let transaction = piece.withoutChanges
            for change in piece.changes where try !body(change, transaction) { return false }
            return true
        }
    }

    private static let maxChangesHeld = 256
}

/// History requests, each answered from one state of the store. To read much of the history, or several
/// results that must be consistent, use `read(_:)` with a ``StoreSnapshot``.
extension PersistentContainer {
    /// Returns all admitted transactions; `forEachTransaction(_:_:)` holds one in memory.
    nonisolated(nonsending) public func transactions(_ request: HistoryFetchRequest = HistoryFetchRequest())
        async throws(StoreError) -> [HistoryTransaction]
    {
        try await read { snapshot throws(StoreError) in try snapshot.transactions(request) }
    }
}

extension StoreSnapshot {
    /// Returns a digest of the row at the position of a token, which is different in another history that grew to the
    /// same number after the store was replaced by an older file; nil if cleaning has deleted the row.
    package func digest(at token: HistoryToken) throws(StoreError) -> Int64? {
        try ask { connection in
            let row = try connection.prepare(
                """
                SELECT number, kind, entity, object, columns, at, began, origin, process, session FROM history
                WHERE number = ?1
                """, [token.number])
            guard try row.step() else { return nil }
            // FNV-1a.
            return (0..<row.columnCount).reduce(Int64(bitPattern: 0xCBF2_9CE4_8422_2325)) { digest, column in
                (digest ^ (row.isNull(column) ? .min : row.integer(column))) &* 0x100_0000_01B3
            }
        }
    }
}

/// Counts the history up to given positions, and caches the counts: a repeated request reads only newer rows.
package struct HistoryCounter: Sendable {
    private struct Position {
        let number: Int64
        let count: HistoryCount
    }

    private var extent: HistoryExtent?
    private var positions: [Position] = []

    package init() {}

    /// Returns the counts before each position, and the total. The count of an expired position is nil.
    package mutating func count(
        before starts: [HistoryFetchRequest.Start], in snapshot: borrowing StoreSnapshot
    ) throws(StoreError) -> (before: [HistoryCount?], all: HistoryCount) {
        let (log, known) = (try snapshot.log, self)
        let (counter, result) = try snapshot.ask { connection in
            var counter = known
            let result = try counter.count(before: starts, log, on: connection)
            return (counter, result)
        }
        self = counter
        return result
    }

    private mutating func count(
        before starts: [HistoryFetchRequest.Start], _ log: HistoryLog, on connection: borrowing Connection
    ) throws -> (before: [HistoryCount?], all: HistoryCount) {
        let extent = try HistoryExtent(connection)
        // The counted history was purged.
        if self.extent != extent { (self.extent, positions) = (extent, []) }
        let numbers = try starts.map { start -> Int64? in
            do {
                return try log.range(of: HistoryFetchRequest(start), on: connection).after
            } catch StoreError.tokenExpired, StoreError.tokenFromFuture, StoreError.tokenOfAnotherStore {
                return nil
            }
        }
        let newest = try HistoryBoundary.newest(on: connection)
        var counted: [Int64: HistoryCount] = [:]
        // In rising order, each count continues from the one before.
        for number in Set(numbers.compactMap { $0 } + [newest]).sorted() {
            counted[number] = try count(upTo: number, on: connection)
        }
        positions = counted.map { Position(number: $0, count: $1) }.sorted { $0.number < $1.number }
        return (numbers.map { $0.flatMap { counted[$0] } }, counted[newest] ?? HistoryCount())
    }

    private mutating func count(upTo number: Int64, on connection: borrowing Connection) throws
        -> HistoryCount
    {
        let near = positions.last { $0.number <= number }
        var count = near?.count ?? HistoryCount()
        let rows = try connection.prepare(
            """
            SELECT coalesce(sum\(HistoryBoundary.isFirstRow), 0), coalesce(sum(kind < 3), 0)
            FROM history WHERE number > ?1 AND number <= ?2
            """, [near?.number ?? extent?.floor ?? 0, number])
        if try rows.step() {
            count.transactions += Int(rows.integer(0))
            count.changes += Int(rows.integer(1))
        }
        positions.append(Position(number: number, count: count))
        positions.sort { $0.number < $1.number }
        return count
    }
}
