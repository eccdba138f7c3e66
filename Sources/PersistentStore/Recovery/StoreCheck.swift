import FoundationEssentials
import SQLite

/// Checks one state of a store without writing. Reads all of it: a million objects take seconds.
struct StoreCheck {
    let model: StoreModel

    func run(on connection: borrowing Connection) throws -> [StoreFinding] {
        var findings = try integrity(connection)
        guard findings.isEmpty else { return findings }
        findings += try references(connection)
        for entity in model.entities where try Self.lastID(entity.name, connection) > Self.maxID {
            findings.append(.fewIDsLeft(entity: entity.name))
        }
        for entity in model.entities where entity.tracksHistory {
            if try !hasItsTriggers(entity, connection) {
                findings.append(.wrongTriggers(entity: entity.name))
            }
            findings += try history(entity, connection)
        }
        return findings
    }

    private func integrity(_ connection: borrowing Connection) throws -> [StoreFinding] {
        let reason: String
        do {
            let lines = try connection.prepare("PRAGMA integrity_check(1)")
            guard try lines.step(), lines.text(0) != "ok" else { return [] }
            reason = lines.text(0)
        } catch {
            guard error.primary == .corrupt else { throw error }
            reason = error.message
        }
        let areWhole = try TableCheck(model: model).areTablesWhole(connection)
        return [areWhole ? .damagedIndexes(reason) : .damaged(reason)]
    }

    private func references(_ connection: borrowing Connection) throws -> [StoreFinding] {
        var counts: [String: Int] = [:]
        let rows = try connection.prepare("SELECT \"table\" FROM pragma_foreign_key_check")
        while try rows.step() { counts[rows.text(0), default: 0] += 1 }
        return counts.sorted { $0.key < $1.key }.map { .danglingReferences(table: $0.key, count: $0.value) }
    }

    /// The greatest ID that is not near the end of all.
    static let maxID = Int64.max - (1 << 32)

    /// Returns the last assigned ID of a table, or the greater one of a moved row.
    static func lastID(_ table: String, _ connection: borrowing Connection) throws(SQLiteError) -> Int64 {
        try connection.integer(
            """
            SELECT max(coalesce((SELECT max(id) FROM \(StoreSchema.quoted(table))), 0),
            coalesce((SELECT seq FROM sqlite_sequence WHERE name = ?1), 0))
            """, table) ?? 0
    }

    /// Returns a table that has no ID left; nil if there is none.
    static func exhausted(_ connection: borrowing Connection) -> String? {
        try? connection.texts("SELECT name FROM sqlite_sequence").first {
            try lastID($0, connection) == .max
        }
    }

    func hasItsTriggers(_ entity: EntityDescription, _ connection: borrowing Connection) throws -> Bool {
        var made: [String: String] = [:]
        let rows = try connection.prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'")
        while try rows.step() { made[rows.text(0)] = rows.text(1) }
        guard let wanted = try HistoryTriggers(of: entity, on: connection) else { return false }
        return wanted.all.allSatisfy { made[$0.name] == $0.sql }
    }

    private func history(_ entity: EntityDescription, _ connection: borrowing Connection) throws
        -> [StoreFinding]
    {
        guard
            let id = try connection.integer("SELECT id FROM history_entity WHERE name = ?1", entity.name)
        else { return [] }
        var findings: [StoreFinding] = []
        // Before the expiry, changes may be missing, so a change that appears to be the last need not be.
        let expiry = try HistoryExtent(connection).expiry
        let unlike = try connection.integer(
            """
            SELECT count(*) FROM (SELECT object, kind, max(number) FROM history
            WHERE kind < 3 AND entity = ?1 AND number > ?2 GROUP BY object) AS last
            LEFT JOIN "\(entity.name)" AS present ON present.id = last.object
            WHERE (last.kind = \(HistoryChange.Kind.delete.rawValue)) = (present.id NOT NULL)
            """, id, expiry)
        let unknown = try unknownObjects(of: entity, id, expiry, connection)
        if let unlike, unlike + unknown > 0 {
            findings.append(.historyUnlikeData(entity: entity.name, count: Int(unlike + unknown)))
        }
        let behind =
            try connection.integer(
                "SELECT count(*) FROM (\(Self.objectsBehind(entity, id)))") ?? 0
        if behind > 0 { findings.append(.versionsBehind(entity: entity.name, count: Int(behind))) }
        let stray = try connection.integer(
            """
            SELECT count(*) FROM \(StoreSchema.valuesTable(entity.name)) AS retained
            LEFT JOIN history ON history.number = retained.number AND history.entity = ?1
            WHERE history.number IS NULL
            """, id)
        if let stray, stray > 0 { findings.append(.strayValues(entity: entity.name, count: Int(stray))) }
        return findings
    }
}

extension StoreCheck {
    /// Returns the number of objects without any change, if the history is complete since the store was
    /// created.
    private func unknownObjects(
        of entity: EntityDescription, _ id: Int64, _ expiry: Int64, _ connection: borrowing Connection
    ) throws -> Int64 {
        guard expiry == 0, try HistoryExtent(connection).generation == 1 else { return 0 }
        return try connection.integer(
            """
            SELECT count(*) FROM "\(entity.name)" WHERE id NOT IN
            (SELECT object FROM history WHERE kind < 3 AND entity = ?1 AND object NOT NULL)
            """, id) ?? 0
    }

    /// Returns a query for the ID and the lowest possible version of each object with a lower one. A version
    /// begins at 1 and rises with every recorded update; objects that were deleted in between are excluded.
    static func objectsBehind(_ entity: EntityDescription, _ id: Int64) -> String {
        """
        SELECT present.id AS id, changes.updates + 1 AS lowest FROM
        (SELECT object, count(*) FILTER (WHERE kind = \(HistoryChange.Kind.update.rawValue)) AS updates FROM history
        WHERE kind < 3 AND entity = \(id) GROUP BY object
        HAVING count(*) FILTER (WHERE kind = \(HistoryChange.Kind.delete.rawValue)) = 0) AS changes
        JOIN "\(entity.name)" AS present ON present.id = changes.object
        WHERE present.version <= changes.updates
        """
    }
}

/// The consumers that retain history without need, or whose cursor has expired.
struct ConsumerCheck {
    let now: Int64

    private static let manyTransactions = 10_000
    private static let manyDays = 14

    func run(_ consumers: [ConsumerStatus], _ extent: HistoryExtent) -> [StoreFinding] {
        consumers.compactMap { consumer in
            if consumer.isTransient && !consumer.isRunning { return .staleConsumer(consumer.name) }
            if consumer.token.generation != extent.generation || consumer.token.number < extent.expiry {
                return .expiredConsumer(consumer.name)
            }
            let days = Int((Double(now) / 1000 - consumer.lastSeen.timeIntervalSince1970) / 86_400)
            guard days >= Self.manyDays, consumer.lag >= Self.manyTransactions else { return nil }
            return .laggingConsumer(consumer.name, transactions: consumer.lag, days: days)
        }
    }
}

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
            let columns = try connection.prepare(
                "SELECT name, type, \"notnull\" FROM pragma_table_info(?1)", [tables.text(0)])
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
