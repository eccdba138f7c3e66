import SQLite

/// Deletes rows from the history tables, one batch per transaction.
enum HistoryRemoval {
    /// Deletes up to `size` numbers below the floor. The newest row is always retained, so that no number is
    /// used twice.
    ///
    /// - Returns: The count of numbers processed; 0 if none is left.
    static func removeBatch(_ size: Int64, on connection: borrowing Connection) throws -> Int64 {
        guard let floor = try StoreMetadata.integer(.historyFloor, on: connection),
            let first = try connection.integer("SELECT min(number) FROM history")
        else { return 0 }
        let last = min(first + size - 1, floor, try HistoryBoundary.newest(on: connection) - 1)
        guard first <= last else { return 0 }
        try remove(from: first, upTo: last, on: connection)
        return last - first + 1
    }

    /// Deletes the values of one row, which may be the newest and is then retained, and the notes of statements that
    /// evicted nothing, which contain values.
    static func removeValues(at number: Int64, on connection: borrowing Connection) throws {
        for table in try tables(of: "values", on: connection) {
            try connection.run("DELETE FROM \(table) WHERE number = ?1", number)
        }
        let columns = try AttachedRows.valueColumns(on: connection)
        if !columns.isEmpty {
            let cleared = columns.map { ", \($0) = NULL" }.joined()
            try connection.run("UPDATE history SET retained = 0\(cleared) WHERE number = ?1", number)
        }
        try removeNotes(on: connection)
    }

    /// Notes of statements that evicted nothing contain values.
    private static func removeNotes(on connection: borrowing Connection) throws {
        for table in try tables(of: "replaced", on: connection) { try connection.run("DELETE FROM \(table)") }
    }

    /// Returns the tables of all entities, quoted; those of values are missing in another program's database.
    private static func tables(of kind: String, on connection: borrowing Connection) throws -> [String] {
        try connection.texts(
            """
            SELECT stored.name FROM history_entity AS entity JOIN sqlite_schema AS stored
            ON stored.name = 'history_\(kind)_' || entity.name AND stored.type = 'table'
            """
        ).map(StoreSchema.quoted)
    }

    static func hasRemains(on connection: borrowing Connection) throws -> Bool {
        let newest = try HistoryBoundary.newest(on: connection)
        let floor = try StoreMetadata.integer(.historyFloor, on: connection) ?? 0
        return try connection.integer("SELECT min(number) FROM history") ?? newest < min(newest, floor + 1)
    }

    static func remove(from first: Int64, upTo last: Int64, on connection: borrowing Connection) throws {
        for table in try tables(of: "values", on: connection) {
            try connection.run("DELETE FROM \(table) WHERE number BETWEEN ?1 AND ?2", first, last)
        }
        try removeNotes(on: connection)
        try connection.run("DELETE FROM history WHERE number BETWEEN ?1 AND ?2", first, last)
    }

    /// Returns up to `most` free pages to the file system; returns false when done.
    ///
    /// A tenth of the store remains free for the next commits. A store created without incremental vacuum
    /// retains all free pages and reuses them.
    static func returnPages(_ most: Int64, on connection: borrowing Connection) throws -> Bool {
        let reserve = max(256, (try connection.integer("PRAGMA page_count") ?? 0) / 10)
        let free = try connection.integer("PRAGMA freelist_count") ?? 0
        guard free > reserve, try connection.integer("PRAGMA auto_vacuum") == 2 else { return false }
        try connection.execute("PRAGMA incremental_vacuum(\(min(most, free - reserve)))")
        return true
    }
}

/// Rows of `history_origin` that no transaction uses any more.
struct HistoryOrigins: Sendable {
    private let newest: Int64
    private(set) var unused: Set<Int64> = []

    /// Finds unused rows on a snapshot, from the newest row back, until every other row has been seen.
    init(on connection: borrowing Connection) throws {
        newest = try HistoryBoundary.newest(on: connection)
        let all = try connection.prepare("SELECT id FROM history_origin")
        while try all.step() { unused.insert(all.integer(0)) }
        let used = try connection.prepare(
            "SELECT origin FROM history WHERE origin NOT NULL ORDER BY number DESC")
        while !unused.isEmpty, try used.step() { unused.remove(used.integer(0)) }
    }

    /// Deletes the unused rows under the write lock, except those used since the snapshot.
    func remove(on connection: borrowing Connection) throws {
        var unused = unused
        let used = try connection.prepare(
            "SELECT origin FROM history WHERE number > ?1 AND origin NOT NULL", [newest])
        while try used.step() { unused.remove(used.integer(0)) }
        for id in unused { try connection.run("DELETE FROM history_origin WHERE id = ?1", id) }
    }
}

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
            """, [first, last])
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
