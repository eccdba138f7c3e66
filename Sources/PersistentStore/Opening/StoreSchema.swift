import FoundationEssentials
import Platform
import SQLite

/// The tables of a store, as SQL text.
///
/// The history is one log. A transaction of a context is a `begin` row, its changes, and an `end` row, so a
/// small commit writes one page more than without history; a transaction's changes are a range of row numbers
/// and need no index. A change of an external writer is a row with its own time in `at`, and a transaction by
/// itself. The newest row is never deleted, so SQLite does not reuse a number, without the cost of
/// AUTOINCREMENT.
enum StoreSchema {
    /// "PStr", which identifies a database as a store (sqlite.org/pragma.html#pragma_application_id).
    static let applicationID: Int64 = 0x5053_7472
    /// The format of the tables below, as `user_version`.
    static let format: Int64 = 2

    static let tableNames = [
        "store_metadata", "history", "history_origin", "history_entity", "history_attribute",
        "history_consumer",
    ]

    static let tables = """
        CREATE TABLE store_metadata (key TEXT PRIMARY KEY, value ANY) STRICT, WITHOUT ROWID;
        CREATE TABLE history (
        number INTEGER PRIMARY KEY, kind INTEGER NOT NULL, entity INTEGER, object INTEGER, columns INTEGER,
        at INTEGER,
        began INTEGER, origin INTEGER, process INTEGER, session INTEGER) STRICT;
        CREATE TABLE history_origin (
        id INTEGER PRIMARY KEY, author TEXT, context TEXT, program TEXT) STRICT;
        CREATE TABLE history_entity (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT;
        CREATE TABLE history_attribute (
        entity INTEGER NOT NULL, bit INTEGER NOT NULL, name TEXT NOT NULL,
        PRIMARY KEY (entity, bit)) STRICT, WITHOUT ROWID;
        CREATE TABLE history_consumer (
        name TEXT PRIMARY KEY, position INTEGER NOT NULL, generation INTEGER NOT NULL,
        author TEXT, process INTEGER, process_start INTEGER, registered INTEGER NOT NULL, seen INTEGER NOT NULL,
        is_transient INTEGER NOT NULL DEFAULT 0) STRICT, WITHOUT ROWID;
        """

    /// Raised when ``additions`` grow or ``indexes(_:of:)`` change, so that stores get the new ones when they
    /// are opened.
    static let edition = 3

    /// Columns added after the format was fixed. Older programs ignore them, so the format is unchanged.
    static let additions = [
        (table: "history_consumer", column: "retention", definition: "retention INTEGER NOT NULL DEFAULT 0")
    ]

    /// Indexes with which a commit finds its author, context, and program.
    static let indexes = """
        CREATE INDEX IF NOT EXISTS history_origin_by_author ON history_origin (author, context, program)
        """

    /// Returns the tables of an entity: that of its objects, and two of its history.
    static func tables(of entity: String) -> [String] {
        [entity, "history_values_\(entity)", "history_replaced_\(entity)"]
    }

    static func valuesTable(_ entity: String) -> String { quoted("history_values_\(entity)") }
    static func replacedTable(_ entity: String) -> String { quoted("history_replaced_\(entity)") }

    /// Returns a quoted name for SQL. A store file may come from an attacker, and its names may contain
    /// anything.
    static func quoted(_ name: String) -> String { "\"" + doubled(UInt8(ascii: "\""), in: name) + "\"" }

    /// Doubles a quotation mark by bytes: with a combining accent it is another character to Swift, but not
    /// to SQLite.
    private static func doubled(_ mark: UInt8, in text: String) -> String {
        guard text.utf8.contains(mark) else { return text }
        var bytes: [UInt8] = []
        for byte in text.utf8 { bytes += byte == mark ? [mark, mark] : [byte] }
        return String(decoding: bytes, as: UTF8.self)
    }

    static func createTable(_ entity: EntityDescription) -> String {
        let columns = entity.attributes.map(column)
        return """
            CREATE TABLE "\(entity.name)" (\(idColumn), \(versionColumn)\(columns.map { ", " + $0 }.joined())) STRICT
            """
    }

    /// Returns a column for a statement. Qualified by its table, a name can never be read as text.
    static func qualified(_ column: String, of entity: EntityDescription) -> String {
        "\"\(entity.name)\".\"\(column)\""
    }

    static let idColumn = "id INTEGER PRIMARY KEY AUTOINCREMENT"
    static let versionColumn = "version INTEGER NOT NULL DEFAULT \(StoredObject.firstVersion)"

    /// Whether the text of a table contains an attribute's column as this version creates it.
    static func hasColumn(_ attribute: AttributeDescription, in sql: String) -> Bool {
        let column = ", " + column(attribute)
        return sql.contains(column + ",") || sql.contains(column + ")")
    }

    static func column(_ attribute: AttributeDescription) -> String {
        var text = ""
        write(attribute, to: &text)
        return text
    }

    /// Appends an attribute's column. Every process that opens a store writes those of its model, to compare them;
    /// interpolation costs twice as much.
    static func write(_ attribute: borrowing AttributeDescription, to text: inout String) {
        text += "\""
        text += attribute.name
        text += "\" "
        text += attribute.kind.sql
        if !attribute.isOptional { text += " NOT NULL" }
        if attribute.ignoresCase { text += " COLLATE NOCASE" }
        if let given = defaultExpression(attribute) {
            text += " DEFAULT "
            text += given
        }
        attribute.reference?.write(to: &text)
    }

    static func defaultExpression(_ attribute: borrowing AttributeDescription) -> String? {
        switch attribute.defaultValue {
        case .none: nil
        case .value(let value): literal(value)
        case .now: "(\(HistoryTriggers.now))"
        case .uuid: "(\(randomUUID))"
        }
    }

    /// Returns the indexes of an attribute. A unique attribute has an index and no constraint of its column, so
    /// that a migration can add and drop it without rebuilding the table.
    static func indexes(_ attribute: AttributeDescription, of entity: EntityDescription) -> [(
        name: String, sql: String
    )] {
        var indexes: [(name: String, sql: String)] = []
        if attribute.isIndexed || attribute.isUnique {
            let name = indexName(attribute.name, entity.name)
            let kind = attribute.isUnique ? "UNIQUE INDEX" : "INDEX"
            indexes.append(
                (name, "CREATE \(kind) \"\(name)\" ON \"\(entity.name)\" (\"\(attribute.name)\")"))
        }
        let partial = [
            (attribute.indexWhenTrue, "where_\(attribute.name)", "IS NOT 0"),
            (attribute.indexWhenFalse, "where_not_\(attribute.name)", "IS 0"),
        ]
        for case (let order?, let suffix, let condition) in partial {
            let name = "\(entity.name)_\(suffix)"
            // The condition is written as in a predicate, so that SQLite recognizes the index as usable.
            let sql =
                "CREATE INDEX \"\(name)\" ON \"\(entity.name)\" (\"\(order)\") WHERE \"\(attribute.name)\" \(condition)"
            indexes.append((name, sql))
        }
        return indexes
    }

    static func indexName(_ attribute: String, _ entity: String) -> String { "\(entity)_by_\(attribute)" }

    /// Returns the column of an attribute in the tables of an entity's history. It has another name if these
    /// tables have a column of that name already.
    static func retainedColumnName(_ attribute: String) -> String {
        ["number", "after"].contains(attribute.lowercased()) ? attribute + "#" : attribute
    }

    /// Returns the attribute of such a column; the end of a dropped attribute's name is not a number sign.
    static func attributeName(_ column: String) -> String {
        column.hasSuffix("#") ? String(column.dropLast()) : column
    }

    static func retainedColumn(_ attribute: AttributeDescription) -> String {
        "\"\(retainedColumnName(attribute.name))\""
    }

    /// Columns without a type store every value unchanged (sqlite.org/datatype3.html 3.1, affinity BLOB).
    static func createHistoryTables(_ entity: EntityDescription) -> [String] {
        let columns = entity.retainedAttributes.map { ", \(retainedColumn($0))" }.joined()
        return [
            "CREATE TABLE \(valuesTable(entity.name)) (number INTEGER PRIMARY KEY\(columns))",
            "CREATE TABLE \(replacedTable(entity.name)) (id INTEGER PRIMARY KEY, after INTEGER\(columns))",
        ]
    }

    static func literal(_ value: AttributeValue) -> String {
        switch value {
        case .null: "NULL"
        case .integer(let value): "\(value)"
        case .real(let value): "\(value)"
        case .text(let value): "'" + doubled(UInt8(ascii: "'"), in: value) + "'"
        case .blob(let bytes): "X'" + bytes.hexadecimal + "'"
        }
    }

    /// Version 4, variant 1 (RFC 9562).
    private static let randomUUID = """
        lower(hex(randomblob(4)) || '-' || hex(randomblob(2)) || '-4' || substr(hex(randomblob(2)), 2) || '-' \
        || substr('89ab', 1 + (random() & 3), 1) || substr(hex(randomblob(2)), 2) || '-' || hex(randomblob(6)))
        """
}

/// The metadata that a store records about itself.
struct StoreMetadata: Sendable {
    enum Key: String {
        case storeID = "store_id"
        /// The generation, raised when the history has a gap that tokens cannot show, such as after tracking
        /// was off.
        case generation
        case modelVersion = "model_version"
        case model
        /// See ``SchemaSeal``.
        case schemaSeal = "schema_seal"
        /// The number of the last row that cleaning deleted.
        case historyFloor = "history_floor"
        /// The number of the newest transaction that was deleted from between others; at or above the floor.
        case historyExpiry = "history_expiry"
        case deletions = "history_deletions"
        /// The number of retained changes above the floor, up to and including a number.
        case countedChanges = "counted_changes"
        case countedUpTo = "counted_up_to"
        /// The newest number at a time when timestamps were later than the clock.
        case ageMark = "age_mark"
        case ageMarkTime = "age_mark_time"
        case lastCleaning = "last_cleaning"
        /// The greatest ID that an object of an entity left; the entity's number follows.
        case lastID = "last_id"
    }

    let storeID: UUID
    let generation: Int64
    let modelVersion: Int64
    let model: String
    /// Whether the file is another program's database, whose tables are recorded.
    let isAttached: Bool

    init(_ connection: borrowing Connection) throws(SQLiteError) {
        var values: [String: AttributeValue] = [:]
        let statement = try connection.prepare("SELECT key, value FROM store_metadata")
        while try statement.step() { values[statement.text(0)] = statement.value(1) }
        guard let id = values[Key.storeID.rawValue]?.textValue.flatMap(UUID.init(text:)) else {
            throw SQLiteError(
                code: SQLiteError.Primary.corrupt.rawValue, message: "the store ID is missing")
        }
        // Numbers rise one by one; a number beyond this limit was set by an attacker. A damaged page is
        // reported when it is read.
        let newest = try? connection.integer("SELECT max(number) FROM history")
        guard (newest ?? nil) ?? 0 <= Self.farthest else {
            throw SQLiteError(
                code: SQLiteError.Primary.corrupt.rawValue,
                message: "its history has a number that is out of range")
        }
        storeID = id
        generation = values[Key.generation.rawValue]?.integerValue ?? 1
        modelVersion = values[Key.modelVersion.rawValue]?.integerValue ?? 0
        model = values[Key.model.rawValue]?.textValue ?? ""
        isAttached = values[AttachedStore.key] != nil
    }

    /// Returns the facts that each write needs, in one statement.
    static func identity(on connection: borrowing Connection) throws(SQLiteError) -> (
        storeID: UUID?, generation: Int64
    ) {
        let row = try connection.prepare(
            """
            SELECT (SELECT value FROM store_metadata WHERE key = 'store_id'),
            (SELECT value FROM store_metadata WHERE key = 'generation')
            """)
        guard try row.step() else { return (nil, 1) }
        return (UUID(text: row.text(0)), row.isNull(1) ? 1 : clamped(row.integer(1)))
    }

    /// Returns the bounds of the history, in one statement.
    static func historyBounds(on connection: borrowing Connection) throws(SQLiteError) -> (
        floor: Int64, expiry: Int64, newest: Int64
    ) {
        let row = try connection.prepare(
            """
            SELECT (SELECT value FROM store_metadata WHERE key = 'history_floor'),
            (SELECT value FROM store_metadata WHERE key = 'history_expiry'), (SELECT max(number) FROM history)
            """)
        guard try row.step() else { return (0, 0, 0) }
        let floor = clamped(row.integer(0))
        return (floor, max(floor, clamped(row.integer(1))), row.integer(2))
    }

    static func set(_ key: Key, _ value: AttributeValue, on connection: borrowing Connection)
        throws(SQLiteError)
    {
        try set(key.rawValue, value, on: connection)
    }

    static func set(_ key: String, _ value: some Bindable, on connection: borrowing Connection)
        throws(SQLiteError)
    {
        try connection.run(
            "INSERT INTO store_metadata VALUES (?1, ?2) ON CONFLICT (key) DO UPDATE SET value = ?2", key,
            value)
    }

    static func integer(_ key: Key, on connection: borrowing Connection) throws(SQLiteError) -> Int64? {
        try connection.integer("SELECT value FROM store_metadata WHERE key = ?1", key.rawValue)
            .map(clamped)
    }

    static func text(_ key: Key, on connection: borrowing Connection) throws(SQLiteError) -> String? {
        let statement = try connection.prepare(
            "SELECT value FROM store_metadata WHERE key = ?1", [key.rawValue])
        return try statement.step() ? statement.text(0) : nil
    }

    /// The limit for numbers in a malicious store, far enough from the limits of an integer that sums cannot
    /// overflow.
    static let farthest: Int64 = 1 << 60

    private static func clamped(_ number: Int64) -> Int64 { min(max(number, -farthest), farthest) }

    /// Returns the number before which tokens have expired.
    static func historyExpiry(floor: Int64, on connection: borrowing Connection) throws(SQLiteError) -> Int64
    {
        max(floor, try integer(.historyExpiry, on: connection) ?? 0)
    }

    /// Expires all tokens because changes may have gone unrecorded: readers must discard their derived state.
    static func expireTokens(on connection: borrowing Connection) throws {
        let newest = try HistoryBoundary.newest(on: connection)
        let generation = try integer(.generation, on: connection) ?? 1
        try set(.generation, .integer(generation + 1), on: connection)
        try set(.historyExpiry, .integer(newest), on: connection)
    }
}
