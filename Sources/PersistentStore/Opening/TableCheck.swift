import SQLite

/// Checks whether the damage of a store is outside its tables, so that a repair loses nothing.
struct TableCheck {
    let model: StoreModel

    private static let maxMessages = 100_000

    /// Whether every row can be read without an index, and no page, index, or change names one that is lost.
    func areTablesWhole(_ connection: borrowing Connection) throws -> Bool {
        do {
            guard try areRowsValid(connection), try !isTableNamed(connection) else { return false }
            for entity in model.entities {
                guard try !hasLostRows(entity, connection) else { return false }
            }
            return true
        } catch let error as SQLiteError {
            guard error.primary == .corrupt else { throw error }
            return false
        }
    }

    // MARK: Rows

    /// Reads all values of all tables. Returns whether they have the kinds of their columns, and whether the IDs rise.
    private func areRowsValid(_ connection: borrowing Connection) throws -> Bool {
        var queries: [String] = []
        let tables = try connection.prepare(
            "SELECT name, wr, strict FROM pragma_table_list WHERE schema = 'main' AND type = 'table'")
        while try tables.step() {
            let name = StoreSchema.quoted(tables.text(0))
            var (sizes, faults) = (["0"], ["0"])
            let columns = try connection.prepare("SELECT name, type, \"notnull\" FROM pragma_table_info(?1)")
            try columns.bind(tables.text(0), at: 1)
            while try columns.step() {
                let column = StoreSchema.quoted(columns.text(0))
                sizes.append("length(CAST(\(column) AS BLOB))")
                let kinds = ["INTEGER", "REAL", "TEXT", "BLOB"]
                guard tables.integer(2) == 1, kinds.contains(columns.text(1)) else { continue }
                let others = columns.integer(2) == 1 ? "" : ", 'null'"
                faults.append("typeof(\(column)) NOT IN ('\(columns.text(1).lowercased())'\(others))")
            }
            queries.append(
                """
                SELECT \(tables.integer(1) == 1 ? "NULL" : "_rowid_"), \(faults.joined(separator: " OR ")),
                \(sizes.joined(separator: " + ")) FROM \(name) NOT INDEXED
                """)
        }
        for query in queries {
            let rows = try connection.prepare(query)
            var last: Int64?
            while try rows.step() {
                if rows.integer(1) != 0 { return false }
                guard !rows.isNull(0) else { continue }
                if let last, rows.integer(0) <= last { return false }
                last = rows.integer(0)
            }
        }
        return true
    }

    // MARK: Messages

    /// Whether a message of SQLite's check is about a page or a row of a table.
    private func isTableNamed(_ connection: borrowing Connection) throws -> Bool {
        var pages: Set<Int64> = []
        let messages = try connection.prepare("PRAGMA integrity_check(\(Self.maxMessages))")
        while try hasNext(messages) {
            for line in messages.text(0).split(separator: "\n") where !line.hasPrefix("***") {
                let words = line.lowercased().split { !($0.isLetter || $0.isNumber) }
                let named = zip(words, words.dropFirst()).compactMap { $0 == "page" ? Int64($1) : nil }
                pages.formUnion(named)
                if named.isEmpty, !words.contains("index"), !words.contains("freelist") { return true }
            }
        }
        guard !pages.isEmpty else { return false }
        // Without dbstat (sqlite.org/dbstat.html), nothing shows that a page is not of a table.
        guard try connection.integer("SELECT 1 FROM pragma_module_list WHERE name = 'dbstat'") == 1 else {
            return true
        }
        let owned = try connection.prepare(
            """
            SELECT pageno FROM dbstat WHERE name = 'sqlite_schema'
            OR name IN (SELECT name FROM sqlite_schema WHERE type = 'table')
            """)
        while try owned.step() {
            if pages.contains(owned.integer(0)) { return true }
        }
        return false
    }

    /// Steps to the next message. The check ends where it cannot read an index.
    private func hasNext(_ messages: borrowing Statement) throws -> Bool {
        do throws(SQLiteError) {
            return try messages.step()
        } catch {
            guard error.primary == .corrupt else { throw error }
            return false
        }
    }

    // MARK: Names

    /// Whether the history names an object that is missing, or every whole index has more entries than the table.
    private func hasLostRows(_ entity: EntityDescription, _ connection: borrowing Connection) throws -> Bool {
        let table = StoreSchema.quoted(entity.name)
        let count = try connection.integer("SELECT count(*) FROM \(table) NOT INDEXED") ?? 0
        let indexes = try connection.texts(
            "SELECT name FROM pragma_index_list(?1) WHERE NOT partial", entity.name)
        // A damaged index names no row. Without the limit, SQLite would count another index.
        let counts = indexes.compactMap {
            try? connection.integer(
                "SELECT count(*) FROM (SELECT 1 FROM \(table) INDEXED BY \(StoreSchema.quoted($0)) LIMIT -1)")
        }
        if let least = counts.min(), least > count { return true }
        let missing = try connection.integer(
            """
            SELECT count(*) FROM (SELECT object, kind, max(number) FROM history WHERE kind < 3
            AND entity = (SELECT id FROM history_entity WHERE name = ?1) AND number > ?2 GROUP BY object) AS last
            LEFT JOIN \(table) AS present NOT INDEXED ON present.id = last.object
            WHERE last.kind <> \(HistoryChange.Kind.delete.rawValue) AND present.id IS NULL
            """, entity.name, try HistoryExtent(connection).expiry)
        return missing ?? 0 > 0
    }
}
