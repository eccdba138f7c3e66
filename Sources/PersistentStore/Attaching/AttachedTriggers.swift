/// The triggers that record an attached table, for every writer.
///
/// They use the technique of ``HistoryTriggers``, without columns of their own in the table: a BEFORE trigger notes the
/// rows that REPLACE may evict, and an AFTER trigger records those that are missing then. A record is one row of
/// `history` with the values next to it, and has the writer's time, so that its statement reads no other table than the
/// owner's: SQLite would copy a selection that reads the table of its insertion. They run after the owner's
/// BEFORE triggers and before the owner's AFTER triggers only as far as their age allows (SQLite runs the newest
/// trigger first, and temporary ones before all others), and the owner's triggers are never created again, since that
/// would change their order in the schema. So each record contains the row as it is when the record is made: whichever
/// trigger runs first, the last record of a row is right. Only a temporary trigger that fails after a change under
/// OR FAIL, which retains the row, prevents its record.
///
/// A note has the row's number (for a table without row numbers, its key), the time of its statement, whether the
/// new row has the same number or key, why the row clashes, and which row's update made it. In `state`, 0 is a note, 1 an eviction to record, and 2 a recorded one; 4 is an
/// eviction to record that a change inside the evicting statement revealed, by a foreign key or a trigger of the owner, and
/// 3 one that is recorded, with the number of its record in `same`. A note of an earlier statement is stale: `OR IGNORE`
/// and upserts evict nothing.
struct AttachedTriggers {
    let schema: AttachedSchema
    let entityID: Int64
    /// The name under which the history has tables for the entity, which the owner's names do not change.
    let storedName: String
    let values: RecordedValues
    /// The bit of each recorded column in `columns`.
    let bits: [String: Int]

    var table: String { StoreSchema.quoted(schema.name) }
    var notes: String { StoreSchema.replacedTable(storedName) }
    var columns: [(column: AttachedSchema.Column, bit: Int)] {
        schema.recorded.compactMap { column in bits[column.name].map { (column, $0) } }
    }
    private var keyBits: [Int] { schema.isKeyedByRow ? [] : schema.keyColumns.compactMap { bits[$0.name] } }

    var prefix: String { "history_\(entityID)_" }

    var all: [HistoryTriggers.Trigger] {
        [
            notesClashesOfInsert, notesClashesOfUpdate, notesInserted, notesUpdated,
            recordsInsert, recordsUpdate, recordsMove,
            // After the record of the deletion.
            recordsEvictedByCascade, recordsDelete,
            discardsNoteOfDeleted, recordsEvicted,
            // The newest run first: evictions precede the change that caused them.
            evictsByInsert, evictsByUpdate,
        ]
    }

    // MARK: Columns of the history

    /// The bits of columns whose values in the row of a change, before a deletion and after any other, are recorded.
    private func bits(_ kind: HistoryChange.Kind) -> [Int] {
        let isWhole = kind == .delete ? values != .names : values == .rows
        return isWhole ? columns.map(\.bit) : keyBits
    }

    /// The columns of `history` for the values, which the tables share by their bits.
    var valueColumns: [String] {
        bits(.delete).map { "v\($0)" } + (values == .names ? [] : columns.map { "o\($0.bit)" })
    }

    /// All columns: a note contains the row, by which it is recognized.
    var noteColumns: [String] { columns.map { "v\($0.bit)" } }

    /// Set in `retained` if an update has the old values of the changed columns.
    static let oldValuesFlag: Int64 = 1 << 62

    private static func mask(_ bits: [Int]) -> Int64 { bits.reduce(0) { $0 | 1 << Int64($1) } }

    private func name(_ bit: Int) -> String {
        columns.first { $0.bit == bit }.map { StoreSchema.quoted($0.column.name) } ?? "NULL"
    }

    // MARK: Changes

    private var recordsInsert: HistoryTriggers.Trigger {
        trigger("insert", "AFTER INSERT ON \(table)", [recordPresent(.insert)])
    }

    private var recordsUpdate: HistoryTriggers.Trigger {
        trigger(
            "update", "AFTER UPDATE ON \(table)\nWHEN (\(anyDiffers)) AND NOT (\(isMoved))",
            [recordPresent(.update)] + renewNote)
    }

    /// A changed key is a deletion and an insertion, each with the distance to the number of the other one.
    private var recordsMove: HistoryTriggers.Trigger {
        let (isGone, isThere) = ("NOT \(isKnown("old"))", isPresent("new"))
        return trigger(
            "move", "AFTER UPDATE OF \(keyNames) ON \(table)\nWHEN \(isMoved)",
            [
                "DELETE FROM \(notes) WHERE \(isNote("old")) AND state = 0 OR \(isRecorded("new"))",
                evict(evictedByUpdate),
                recordDelete(link: "CASE WHEN \(isThere) THEN 1 END", where: isGone),
                recordPresent(.insert, link: "CASE WHEN \(isGone) THEN -1 END"),
                discardOwn,
            ])
    }

    private var recordsDelete: HistoryTriggers.Trigger {
        trigger(
            "delete",
            """
            AFTER DELETE ON \(table)
            WHEN NOT \(isKnown("old")) AND NOT EXISTS (SELECT 1 FROM \(notes) WHERE \(isRecorded("old")))
            """, [recordDelete()])
    }

    // MARK: Evictions

    private var evictsByInsert: HistoryTriggers.Trigger {
        trigger(
            "insert_evicts", "AFTER INSERT ON \(table)\nWHEN \(hasNotes)",
            [evict("\(isNote("new")) OR \(isMissing)"), discardOwn])
    }

    private var evictsByUpdate: HistoryTriggers.Trigger {
        trigger(
            "update_evicts",
            "AFTER UPDATE\(ofUniqueNames) ON \(table)\nWHEN \(hasNotes) AND NOT (\(isMoved))",
            discardRenumbered + [evict(evictedByUpdate), discardOwn])
    }

    /// Discards the note of a row that gets another number only, which is present under the new one.
    private var discardRenumbered: [String] {
        guard !schema.isWithoutRowID, !schema.isKeyedByRow else { return [] }
        return ["DELETE FROM \(notes) WHERE \(isNote("old")) AND state = 0 AND \(rowDiffers)"]
    }

    private var evictedByUpdate: String {
        "(\(isNote("new")) AND (\(rowDiffers))) OR \(isMissing)"
    }

    private var discardsNoteOfDeleted: HistoryTriggers.Trigger {
        trigger(
            "delete_noted",
            "AFTER DELETE ON \(table)\nWHEN EXISTS (SELECT 1 FROM \(notes) WHERE \(isNote("old")) AND state = 0)",
            ["DELETE FROM \(notes) WHERE \(isNote("old")) AND state = 0"])
    }

    /// Records a row whose eviction deletes this one by a foreign key: if this one is the row that evicts, no other trigger
    /// runs for it. The trigger of a row that is deleted, not evicted, or with recursive_triggers runs later: it corrects
    /// the values, which an earlier statement of the same millisecond may have noted.
    private var recordsEvictedByCascade: HistoryTriggers.Trigger {
        let own = bits(.delete).map { "v\($0) = old.\(name($0))" }.joined(separator: ", ")
        let correct =
            "UPDATE history SET \(own) WHERE number = (SELECT same FROM \(notes) WHERE \(isRecorded("old")))"
        return trigger(
            "delete_evicts", "AFTER DELETE ON \(table)\nWHEN \(hasNotes)",
            (own.isEmpty ? [] : [correct]) + [
                "DELETE FROM \(notes) WHERE \(isRecorded("old"))",
                evict("\(isMissing) OR \(evictedByDeleted)", as: "4"),
            ])
    }

    /// On the table of the notes, since each eviction needs the number of its own record.
    private var recordsEvicted: HistoryTriggers.Trigger {
        let bits = bits(.delete)
        // A note that a later trigger must recognize retains its key.
        let cleared = noteColumns.map { ", \($0) = CASE new.state WHEN 4 THEN \($0) END" }.joined()
        return trigger(
            "evicted", "AFTER UPDATE OF state ON \(notes)\nWHEN new.state IN (1, 4)",
            [
                """
                INSERT INTO history (kind, entity, object, at, retained\(list(bits.map { "v\($0)" })))
                VALUES (\(HistoryChange.Kind.delete.rawValue), \(entityID), \(schema.isWithoutRowID ? "NULL" : "new.row"),
                \(HistoryTriggers.now), \(Self.mask(bits))\(list(bits.map { "new.v\($0)" })))
                """,
                """
                UPDATE \(notes) SET state = CASE new.state WHEN 4 THEN 3 ELSE 2 END, same = last_insert_rowid()\(cleared)
                WHERE row = new.row
                """,
            ])
    }

    // MARK: Conditions

    /// A changed value may bring a row into a partial index.
    var hasPartialIndex: Bool { schema.indexes.contains { $0.condition != nil } }

    /// The columns by which an update can evict a row, as a part of its triggers: SQLite runs them for no other update.
    var ofUniqueNames: String {
        let unique = schema.indexes.flatMap(\.columns).map(\.name)
        let isComputed = schema.columns.contains { $0.isGenerated && unique.contains($0.name) }
        guard !hasPartialIndex, !isComputed else { return "" }
        return " OF " + names(unique + schema.keyColumns.map(\.name))
    }

    private var keyNames: String { names(schema.keyColumns.map(\.name)) }

    /// Returns columns, with all names under which an update can set the row number
    /// (sqlite.org/lang_createtable.html#rowid).
    private func names(_ columns: [String]) -> String {
        var seen: Set<String> = []
        let all = columns + (schema.isWithoutRowID ? [] : ["rowid", "oid", "_rowid_"])
        return all.filter { seen.insert($0).inserted }.map(StoreSchema.quoted).joined(separator: ", ")
    }

    var hasNotes: String { "EXISTS (SELECT 1 FROM \(notes))" }

    /// Whether a note is that of a row, by the row's number or key.
    func isNote(_ row: String) -> String {
        guard schema.isWithoutRowID else { return "\(notes).row = \(self.row(row))" }
        let parts = schema.keyColumns.compactMap { column in
            bits[column.name].map { "\(row).\(StoreSchema.quoted(column.name)) = \(notes).v\($0)" }
        }
        return "(\(parts.joined(separator: " AND ")))"
    }

    /// Whether a note is that of a row whose eviction a cascade has recorded.
    private func isRecorded(_ row: String) -> String { "(\(isNote(row)) AND state = 3)" }

    // MARK: Rows

    func row(_ prefix: String) -> String {
        "\(prefix).\(StoreSchema.quoted(schema.rowName ?? "rowid"))"
    }

    func isSameRow(_ left: String, _ right: String) -> String {
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

    var rowDiffers: String {
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

    func differs(_ name: String) -> String { "old.\(name) COLLATE BINARY IS NOT new.\(name)" }

    func differs(_ column: AttachedSchema.Column) -> String {
        let name = StoreSchema.quoted(column.name)
        return column.isUntyped
            ? "(\(differs(name)) OR typeof(old.\(name)) <> typeof(new.\(name)))" : differs(name)
    }

    var anyDiffers: String {
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

    /// Returns the statement that records an insertion or an update of a row that exists, as it is now.
    private func recordPresent(_ kind: HistoryChange.Kind, link: String = "NULL") -> String {
        let (bits, isUpdate) = (bits(kind), kind == .update)
        let changed = isUpdate && values != .names ? columns : []
        let old = changed.map { column, _ in
            "CASE WHEN \(differs(column)) THEN old.\(StoreSchema.quoted(column.name)) END"
        }
        return """
            INSERT INTO history (kind, entity, object, columns, at, session, retained\
            \(list(changed.map { "o\($0.bit)" } + bits.map { "v\($0)" })))
            SELECT \(kind.rawValue), \(entityID), \(object("new")), \(isUpdate ? changedColumns : "NULL"),
            \(HistoryTriggers.now), \(link), \(Self.mask(bits) | (changed.isEmpty ? 0 : Self.oldValuesFlag))\
            \(list(old + bits.map { "\(table).\(name($0))" })) FROM \(table)
            WHERE \(isSameRow(table, "new"))
            """
    }

    private func recordDelete(link: String = "NULL", where condition: String? = nil) -> String {
        let bits = bits(.delete)
        let values = """
            \(HistoryChange.Kind.delete.rawValue), \(entityID), \(object("old")), \(HistoryTriggers.now), \(link),
            \(Self.mask(bits))\(list(bits.map { "old.\(name($0))" }))
            """
        let source = condition.map { "SELECT \(values) WHERE \($0)" } ?? "VALUES (\(values))"
        return
            "INSERT INTO history (kind, entity, object, at, session, retained\(list(bits.map { "v\($0)" })))\n\(source)"
    }

    private func object(_ row: String) -> String { schema.isWithoutRowID ? "NULL" : self.row(row) }

    func list(_ parts: [String]) -> String { parts.map { ", " + $0 }.joined() }

    func trigger(_ name: String, _ event: String, _ steps: [String]) -> HistoryTriggers.Trigger {
        HistoryTriggers.Trigger(
            name: prefix + name, body: event + "\nBEGIN\n" + steps.map { $0 + ";\n" }.joined() + "END")
    }
}
