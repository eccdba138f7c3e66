import SQLite

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
            """)
        try rows.bind(near?.number ?? extent?.floor ?? 0, at: 1)
        try rows.bind(number, at: 2)
        if try rows.step() {
            count.transactions += Int(rows.integer(0))
            count.changes += Int(rows.integer(1))
        }
        positions.append(Position(number: number, count: count))
        positions.sort { $0.number < $1.number }
        return count
    }
}
