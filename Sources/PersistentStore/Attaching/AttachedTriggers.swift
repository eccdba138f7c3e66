/// The triggers that record an attached table, for every writer.
///
/// They use the technique of ``HistoryTriggers``, without columns of their own in the table: a BEFORE trigger notes the
/// rows that REPLACE may evict, and an AFTER trigger records those that are missing then. They run after the owner's
/// BEFORE triggers and before the owner's AFTER triggers only as far as their age allows (SQLite runs the newest
/// trigger first, and temporary ones before all others), and the owner's triggers are never created again, since that
/// would change their order in the schema. So each record contains the row as it is when the record is made: whichever
/// trigger runs first, the last record of a row is right. Only a temporary trigger that fails after a change under
/// OR FAIL, which retains the row, prevents its record.
///
/// A note has the row's number (for a table without row numbers, its key), the time of its statement, and whether the
/// new row has the same number or key. In `state`, 0 is a note, 1 an eviction to record, and 2 one that is recorded. A
/// note of an earlier statement is stale: `OR IGNORE` and upserts evict nothing.
struct AttachedTriggers {
    let schema: AttachedSchema
    let entityID: Int64
    /// The name under which the history has tables for the entity, which the owner's names do not change.
    let storedName: String
    let values: RecordedValues
    /// The bit of each recorded column in `columns`.
    let bits: [String: Int]

    private var table: String { StoreSchema.quoted(schema.name) }
    private var notes: String { StoreSchema.replacedTable(storedName) }
    private var retained: String { StoreSchema.valuesTable(storedName) }
    private var columns: [(column: AttachedSchema.Column, bit: Int)] {
        schema.recorded.compactMap { column in bits[column.name].map { (column, $0) } }
    }
    private var keyBits: [Int] {
        schema.isKeyedByRow ? [] : schema.keyColumns.compactMap { bits[$0.name] }
    }

    var prefix: String { "history_\(entityID)_" }

    var all: [HistoryTriggers.Trigger] {
        [
            notesClashesOfInsert, notesClashesOfUpdate, recordsInsert, recordsReplacingInsert, recordsUpdate,
            recordsReplacingUpdate, recordsMove, recordsDelete, discardsNoteOfDeleted, recordsEvicted,
        ]
    }

    // MARK: Columns of the history's tables

    /// The bits of columns whose values before a change are recorded.
    var oldBits: [Int] { values == .names ? keyBits : columns.map(\.bit) }
    /// The bits of columns whose values after a change are recorded.
    var newBits: [Int] { values == .rows ? columns.map(\.bit) : keyBits }
    private var hasValues: Bool { !oldBits.isEmpty || !newBits.isEmpty }

    /// All columns: a note contains the row, by which it is recognized.
    var noteColumns: [String] { columns.map { "v\($0.bit)" } }

    static func createTables(_ storedName: String) -> [String] {
        [
            """
            CREATE TABLE \(StoreSchema.valuesTable(storedName)) (number INTEGER PRIMARY KEY, "before" INTEGER,
            "after" INTEGER)
            """,
            """
            CREATE TABLE \(StoreSchema.replacedTable(storedName)) (row INTEGER PRIMARY KEY, at INTEGER, state INTEGER,
            same INTEGER)
            """,
        ]
    }

    private static func mask(_ bits: [Int]) -> Int64 { bits.reduce(0) { $0 | 1 << Int64($1) } }

    private func name(_ bit: Int) -> String {
        columns.first { $0.bit == bit }.map { StoreSchema.quoted($0.column.name) } ?? "NULL"
    }

    // MARK: Insertions

    private var recordsInsert: HistoryTriggers.Trigger {
        trigger(
            "insert", "AFTER INSERT ON \(table)\nWHEN NOT \(hasNotes) AND \(isPresent("new"))",
            [record(.insert, "new")] + newValues(.insert))
    }

    private var recordsReplacingInsert: HistoryTriggers.Trigger {
        trigger(
            "insert_replacing", "AFTER INSERT ON \(table)\nWHEN \(hasNotes)",
            [evict("\(isNote("new")) OR \(isMissing)"), record(.insert, "new", where: isPresent("new"))]
                + newValues(.insert))
    }

    // MARK: Updates

    private var recordsUpdate: HistoryTriggers.Trigger {
        trigger(
            "update",
            """
            AFTER UPDATE ON \(table)
            WHEN (\(anyDiffers)) AND NOT (\(isMoved)) AND NOT \(hasNotes) AND \(isPresent("new"))
            """,
            [record(.update, "new", columns: changedColumns)] + newValues(.update))
    }

    private var recordsReplacingUpdate: HistoryTriggers.Trigger {
        let changes = "(\(anyDiffers)) AND \(isPresent("new"))"
        return trigger(
            "update_replacing", "AFTER UPDATE ON \(table)\nWHEN \(hasNotes) AND NOT (\(isMoved))",
            [
                evict(evictedByUpdate), record(.update, "new", columns: changedColumns, where: changes),
            ] + newValues(.update, where: anyDiffers))
    }

    /// A changed key is a deletion and an insertion, each with the distance to the number of the other one.
    private var recordsMove: HistoryTriggers.Trigger {
        let (isGone, isThere) = ("NOT \(isKnown("old"))", isPresent("new"))
        return trigger(
            "move", "AFTER UPDATE ON \(table)\nWHEN \(isMoved)",
            [
                "DELETE FROM \(notes) WHERE \(isNote("old")) AND state = 0", evict(evictedByUpdate),
                record(.delete, "old", link: "CASE WHEN \(isThere) THEN 1 END", where: isGone),
            ] + oldValues(where: isGone) + [
                record(.insert, "new", link: "CASE WHEN \(isGone) THEN -1 END", where: isThere)
            ] + newValues(.insert))
    }

    private var evictedByUpdate: String {
        "(\(isNote("new")) AND (\(rowDiffers))) OR \(isMissing)"
    }

    // MARK: Deletions

    private var recordsDelete: HistoryTriggers.Trigger {
        trigger(
            "delete", "AFTER DELETE ON \(table)\nWHEN NOT \(isPresent("old"))",
            [record(.delete, "old")] + oldValues())
    }

    private var discardsNoteOfDeleted: HistoryTriggers.Trigger {
        trigger(
            "delete_noted",
            "AFTER DELETE ON \(table)\nWHEN EXISTS (SELECT 1 FROM \(notes) WHERE \(isNote("old")) AND state = 0)",
            ["DELETE FROM \(notes) WHERE \(isNote("old")) AND state = 0"])
    }

    /// On the table of the notes, since each eviction needs the number of its own record.
    private var recordsEvicted: HistoryTriggers.Trigger {
        let object = schema.isWithoutRowID ? "NULL" : "new.row"
        var steps = [
            """
            INSERT INTO history (kind, entity, object, at)
            VALUES (\(HistoryChange.Kind.delete.rawValue), \(entityID), \(object), \(time))
            """
        ]
        if !oldBits.isEmpty {
            steps.append(
                """
                INSERT INTO \(retained) (number, "before"\(list(oldBits.map { "o\($0)" })))
                VALUES (last_insert_rowid(), \(Self.mask(oldBits))\(list(oldBits.map { "new.v\($0)" })))
                """)
        }
        let cleared = noteColumns.map { ", \($0) = NULL" }.joined()
        steps.append("UPDATE \(notes) SET state = 2\(cleared) WHERE row = new.row")
        return trigger("evicted", "AFTER UPDATE OF state ON \(notes)\nWHEN new.state = 1", steps)
    }

    // MARK: Notes

    private var notesClashesOfInsert: HistoryTriggers.Trigger {
        trigger(
            "notes_insert",
            "BEFORE INSERT ON \(table)\nWHEN \(hasNotes) OR \(clashes.map { exists($0) }.joined(separator: " OR "))",
            note(""))
    }

    private var notesClashesOfUpdate: HistoryTriggers.Trigger {
        let others = " AND NOT (\(isSameRow(table, "old")))"
        // A changed value may bring a row into a partial index.
        let isPartial = schema.indexes.contains { $0.condition != nil }
        let unique = schema.indexes.flatMap(\.columns).map { differs(StoreSchema.quoted($0.name)) }
        let moves =
            isPartial
            ? "\(anyDiffers) OR \(rowDiffers)"
            : (unique + [rowDiffers]).joined(separator: " OR ")
        let clash = clashes.map { exists($0, others) }.joined(separator: " OR ")
        return trigger(
            "notes_update",
            """
            BEFORE UPDATE ON \(table)
            WHEN (\(hasNotes) AND (\(anyDiffers) OR \(rowDiffers))) OR ((\(moves)) AND (\(clash)))
            """, note(others))
    }

    private func note(_ others: String) -> [String] {
        let clash = "(\(clashes.joined(separator: " OR ")))\(others)"
        let present = columns.map { "\(table).\(StoreSchema.quoted($0.column.name))" }
        let isClashing =
            schema.isWithoutRowID
            ? "EXISTS (SELECT 1 FROM \(table) WHERE \(isSameAsNote) AND \(clash))"
            : "row IN (SELECT \(row(table)) FROM \(table) WHERE \(clash))"
        let (names, row) = (
            list(noteColumns), schema.isWithoutRowID ? ("", "") : ("row, ", row(table) + ", ")
        )
        return [
            "DELETE FROM \(notes) WHERE state = 2 OR at <> \(HistoryTriggers.now) OR \(isSettled) OR \(isClashing)",
            """
            INSERT INTO \(notes) (\(row.0)at, state, same\(names))
            SELECT \(row.1)\(HistoryTriggers.now), 0, \(isSameRow(table, "new"))\(list(present)) FROM \(table)
            WHERE \(clash)
            """,
        ]
    }

    /// Conditions on a row of the table under which the new row would evict it.
    private var clashes: [String] {
        var clashes: [String] = []
        if !schema.isWithoutRowID { clashes.append("\(row(table)) = \(row("new"))") }
        for index in schema.indexes {
            let parts = index.columns.map { name, collation in
                "\(table).\(StoreSchema.quoted(name)) = \(incoming(name)) COLLATE \(StoreSchema.quoted(collation))"
            }
            let condition = index.condition.map { " AND (\($0)\n)" } ?? ""
            clashes.append("(\(parts.joined(separator: " AND "))\(condition))")
        }
        return clashes
    }

    /// The value that a row gets: REPLACE stores the default instead of NULL in a column that forbids it, after the
    /// BEFORE triggers.
    private func incoming(_ name: String) -> String {
        let new = "new.\(StoreSchema.quoted(name))"
        guard let column = schema.columns.first(where: { $0.name == name }), !column.isOptional,
            let value = column.defaultValue
        else { return new }
        // A quoted name is a text there (sqlite.org/quirks.html#dblquote).
        let text =
            value.utf8.first == UInt8(ascii: "\"")
            ? StoreSchema.literal(.text(SQLTokens.unquoted(Array(value.utf8)))) : value
        return "coalesce(\(new), (\(text)))"
    }

    private func exists(_ clash: String, _ others: String = "") -> String {
        "EXISTS (SELECT 1 FROM \(table) WHERE \(clash)\(others))"
    }

    private var hasNotes: String { "EXISTS (SELECT 1 FROM \(notes))" }

    /// Marks the notes of evicted rows for the trigger that records them.
    private func evict(_ condition: String) -> String {
        "UPDATE \(notes) SET state = 1 WHERE state = 0 AND at = \(HistoryTriggers.now) AND (\(condition))"
    }

    /// Whether a note is that of a row, by the row's number or key.
    private func isNote(_ row: String) -> String {
        guard schema.isWithoutRowID else { return "\(notes).row = \(self.row(row))" }
        let parts = schema.keyColumns.compactMap { column in
            bits[column.name].map { "\(row).\(StoreSchema.quoted(column.name)) = \(notes).v\($0)" }
        }
        return "(\(parts.joined(separator: " AND ")))"
    }

    private var isSameAsNote: String { isNote(table) }
    private var isMissing: String { "NOT EXISTS (SELECT 1 FROM \(table) WHERE \(isSameAsNote))" }

    /// Whether the row of a note was not evicted: it exists, and unless the new row has its number or key, it is it;
    /// otherwise its values are the noted ones.
    private var isSettled: String {
        let present = columns.map { "\(table).\(StoreSchema.quoted($0.column.name)) COLLATE BINARY" }
        let noted = columns.map { "\(notes).v\($0.bit)" }
        let isEqual =
            present.isEmpty
            ? "1"
            : "(\(present.joined(separator: ", "))) IS (\(noted.joined(separator: ", ")))"
        return
            "EXISTS (SELECT 1 FROM \(table) WHERE \(isSameAsNote) AND (NOT \(notes).same OR \(isEqual)))"
    }

    // MARK: Rows

    private func row(_ prefix: String) -> String {
        "\(prefix).\(StoreSchema.quoted(schema.rowName ?? "rowid"))"
    }

    private func isSameRow(_ left: String, _ right: String) -> String {
        guard schema.isWithoutRowID else { return "\(row(left)) = \(row(right))" }
        return schema.keyColumns.map {
            let name = StoreSchema.quoted($0.name)
            return "\(left).\(name) = \(right).\(name)"
        }.joined(separator: " AND ")
    }

    private func isPresent(_ row: String) -> String {
        "EXISTS (SELECT 1 FROM \(table) WHERE \(isSameRow(table, row)))"
    }

    /// Whether a row with exactly the key of another one exists.
    private func isKnown(_ row: String) -> String {
        guard !schema.isKeyedByRow else { return isPresent(row) }
        let keys = schema.keyColumns.map {
            let (stored, given) = (
                "\(table).\(StoreSchema.quoted($0.name))", "\(row).\(StoreSchema.quoted($0.name))"
            )
            let kind = $0.isUntyped ? " AND typeof(\(stored)) = typeof(\(given))" : ""
            return "\(stored) = \(given) AND \(stored) COLLATE BINARY = \(given)\(kind)"
        }
        return "EXISTS (SELECT 1 FROM \(table) WHERE \(keys.joined(separator: " AND ")))"
    }

    private var rowDiffers: String {
        schema.isWithoutRowID ? keyDiffers : "\(row("old")) <> \(row("new"))"
    }

    private var keyDiffers: String {
        schema.keyColumns.map { differs($0) }.joined(separator: " OR ")
    }

    /// Whether the row has another name after the change.
    private var isMoved: String {
        guard !schema.isKeyedByRow else { return rowDiffers }
        guard schema.hasOptionalKey else { return keyDiffers }
        // Only its number names a row with NULL in its key.
        let nulls = schema.keyColumns.map { "old.\(StoreSchema.quoted($0.name)) IS NULL" }
        return "\(keyDiffers) OR ((\(nulls.joined(separator: " OR "))) AND \(rowDiffers))"
    }

    private func differs(_ name: String) -> String { "old.\(name) COLLATE BINARY IS NOT new.\(name)" }

    private func differs(_ column: AttachedSchema.Column) -> String {
        let name = StoreSchema.quoted(column.name)
        return column.isUntyped
            ? "(\(differs(name)) OR typeof(old.\(name)) <> typeof(new.\(name)))" : differs(name)
    }

    private var anyDiffers: String {
        guard !columns.isEmpty else { return "0" }
        let names = columns.map { StoreSchema.quoted($0.column.name) }
        let old = names.map { "old.\($0) COLLATE BINARY" }.joined(separator: ", ")
        let kinds = columns.filter(\.column.isUntyped).map { column in
            let name = StoreSchema.quoted(column.column.name)
            return " OR typeof(old.\(name)) <> typeof(new.\(name))"
        }
        return "(\(old)) IS NOT (\(names.map { "new.\($0)" }.joined(separator: ", ")))\(kinds.joined())"
    }

    private var changedColumns: String {
        let bits = columns.map { "((\(differs($0.column))) << \($0.bit))" }
        return bits.isEmpty ? "0" : bits.joined(separator: " + ")
    }

    // MARK: Records

    /// The time of a change; NULL inside a transaction of this library.
    private var time: String {
        "(SELECT max(at, \(HistoryTriggers.now)) FROM history ORDER BY number DESC LIMIT 1)"
    }

    private func record(
        _ kind: HistoryChange.Kind, _ row: String, columns: String = "NULL", link: String = "NULL",
        where condition: String? = nil
    ) -> String {
        let object = schema.isWithoutRowID ? "NULL" : self.row(row)
        let values = "\(kind.rawValue), \(entityID), \(object), \(columns), \(time), \(link)"
        let source = condition.map { "SELECT \(values) WHERE \($0)" } ?? "VALUES (\(values))"
        return "INSERT INTO history (kind, entity, object, columns, at, session)\n\(source)"
    }

    /// Returns the statement that retains values before a deletion.
    private func oldValues(where condition: String? = nil) -> [String] {
        guard !oldBits.isEmpty else { return [] }
        let values =
            "last_insert_rowid(), \(Self.mask(oldBits))\(list(oldBits.map { "old.\(name($0))" }))"
        let source = condition.map { "SELECT \(values) WHERE \($0)" } ?? "VALUES (\(values))"
        return [
            "INSERT INTO \(retained) (number, \"before\"\(list(oldBits.map { "o\($0)" })))\n\(source)"
        ]
    }

    /// Returns the statement that retains values of the row as it is now, and for an update those before it.
    private func newValues(_ kind: HistoryChange.Kind, where condition: String = "1") -> [String] {
        let isUpdate = kind == .update
        let changed = isUpdate && values != .names ? columns : []
        guard !newBits.isEmpty || !changed.isEmpty else { return [] }
        let old = changed.map { column, _ in
            let name = StoreSchema.quoted(column.name)
            return "CASE WHEN \(differs(column)) THEN old.\(name) END"
        }
        return [
            """
            INSERT INTO \(retained) (number, "before", "after"\(list(changed.map { "o\($0.bit)" }))\
            \(list(newBits.map { "n\($0)" })))
            SELECT last_insert_rowid(), \(changed.isEmpty ? "0" : "-1"), \(Self.mask(newBits))\(list(old))\
            \(list(newBits.map { "\(table).\(name($0))" })) FROM \(table)
            WHERE \(isSameRow(table, "new")) AND (\(condition))
            """
        ]
    }

    private func list(_ parts: [String]) -> String { parts.map { ", " + $0 }.joined() }

    private func trigger(_ name: String, _ event: String, _ steps: [String]) -> HistoryTriggers.Trigger {
        HistoryTriggers.Trigger(
            name: prefix + name, body: event + "\nBEGIN\n" + steps.map { $0 + ";\n" }.joined() + "END")
    }
}
