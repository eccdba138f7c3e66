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
            "SELECT origin FROM history WHERE number > ?1 AND origin NOT NULL")
        try used.bind(newest, at: 1)
        while try used.step() { unused.remove(used.integer(0)) }
        for id in unused { try connection.run("DELETE FROM history_origin WHERE id = ?1", id) }
    }
}
