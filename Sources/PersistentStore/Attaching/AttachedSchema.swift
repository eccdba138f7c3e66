import SQLite

/// The values that the history retains of an attached table's rows, in addition to their keys.
public enum RecordedValues: Int, Hashable, Sendable, CaseIterable {
    /// None: an update names the changed columns.
    case names = 0
    /// The values before an update of each changed column, and the whole row before a deletion.
    case oldValues = 1
    /// In addition, the whole row after an insertion or an update.
    case rows = 2
}

/// A table of another program's database, whose changes the history records.
package struct AttachedTable: Hashable, Sendable {
    package let name: String
    /// The columns that the history records, in the order of the table; generated columns are omitted.
    package let columns: [String]
    /// The columns of the primary key, in its order; the name of the row number for a table without one.
    package let key: [String]
    /// Whether the table has a primary key. Without one, rows are named by their number, which VACUUM may change: all
    /// tokens expire then.
    package let hasPrimaryKey: Bool
    package let values: RecordedValues
    /// The reason for which the table is no longer recorded, as the end of a sentence; nil for a recorded one.
    package let refusal: String?
}

/// The parts of a table's schema on which its recording depends.
struct AttachedSchema {
    struct Column {
        let name: String
        /// Whether the column stores each value unchanged, so that 1 and 1.0 differ there.
        let isUntyped: Bool
        /// The kind of values that the column prefers.
        let kind: AttributeDescription.Kind
        let isOptional: Bool
        let defaultValue: String?
        let isGenerated: Bool
        /// The position in the primary key, from 1; 0 outside of it.
        let keyPosition: Int
    }

    /// A condition under which REPLACE evicts a row.
    struct UniqueIndex {
        let columns: [(name: String, collation: String)]
        let condition: String?
    }

    let name: String
    let columns: [Column]
    let indexes: [UniqueIndex]
    /// A name of the row number; nil for a table without one.
    let rowName: String?
    /// The column that is another name of the row number.
    let rowKey: String?

    var recorded: [Column] { columns.filter { !$0.isGenerated && $0.name != rowKey } }
    var keyColumns: [Column] {
        columns.filter { $0.keyPosition > 0 }.sorted { $0.keyPosition < $1.keyPosition }
    }
    var isWithoutRowID: Bool { rowName == nil }
    /// Whether the row number is the key: an INTEGER PRIMARY KEY, or no key at all.
    var isKeyedByRow: Bool { rowKey != nil || keyColumns.isEmpty }
    /// Whether VACUUM may change what names a row.
    var isVolatile: Bool { rowKey == nil && !isWithoutRowID && (keyColumns.isEmpty || hasOptionalKey) }
    var hasOptionalKey: Bool { !isKeyedByRow && keyColumns.contains(where: \.isOptional) }
}

/// A table that cannot be recorded, with the reason as the end of a sentence.
struct AttachmentRefusal: Error {
    let reason: String

    init(_ reason: String) { self.reason = reason }
}

extension AttachedSchema {
    /// The names of rows in triggers, which would hide a table.
    private static let rowNames = ["new", "old"]

    /// Reads the schema of a table.
    ///
    /// - Throws: ``AttachmentRefusal`` if not all changes of the table could be recorded truly.
    init(_ table: String, on connection: borrowing Connection) throws {
        let list = try connection.prepare(
            "SELECT name, type, wr FROM pragma_table_list WHERE schema = 'main' AND name = ?1 COLLATE NOCASE",
            [table])
        guard try list.step() else { throw AttachmentRefusal("it has no table '\(table)'") }
        let (name, isWithoutRowID) = (list.text(0), list.integer(2) != 0)
        try Self.checkKind(name, list.text(1), on: connection)
        list.reset()
        let columns = try Self.columns(of: name, on: connection)
        let names = Set(columns.map { $0.name.lowercased() })
        guard !([name] + columns.map(\.name)).contains(where: { $0.contains("\u{FFFD}") }) else {
            throw AttachmentRefusal("a name in '\(name)' is not valid UTF-8")
        }
        let (indexes, hasKeyIndex) = try Self.uniqueIndexes(of: name, on: connection)
        let keys = columns.filter { $0.keyPosition > 0 }
        // A primary key of one integer column without an index is another name of the row number.
        let rowKey = !isWithoutRowID && keys.count == 1 && !hasKeyIndex ? keys[0].name : nil
        let alias = rowKey ?? ["rowid", "_rowid_", "oid"].first { !names.contains($0) }
        guard isWithoutRowID || alias != nil else {
            throw AttachmentRefusal("in '\(name)', columns hide all names of the row number")
        }
        self.init(
            name: name, columns: columns, indexes: indexes, rowName: isWithoutRowID ? nil : alias,
            rowKey: rowKey)
        guard recorded.count <= StoreModel.maxAttributes else {
            throw AttachmentRefusal("'\(name)' has more than \(StoreModel.maxAttributes) columns")
        }
        try checkTriggers(on: connection)
    }

    private static func checkKind(_ name: String, _ type: String, on connection: borrowing Connection) throws
    {
        guard type != "view" else {
            throw AttachmentRefusal("'\(name)' is a view; record the tables that it reads")
        }
        guard type != "virtual" else { throw AttachmentRefusal("'\(name)' is a virtual table") }
        guard type != "shadow" else { throw AttachmentRefusal("'\(name)' is a part of a virtual table") }
        let lower = name.lowercased()
        guard !lower.hasPrefix("sqlite_") else { throw AttachmentRefusal("'\(name)' belongs to SQLite") }
        guard !AttachedStore.isReserved(lower) else {
            throw AttachmentRefusal("the name '\(name)' is that of a table of the history")
        }
        guard !rowNames.contains(lower) else {
            throw AttachmentRefusal("the name '\(name)' is that of a row in triggers")
        }
        // SQLite knows the parts of a virtual table only with its module.
        let unknown = try connection.prepare(
            "SELECT name, sql FROM sqlite_schema WHERE type = 'table' AND rootpage = 0")
        while try unknown.step() {
            let tokens = SQLTokens(unknown.text(1)).all
            guard lower.hasPrefix(unknown.text(0).lowercased() + "_"),
                let using = tokens.firstIndex(where: { $0.isKeyword("USING") }), using + 1 < tokens.endIndex,
                try connection.integer(
                    "SELECT 1 FROM pragma_module_list WHERE name = ?1 COLLATE NOCASE", tokens[using + 1].text)
                    == nil
            else { continue }
            throw AttachmentRefusal(
                "'\(name)' may be a part of the virtual table '\(unknown.text(0))', whose module is missing")
        }
    }

    private static func columns(of table: String, on connection: borrowing Connection) throws -> [Column] {
        var columns: [Column] = []
        let isStrict =
            try connection.integer(
                "SELECT strict FROM pragma_table_list WHERE schema = 'main' AND name = ?1", table) == 1
        let rows = try connection.prepare(
            "SELECT name, type, \"notnull\", dflt_value, pk, hidden FROM pragma_table_xinfo(?1) ORDER BY cid",
            [table])
        while try rows.step() {
            let type = rows.text(1).uppercased()
            columns.append(
                Column(
                    name: rows.text(0), isUntyped: isStrict ? type == "ANY" : kind(type) == .blob,
                    kind: kind(type),
                    isOptional: rows.integer(2) == 0, defaultValue: rows.optionalText(3),
                    isGenerated: rows.integer(5) > 1, keyPosition: Int(rows.integer(4))))
        }
        return columns
    }

    /// Returns the affinity of a declared type (sqlite.org/datatype3.html 3.1), of which NUMERIC is real.
    private static func kind(_ type: String) -> AttributeDescription.Kind {
        if type.contains("INT") { return .integer }
        if ["CHAR", "CLOB", "TEXT"].contains(where: type.contains) { return .text }
        return type.isEmpty || type.contains("BLOB") ? .blob : .real
    }

    /// Returns the unique indexes, and whether one of them is that of the primary key.
    private static func uniqueIndexes(
        of table: String, on connection: borrowing Connection
    ) throws -> ([UniqueIndex], hasKey: Bool) {
        var (indexes, hasKey): ([UniqueIndex], Bool) = ([], false)
        let list = try connection.prepare(
            """
            SELECT list.name, origin, partial, stored.sql FROM pragma_index_list(?1) AS list
            LEFT JOIN sqlite_schema AS stored ON stored.name = list.name AND stored.type = 'index'
            WHERE "unique" ORDER BY seq
            """, [table])
        while try list.step() {
            if list.text(1) == "pk" { hasKey = true }
            var columns: [(name: String, collation: String)] = []
            let parts = try connection.prepare(
                "SELECT cid, name, coll FROM pragma_index_xinfo(?1) WHERE key ORDER BY seqno", [list.text(0)])
            while try parts.step() {
                guard parts.integer(0) >= 0 else {
                    throw AttachmentRefusal("the unique index '\(list.text(0))' is of an expression")
                }
                columns.append((parts.text(1), parts.text(2)))
            }
            var condition: String?
            if list.integer(2) != 0 {
                let tokens = SQLTokens(list.text(3))
                guard let clause = tokens.all.first(where: { $0.depth == 0 && $0.isKeyword("WHERE") }) else {
                    throw AttachmentRefusal("the condition of the index '\(list.text(0))' cannot be read")
                }
                condition = tokens.rest(after: clause)
            }
            indexes.append(UniqueIndex(columns: columns, condition: condition))
        }
        return (indexes, hasKey)
    }

    /// Rejects triggers of the owner that could create a row, which the statement then evicts unseen: they run
    /// between the trigger that notes the rows to evict and the eviction.
    private func checkTriggers(on connection: borrowing Connection) throws {
        var changes: [SQLTokens.Event: Set<SQLTokens.Event>] = [:]
        var early: [(name: String, changes: Set<SQLTokens.Event>)] = []
        let rows = try connection.prepare(
            "SELECT name, tbl_name, sql FROM sqlite_schema WHERE type = 'trigger' ORDER BY rowid")
        while try rows.step() {
            guard !AttachedStore.isReserved(rows.text(0).lowercased()) else { continue }
            let tokens = SQLTokens(rows.text(2))
            let (table, made) = (rows.text(1).lowercased(), tokens.triggerChanges)
            guard let event = tokens.triggerEvent else {
                throw AttachmentRefusal("the trigger '\(rows.text(0))' cannot be read")
            }
            changes[SQLTokens.Event(kind: event.kind, table: table), default: []].formUnion(made)
            if table == name.lowercased(), event.isBefore, event.kind != .delete {
                early.append((rows.text(0), made))
            }
        }
        guard !early.isEmpty else { return }
        let keys = try connection.prepare(
            """
            SELECT lower(child.name), lower("table"), on_update, on_delete FROM sqlite_schema AS child
            JOIN pragma_foreign_key_list(child.name) WHERE child.type = 'table'
            """)
        while try keys.step() {
            let (child, parent) = (keys.text(0), keys.text(1))
            let kind: HistoryChange.Kind = keys.text(3) == "CASCADE" ? .delete : .update
            changes[SQLTokens.Event(kind: .delete, table: parent), default: []].insert(
                SQLTokens.Event(kind: kind, table: child))
            changes[SQLTokens.Event(kind: .update, table: parent), default: []].insert(
                SQLTokens.Event(kind: .update, table: child))
        }
        for trigger in early {
            var (reached, next) = (trigger.changes, trigger.changes)
            while !next.isEmpty {
                next = Set(next.flatMap { changes[$0] ?? [] }).subtracting(reached)
                reached.formUnion(next)
            }
            if reached.contains(where: { $0.table == name.lowercased() && $0.kind != .delete }) {
                throw AttachmentRefusal(
                    "the trigger '\(trigger.name)' writes '\(name)' before a row of it changes")
            }
        }
    }
}
