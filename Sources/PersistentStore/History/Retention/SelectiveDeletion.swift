import SQLite

/// Transactions to delete from between others, as many as fit into one commit.
///
/// Each is deleted completely, in the commit that expires the tokens before it, so that no reader can meet
/// half of one. A transaction with very many changes therefore blocks other writers for the time of its
/// deletion.
struct SelectiveDeletion: Sendable {
    private struct Selected {
        let first: Int64
        let last: Int64

        /// A change of an external writer has neither a `begin` nor an `end` row.
        private var isChange: Bool { first == last }
        var changes: Int64 { isChange ? 1 : last - first - 1 }
        var firstChange: Int64 { isChange ? first : first + 1 }
    }

    private static let maxTransactions = 1000
    private static let maxRows: Int64 = 2000

    private var selected: [Selected] = []
    /// The number at which to continue; nil at the end.
    private(set) var next: Int64?

    var isEmpty: Bool { selected.isEmpty }

    /// Creates a selection from a range of numbers, on a snapshot.
    init(
        _ request: HistoryDeleteRequest, from first: Int64, upTo last: Int64,
        on connection: borrowing Connection
    )
        throws
    {
        try request.predicate?.checkSize()
        let beginnings = try connection.prepare(
            """
            SELECT \(HistoryHeaders.columns) FROM history
            WHERE number >= ?1 AND number <= ?2 AND \(HistoryBoundary.isFirstRow) ORDER BY number
            """)
        try beginnings.bind(first, at: 1)
        try beginnings.bind(last, at: 2)
        var headers = HistoryHeaders()
        var rows: Int64 = 0
        var seen: Int64 = 0
        while try beginnings.step() {
            let number = beginnings.integer(0)
            seen += 1
            guard rows < Self.maxRows, selected.count < Self.maxTransactions, seen < RetainedChangeCount.slice
            else {
                next = number
                return
            }
            let header = try headers.header(beginnings, on: connection)
            guard request.predicate?.admits(header) ?? true,
                let end = try HistoryBoundary.end(atOrAfter: number, on: connection), end <= last
            else { continue }
            selected.append(Selected(first: number, last: end))
            rows += end - number + 1
        }
    }

    /// Returns the size of the selection: the part to delete, and the part that consumers still need.
    func count(respecting holds: ConsumerHolds?) -> PurgeResult {
        let passed = holds?.passed ?? .max
        let free = selected.filter { $0.last <= passed }
        var result = PurgeResult()
        result.transactions = free.count
        result.changes = free.reduce(0) { $0 + Int($1.changes) }
        result.retained = selected.count - free.count
        if let holds, let last = selected.last, result.retained > 0 {
            result.blockedBy = holds.names(before: last.last)
        }
        return result
    }

    /// Deletes the transactions that still exist and that no consumer needs.
    func remove(respectingConsumers: Bool, on connection: borrowing Connection) throws -> PurgeResult {
        let extent = try HistoryExtent(connection)
        let passed = respectingConsumers ? try ConsumerHolds(extent, on: connection).passed : nil
        let newest = try HistoryBoundary.newest(on: connection)
        var count = try RetainedChangeCount(extent, on: connection)
        var result = PurgeResult()
        var expiry = extent.expiry
        for transaction in selected
        where transaction.first > extent.floor && transaction.last <= passed ?? .max {
            let isThere = try connection.integer(
                "SELECT \(HistoryBoundary.isFirstRow) FROM history WHERE number = ?1", transaction.first)
            guard isThere == 1 else { continue }
            count.remove(changesFrom: transaction.firstChange, transaction.changes)
            result.transactions += 1
            result.changes += Int(transaction.changes)
            expiry = max(expiry, transaction.last)
            try HistoryRemoval.remove(
                from: transaction.first, upTo: min(transaction.last, newest - 1), on: connection)
            if transaction.last == newest { try emptyNewest(on: connection) }
        }
        guard result.transactions > 0 else { return result }
        try StoreMetadata.set(.historyExpiry, .integer(expiry), on: connection)
        try StoreMetadata.set(.deletions, .integer(extent.deletions + 1), on: connection)
        try count.store(on: connection)
        return result
    }

    /// Empties the newest row, which is retained as an end without a transaction, for its number and time.
    private func emptyNewest(on connection: borrowing Connection) throws {
        let newest = try HistoryBoundary.newest(on: connection)
        try HistoryRemoval.removeValues(at: newest, on: connection)
        try connection.run(
            """
            UPDATE history SET kind = 4, entity = NULL, object = NULL, columns = NULL WHERE number = ?1
            """, newest)
    }
}
