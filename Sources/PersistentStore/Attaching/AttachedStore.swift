import FoundationEssentials
import SQLite

/// A request to record tables of another program's database.
struct AttachmentRequest: Sendable {
    /// The tables to record in addition; nil for a database that is recorded.
    var tables: [String]?
    var values: RecordedValues
    /// Whether the database may be switched to WAL mode, in which it remains.
    var allowsWAL: Bool
}

/// The history's tables in another program's database: those of a store, and one that names the recorded tables.
struct AttachedStore {
    /// The format of the tables and of ``AttachedTriggers``, as the value of a key of the metadata.
    static let format: Int64 = 1
    static let key = "attached"
    private static let versionKey = "attached_schema"

    private static let table = """
        CREATE TABLE history_table (entity INTEGER PRIMARY KEY, name TEXT NOT NULL, retention INTEGER NOT NULL,
        keys TEXT NOT NULL, columns TEXT NOT NULL, row_name TEXT, is_row_key INTEGER NOT NULL, refusal TEXT,
        is_tracked INTEGER NOT NULL) STRICT
        """

    let path: String

    /// Whether a name, in lower case, is that of a table or trigger of the history.
    static func isReserved(_ name: String) -> Bool {
        StoreSchema.tableNames.contains(name) || name == "history_table" || name == "history_origin_by_author"
            || name.hasPrefix("history_values_") || name.hasPrefix("history_replaced_") || isTrigger(name)
    }

    /// Whether a name is `history_`, a number, and `_` with more.
    private static func isTrigger(_ name: String) -> Bool {
        guard name.hasPrefix("history_") else { return false }
        let rest = name.dropFirst(8)
        let digits = rest.prefix { $0.isASCII && $0.isNumber }
        return !digits.isEmpty && rest.dropFirst(digits.count).first == "_"
    }

    // MARK: State

    /// Whether the database is recorded.
    ///
    /// - Throws: ``StoreError/newerStore(path:)`` for one that a newer version of this library records.
    func isAttached(_ connection: borrowing Connection) throws -> Bool {
        let hasTables =
            try connection.integer(
                """
                SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND rootpage > 0
                AND name IN ('store_metadata', 'history_table', 'history')
                """) == 3
        guard hasTables,
            let format = try connection.integer("SELECT value FROM store_metadata WHERE key = ?1", Self.key)
        else { return false }
        guard format <= Self.format else { throw StoreError.newerStore(path: path) }
        return true
    }

    /// Whether the schema is the verified one (sqlite.org/pragma.html#pragma_schema_version). VACUUM, which may change
    /// the numbers of rows, and each change of a table raise its number.
    func isVerified(_ connection: borrowing Connection) throws -> Bool {
        try connection.integer("SELECT value FROM store_metadata WHERE key = ?1", Self.versionKey)
            == connection.integer("PRAGMA schema_version")
    }

    private func setVerified(_ connection: borrowing Connection) throws {
        let version = try connection.integer("PRAGMA schema_version")
        try StoreMetadata.set(Self.versionKey, version, on: connection)
    }

    // MARK: Changes, with the write lock

    /// Rejects a database with a name that the history needs, and one whose owner would not be recorded.
    func checkNames(_ connection: borrowing Connection) throws {
        // Chromium's programs create this table in each of their databases, and turn triggers off
        // (chromium.googlesource.com, sql/meta_table.cc and sql/database.cc).
        let isChromium =
            try connection.integer(
                """
                SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'meta'
                AND sql GLOB '*(key LONGVARCHAR*, value LONGVARCHAR)'
                """) == 1
            && connection.integer("SELECT 1 FROM meta WHERE key = 'last_compatible_version'") == 1
        if isChromium {
            throw AttachmentRefusal(
                "it belongs to Chromium, which turns triggers off, so nothing would be recorded")
        }
        for name in try connection.texts("SELECT name FROM sqlite_schema ORDER BY rowid")
        where Self.isReserved(name.lowercased()) {
            throw AttachmentRefusal("its '\(name)' has the name of a part of the history")
        }
    }

    /// Creates the tables of the history.
    func create(now: Int64, on connection: borrowing Connection) throws {
        try checkNames(connection)
        try connection.execute(StoreSchema.tables)
        for addition in StoreSchema.additions {
            try connection.execute("ALTER TABLE \(addition.table) ADD COLUMN \(addition.definition)")
        }
        try connection.execute(StoreSchema.indexes)
        try connection.execute(Self.table + "; ALTER TABLE history ADD COLUMN retained INTEGER")
        try StoreMetadata.set(.storeID, .text(UUID().uuidString.lowercased()), on: connection)
        try StoreMetadata.set(.generation, 1, on: connection)
        try StoreMetadata.set(.historyFloor, 0, on: connection)
        try connection.run("INSERT INTO store_metadata VALUES (?1, ?2)", Self.key, Self.format)
        // From here on there is always a newest row.
        try connection.run("INSERT INTO history (kind, at) VALUES (4, ?1)", now)
    }

    /// Records tables. Of a table that is recorded already, it changes the values.
    ///
    /// - Returns: Whether anything changed, so that consumers must read the tables again.
    func track(
        _ tables: [String], _ values: RecordedValues, on connection: borrowing Connection
    ) throws -> Bool {
        var hasChanged = false
        for table in tables {
            let schema = try AttachedSchema(table, on: connection)
            let known = try entities(on: connection).first {
                $0.name.lowercased() == schema.name.lowercased()
            }
            if let known, known.isTracked, known.values == values { continue }
            hasChanged = true
            let entity = try known?.id ?? addEntity(schema.name, on: connection)
            try install(schema, values, entity: entity, on: connection)
        }
        try setVerified(connection)
        return hasChanged
    }

    /// Stops the recording of tables, whose history remains readable.
    func untrack(_ tables: [String], on connection: borrowing Connection) throws {
        for table in tables {
            guard
                let entity = try entities(on: connection).first(where: {
                    $0.isTracked && $0.name.lowercased() == table.lowercased()
                })
            else { throw AttachmentRefusal("'\(table)' is not recorded") }
            try dropTriggers(of: entity.id, on: connection)
            try connection.run("UPDATE history_table SET is_tracked = 0 WHERE entity = ?1", entity.id)
        }
        try setVerified(connection)
    }

    /// Deletes all parts of the history from the database.
    func remove(on connection: borrowing Connection) throws {
        for entity in try entities(on: connection) {
            try dropTriggers(of: entity.id, on: connection)
            try connection.run("DROP TABLE \(StoreSchema.replacedTable(entity.storedName))")
        }
        for table in StoreSchema.tableNames + ["history_table"] {
            try connection.run("DROP TABLE \(StoreSchema.quoted(table))")
        }
    }

    // MARK: Verification

    /// Compares the owner's schema with the recorded one, with the write lock: renames columns and tables that the
    /// owner renamed, creates lost or outdated triggers, and expires all tokens if changes may be missing.
    ///
    /// - Returns: Whether the schema had changed.
    func verify(on connection: borrowing Connection) throws -> Bool {
        guard try !isVerified(connection) else { return false }
        var hasGap = false
        for entity in try entities(on: connection) where entity.isTracked {
            do {
                let outcome = try verify(entity, on: connection)
                hasGap = hasGap || outcome
            } catch let refusal as AttachmentRefusal {
                hasGap = true
                try dropTriggers(of: entity.id, on: connection)
                try connection.run(
                    "UPDATE history_table SET is_tracked = 0, refusal = ?2 WHERE entity = ?1", entity.id,
                    refusal.reason)
            }
        }
        if hasGap { try StoreMetadata.expireTokens(on: connection) }
        try setVerified(connection)
        return true
    }

    private func verify(_ entity: Entity, on connection: borrowing Connection) throws -> Bool {
        var own: [String: (sql: String, table: String, row: Int64)] = [:]
        let rows = try connection.prepare(
            "SELECT name, sql, tbl_name, rowid FROM sqlite_schema WHERE type = 'trigger' ORDER BY rowid")
        while try rows.step() { own[rows.text(0)] = (rows.text(1), rows.text(2), rows.integer(3)) }
        rows.reset()
        let prefix = "history_\(entity.id)_"
        // SQLite moves a trigger with its table.
        let table = own[prefix + "insert"]?.table ?? entity.name
        let schema = try AttachedSchema(table, on: connection)
        let names = try attributes(of: entity.id, on: connection)
        let recorded = schema.recorded.map(\.name)
        var bits: [String: Int] = [:]
        if recorded.count == entity.columns.count {
            // SQLite renames a column in the triggers, so only the same triggers prove a new name.
            bits = Dictionary(zip(recorded, entity.columns)) { first, _ in first }
        } else {
            for name in recorded { bits[name] = entity.columns.first { names[$0] == name } }
        }
        let triggers = AttachedTriggers(
            schema: schema, entityID: entity.id, storedName: entity.storedName, values: entity.values,
            bits: bits)
        let expected = triggers.all
        guard bits.count == recorded.count, expected.allSatisfy({ own[$0.name]?.sql == $0.sql }) else {
            try install(schema, entity.values, entity: entity.id, on: connection)
            return true
        }
        for (name, bit) in bits where names[bit] != name {
            try connection.run(
                "UPDATE history_attribute SET name = ?3 WHERE entity = ?1 AND bit = ?2", entity.id, bit, name)
        }
        try describe(triggers, on: connection)
        let oldest = expected.filter(\.isAfter).compactMap { own[$0.name]?.row }.min() ?? 0
        let isOvertaken = own.contains {
            $0.value.table.lowercased() == table.lowercased() && !$0.key.hasPrefix(prefix)
                && $0.value.row > oldest
        }
        if isOvertaken {
            for trigger in expected where trigger.isAfter {
                try connection.run("DROP TRIGGER \(StoreSchema.quoted(trigger.name))")
                try connection.run(trigger.sql)
            }
        }
        guard schema.isVolatile else { return false }
        guard !schema.keyColumns.isEmpty else { return true }
        let nulls = schema.keyColumns.map { "\(StoreSchema.quoted($0.name)) IS NULL" }
        return try connection.integer(
            "SELECT 1 FROM \(StoreSchema.quoted(schema.name)) WHERE \(nulls.joined(separator: " OR ")) LIMIT 1"
        )
            != nil
    }

    // MARK: Entities

    struct Entity {
        let id: Int64
        let storedName: String
        let name: String
        let values: RecordedValues
        let columns: [Int]
        let keys: [Int]
        let rowName: String?
        /// Whether the row number is the key, under the name of a column.
        let isRowKey: Bool
        let hasKey: Bool
        let refusal: String?
        let isTracked: Bool
    }

    func entities(on connection: borrowing Connection) throws(SQLiteError) -> [Entity] {
        var entities: [Entity] = []
        let rows = try connection.prepare(
            """
            SELECT entity, history_entity.name, history_table.name, retention, columns, keys, row_name, is_row_key,
            refusal, is_tracked FROM history_table JOIN history_entity ON id = entity ORDER BY entity
            """)
        while try rows.step() {
            func bits(_ column: Int) -> [Int] {
                rows.text(column).split(separator: ",").compactMap { Int($0) }.filter {
                    (0..<63).contains($0)
                }
            }
            entities.append(
                Entity(
                    id: rows.integer(0), storedName: rows.text(1), name: rows.text(2),
                    values: RecordedValues(rawValue: Int(rows.integer(3))) ?? .names, columns: bits(4),
                    keys: bits(5), rowName: rows.optionalText(6), isRowKey: rows.integer(7) == 1,
                    hasKey: rows.integer(7) != 2,
                    refusal: rows.optionalText(8), isTracked: rows.integer(9) != 0))
        }
        return entities
    }

    private func attributes(of entity: Int64, on connection: borrowing Connection) throws -> [Int: String] {
        var names: [Int: String] = [:]
        let rows = try connection.prepare(
            "SELECT bit, name FROM history_attribute WHERE entity = ?1", [entity])
        while try rows.step() { names[Int(rows.integer(0))] = rows.text(1) }
        return names
    }

    private func addEntity(_ name: String, on connection: borrowing Connection) throws -> Int64 {
        let taken = Set(try connection.texts("SELECT lower(name) FROM history_entity"))
        var (stored, count) = (name, 1)
        while taken.contains(stored.lowercased()) {
            count += 1
            stored = "\(name)#\(count)"
        }
        try connection.run(AttachedTriggers.createNotes(stored))
        try connection.run("INSERT INTO history_entity (name) VALUES (?1)", stored)
        return connection.lastInsertedRow
    }

    /// Creates the triggers of a table, after assigning a bit and columns to each of its columns.
    private func install(
        _ schema: AttachedSchema, _ values: RecordedValues, entity id: Int64,
        on connection: borrowing Connection
    ) throws {
        try dropTriggers(of: id, on: connection)
        let stored = try connection.texts("SELECT name FROM history_entity WHERE id = ?1", id).first ?? ""
        let names = try attributes(of: id, on: connection)
        var bits: [String: Int] = [:]
        for column in schema.recorded {
            let bit =
                names.first { $0.value == column.name }?.key
                ?? (0..<StoreModel.maxAttributes).first { bit in
                    names[bit] == nil && !bits.values.contains(bit)
                }
            guard let bit else {
                throw AttachmentRefusal(
                    "'\(schema.name)' has had more than \(StoreModel.maxAttributes) columns")
            }
            bits[column.name] = bit
            if names[bit] == nil {
                try connection.run(
                    "INSERT INTO history_attribute (entity, bit, name) VALUES (?1, ?2, ?3)", id, bit,
                    column.name)
            }
        }
        let triggers = AttachedTriggers(
            schema: schema, entityID: id, storedName: stored, values: values, bits: bits)
        try addColumns(triggers.valueColumns, " ANY", to: "history", on: connection)
        let noteColumns = AttachedTriggers.noteColumns + triggers.noteColumns
        try addColumns(noteColumns, to: "history_replaced_\(stored)", on: connection)
        try connection.run("DELETE FROM \(StoreSchema.replacedTable(stored))")
        let statements = AttachedProbe(schema)
        let couldRun = statements.canRun(on: connection)
        for trigger in triggers.all { try connection.run(trigger.sql) }
        // An error in a trigger would be one of the owner's statements.
        guard !couldRun || statements.canRun(on: connection) else {
            throw AttachmentRefusal("the triggers of '\(schema.name)' do not fit its definition")
        }
        try describe(triggers, on: connection)
    }

    private func addColumns(
        _ columns: [String], _ type: String = "", to table: String, on connection: borrowing Connection
    ) throws {
        let present = try connection.columns(of: table)
        for column in columns where !present.contains(column) {
            try connection.run("ALTER TABLE \(StoreSchema.quoted(table)) ADD COLUMN \(column)\(type)")
        }
    }

    private func describe(_ triggers: AttachedTriggers, on connection: borrowing Connection) throws {
        let schema = triggers.schema
        func list(_ columns: [AttachedSchema.Column]) -> String {
            columns.compactMap { triggers.bits[$0.name] }.map(String.init).joined(separator: ",")
        }
        try connection.run(
            """
            INSERT INTO history_table VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, NULL, 1) ON CONFLICT (entity) DO UPDATE
            SET name = ?2, retention = ?3, keys = ?4, columns = ?5, row_name = ?6, is_row_key = ?7, refusal = NULL,
            is_tracked = 1
            """, triggers.entityID, schema.name, triggers.values.rawValue,
            schema.isKeyedByRow ? "" : list(schema.keyColumns), list(schema.recorded), schema.rowName,
            schema.rowKey != nil ? 1 : schema.isKeyedByRow ? 2 : 0)
    }

    private func dropTriggers(of entity: Int64, on connection: borrowing Connection) throws {
        let prefix = "history_\(entity)_"
        for name in try connection.texts("SELECT name FROM sqlite_schema WHERE type = 'trigger'")
        where name.hasPrefix(prefix) {
            try connection.run("DROP TRIGGER \(StoreSchema.quoted(name))")
        }
    }
}

/// Statements of each kind on a table, which SQLite compiles with the table's triggers.
private struct AttachedProbe {
    private let statements: [String]

    init(_ schema: AttachedSchema) {
        let table = StoreSchema.quoted(schema.name)
        statements = [
            "EXPLAIN INSERT OR REPLACE INTO \(table) DEFAULT VALUES", "EXPLAIN DELETE FROM \(table)",
            "EXPLAIN UPDATE OR REPLACE \(table) SET "
                + schema.columns.filter { !$0.isGenerated }.map {
                    let name = StoreSchema.quoted($0.name)
                    return "\(name) = \(name)"
                }.joined(separator: ", "),
        ]
    }

    /// Whether this connection can compile them: it lacks the functions and collations of the owner.
    func canRun(on connection: borrowing Connection) -> Bool {
        statements.allSatisfy { (try? connection.run($0)) != nil }
    }
}
