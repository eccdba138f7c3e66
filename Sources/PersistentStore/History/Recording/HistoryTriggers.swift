/// The triggers that record an entity's history, for every writer.
///
/// Inside a transaction of a context, the newest row of the log has no `at`, and neither have the rows
/// recorded there. An external writer's change contains its time and is a transaction by itself: SQL shows a
/// trigger neither the beginning of a statement nor the connection that runs it. Two connections can agree in
/// time, `total_changes()`, `changes()`, and `last_insert_rowid()`, so nothing proves that two rows belong to
/// one statement.
///
/// A row that REPLACE evicts fires no delete trigger unless the writer's connection sets `recursive_triggers`
/// (sqlite.org/lang_conflict.html). So a BEFORE trigger notes the rows that are about to clash, and an AFTER
/// trigger records the evicted ones. A note with a NULL `after` is done; 0 is that of a row that the new one may
/// evict under another ID, and a greater number the version, plus 1, of one with the ID of the new row. Between the
/// BEFORE and the AFTER trigger of such a row, the owner's triggers may change the new row or others: so its note
/// remains until then, unless the row is still the noted one. Notes outlive a statement that evicts nothing after
/// all (`OR IGNORE`, upsert); they are harmless, and the next insert or update discards them, unless it may be a part
/// of a statement that has evicted one of its rows and not yet the others: see ``isEvicting``.
///
/// SQLite runs the newest trigger first. The BEFORE triggers must run last and the AFTER triggers first, so that no
/// trigger of the owner runs between them: it could change the row, or fail under OR FAIL, which retains the row. So the
/// owner's are older than the AFTER triggers, which are created again when the owner has added one: see
/// ``create(on:)`` and ``renew(on:)``. Until a container next opens or writes the store, such a trigger runs first.
///
/// No version exceeds the newest number by more than 1, regardless of the values that a statement sets. A deletion
/// takes a number, so that of the next object under the same ID is greater than every earlier version. The greatest ID
/// that was ever left is in the metadata: SQLite writes `sqlite_sequence` at the end of a statement, which under OR FAIL
/// never comes, and then overwrites the value that a trigger wrote since then.
struct HistoryTriggers {
    struct Trigger: Equatable {
        let name: String
        let body: String

        var isAfter: Bool { body.hasPrefix("AFTER") }
        var sql: String { "CREATE TRIGGER \"\(name)\" \(body)" }
    }

    let entity: EntityDescription
    let entityID: Int64
    /// The bit of each attribute in `columns`; see ``AttributeBits``.
    let bits: [String: Int]
    // Every process that opens a store writes these texts, to compare them.
    let columns: [Column]
    let preserved: [Column]
    private let anyDiffers: String

    /// The texts of one attribute, of which the triggers consist.
    struct Column {
        let name: String
        let retained: String
        /// The old value, as it is compared with the new one.
        let old: String
        let bit: Int?
        let isUnique: Bool
        let history: Set<AttributeDescription.History>

        var differs: String { "\(old) IS NOT new.\(name)" }

        init(_ attribute: AttributeDescription, bit: Int?) {
            name = "\"\(attribute.name)\""
            retained = StoreSchema.retainedColumn(attribute)
            // Text that differs in case only is another value, even if sorting and searching ignore case.
            old = "old.\(name)" + (attribute.ignoresCase ? " COLLATE BINARY" : "")
            self.bit = bit
            isUnique = attribute.isUnique
            history = attribute.history
        }
    }

    init(entity: EntityDescription, entityID: Int64, bits: [String: Int]) {
        (self.entity, self.entityID, self.bits) = (entity, entityID, bits)
        columns = entity.attributes.map { Column($0, bit: bits[$0.name]) }
        preserved = columns.filter { $0.history.contains(.preservesValueOnDeletion) }
        anyDiffers = Self.differ(columns)
    }

    /// The version of the trigger text; if it differs, opening a store replaces its triggers.
    static let edition = 9

    /// The ID under all names by which an update can set it (sqlite.org/lang_createtable.html#rowid).
    ///
    /// Each trigger names its columns, so that SQLite does not compile it for a statement that sets no other than
    /// the version, as the steps of the triggers do: a process that inserts one object otherwise compiles all.
    private static let idNames = "id, rowid, oid, _rowid_"

    /// The `after` of a note whose row was evicted.
    static let evicted = -1
    /// The same of a row whose eviction a change inside the evicting statement revealed, by a foreign key or a trigger of
    /// the owner, and of such a row that is recorded.
    static let (evictedByOuter, recorded) = (-2, -3)

    /// Milliseconds since 1970; constant within one statement (sqlite.org/lang_datefunc.html).
    static let now = "CAST((julianday('now') - 2440587.5) * 86400000.0 + 0.5 AS INTEGER)"

    var all: [Trigger] {
        [
            recordsInsert, recordsReplacingInsert, recordsUpdate, recordsReplacingUpdate, recordsMovedID,
            recordsEvictedByCascade, recordsSuccessor, recordsDelete, recordsEvicted,
            notesClashesOfInsert, notesClashesOfUpdate, discardsNoteOfDeleted, raisesVersion,
        ]
    }

    private var recordsInsert: Trigger {
        trigger(
            "records_insert", "AFTER INSERT ON \(table)\nWHEN NOT \(hasNotes) AND \(isPresent)",
            [record(.insert, object: "new.id"), raiseVersionOfReusedID])
    }

    /// Separate from the other trigger because its steps create temporary tables even without work to do.
    private var recordsReplacingInsert: Trigger {
        trigger(
            "records_replacing_insert", "AFTER INSERT ON \(table)\nWHEN \(hasNotes)",
            [
                finishNotes("id = new.id OR \(isMissing)"),
                """
                INSERT INTO history (kind, entity, object, at)
                SELECT \(HistoryChange.Kind.insert.rawValue), \(entityID), new.id, \(time) WHERE \(isPresent)
                """, raiseVersionOfReusedID,
            ] + noteChanged)
    }

    private var recordsUpdate: Trigger {
        trigger(
            "records_update",
            "AFTER UPDATE OF \(names) ON \(table)\nWHEN old.id = new.id AND (\(anyDiffers)) AND NOT \(hasNotes)",
            recordUpdate)
    }

    private var recordsReplacingUpdate: Trigger {
        trigger(
            "records_replacing_update",
            "AFTER UPDATE OF \(names) ON \(table)\nWHEN \(hasNotes) AND old.id = new.id AND (\(anyDiffers))",
            [finishNotes(isMissing)] + recordUpdate + noteChanged)
    }

    private var recordsMovedID: Trigger {
        trigger(
            "records_moved_id", "AFTER UPDATE OF \(Self.idNames) ON \(table)\nWHEN old.id <> new.id",
            discardNote + [finishNotes("id = new.id OR \(isMissing)")] + recordDelete + [
                record(.insert, object: "new.id"),
                "UPDATE \(table) SET version = last_insert_rowid() WHERE id = new.id",
                // An update does not raise the last assigned ID.
                raiseLastID("new.id"),
            ] + noteChanged)
    }

    private var recordsDelete: Trigger {
        trigger(
            "records_delete",
            "AFTER DELETE ON \(table)\nWHEN NOT EXISTS (SELECT 1 FROM \(replaced) WHERE \(isRecorded))",
            recordDelete)
    }

    /// Records a row again that a trigger of the owner inserted in the place of a row while that was deleted by a cascade:
    /// SQLite retains the new row, and then runs the triggers of the deletion. It runs after the record of the deletion.
    private var recordsSuccessor: Trigger {
        trigger(
            "records_successor",
            "AFTER DELETE ON \(table)\nWHEN EXISTS (SELECT 1 FROM \(table) WHERE id = old.id)",
            [
                record(.insert, object: "old.id"),
                "UPDATE \(table) SET version = last_insert_rowid() WHERE id = old.id",
            ])
    }

    /// Records a finished note if its row was evicted, and clears its values. On the table of the notes: each
    /// trigger that finishes notes would otherwise repeat these steps, and every process that opens a store parses
    /// all triggers.
    private var recordsEvicted: Trigger {
        let isEvicted = " WHERE new.after IN (\(Self.evicted), \(Self.evictedByOuter))"
        let old = preserved.map { ", old.\($0.retained)" }.joined()
        // By its unique values, the evicting change recognizes the note.
        let cleared = preserved.map { column in
            let unique = "CASE new.after WHEN \(Self.evictedByOuter) THEN \(column.retained) END"
            return ", \(column.retained) = \(column.isUnique ? unique : "NULL")"
        }.joined()
        return trigger(
            "records_evicted",
            "AFTER UPDATE OF after ON \(replaced)\nWHEN old.after NOT NULL AND new.after IS NOT \(Self.recorded)",
            [
                """
                INSERT INTO history (kind, entity, object, columns, at)
                SELECT \(HistoryChange.Kind.delete.rawValue), \(entityID), old.id, \(preservedColumns), \(time)\(isEvicted)
                """,
                "INSERT INTO \(values) (number\(retained(preserved))) SELECT last_insert_rowid()\(old)\(isEvicted)",
                raiseFloor("old.id", isEvicted),
                """
                UPDATE \(replaced) SET after = CASE new.after WHEN \(Self.evictedByOuter) THEN \(Self.recorded) END\(cleared)
                WHERE id = old.id
                """,
            ])
    }

    private var notesClashesOfInsert: Trigger {
        trigger(
            "notes_clashes_of_insert", "BEFORE INSERT ON \(table)\nWHEN \(hasNotes) OR \(clashExists(""))",
            noteClashes(""))
    }

    private var notesClashesOfUpdate: Trigger {
        let others = " AND id <> old.id"
        let moves =
            "old.id <> new.id" + columns.filter(\.isUnique).map { " OR \($0.differs)" }.joined()
        let changes = "old.id <> new.id OR \(anyDiffers)"
        return trigger(
            "notes_clashes_of_update",
            """
            BEFORE UPDATE OF \(Self.idNames), \(names) ON \(table)
            WHEN (\(hasNotes) AND (\(changes))) OR ((\(moves)) AND (\(clashExists(others))))
            """,
            // An upsert updates the noted row itself.
            ["DELETE FROM \(replaced) WHERE id = old.id AND \(isRow("old.")) AND NOT \(isEvicting)"]
                + noteClashes(others))
    }

    /// Discards the note of a deleted object, whose values must remain in its tombstone only. With
    /// recursive_triggers on, an evicted row has already been recorded here.
    private var discardsNoteOfDeleted: Trigger {
        trigger(
            "discards_note_of_deleted",
            "AFTER DELETE ON \(table)\nWHEN EXISTS (SELECT 1 FROM \(replaced) WHERE id = old.id)",
            discardNote)
    }

    /// Records a row whose eviction deletes this one by a foreign key: if this one is the row that evicts, no other trigger
    /// runs for it. With recursive_triggers, that of the evicted row runs later.
    private var recordsEvictedByCascade: Trigger {
        trigger(
            "records_evicted_by_cascade", "AFTER DELETE ON \(table)\nWHEN \(hasNotes)",
            [
                "DELETE FROM \(replaced) WHERE \(isRecorded)",
                "UPDATE \(replaced) SET after = \(Self.evictedByOuter) WHERE after >= 0 AND \(isMissing)",
            ])
    }

    /// Replaces a version that a writer lowered, or raised too far: a context could know it with other values, or the
    /// next object under the ID could get it.
    private var raisesVersion: Trigger {
        trigger(
            "raises_version",
            """
            AFTER UPDATE OF version ON \(table)
            WHEN old.id = new.id AND (new.version < old.version OR new.version > (\(newestNumber)) + 1)
            """,
            ["UPDATE \(table) SET version = min(old.version, (\(newestNumber))) + 1 WHERE id = new.id"])
    }
}

extension HistoryTriggers {
    private func trigger(_ name: String, _ event: String, _ steps: [String]) -> Trigger {
        Trigger(
            name: "\(entity.name)_\(name)",
            body: event + "\nBEGIN\n" + steps.map { $0 + ";\n" }.joined() + "END")
    }

    /// The time of a change; NULL inside a transaction of a context.
    private var time: String { "(SELECT max(at, \(Self.now)) FROM history ORDER BY number DESC LIMIT 1)" }

    /// Returns a statement that records a change. It has no FROM: SQLite copies the rows of a selection from
    /// the same table into a temporary table first, which costs as much as all other steps together.
    private func record(_ kind: HistoryChange.Kind, object: String, columns: String = "NULL") -> String {
        """
        INSERT INTO history (kind, entity, object, columns, at)
        VALUES (\(kind.rawValue), \(entityID), \(object), \(columns), \(time))
        """
    }

    private var recordUpdate: [String] {
        let recorded = columns.filter { $0.history.contains(.recordsOldValue) }
        var steps = [record(.update, object: "new.id", columns: changedColumns)]
        if !recorded.isEmpty {
            let old = recorded.map { "nullif(\($0.old), new.\($0.name))" }
            steps.append(
                """
                INSERT INTO \(values) (number\(retained(recorded)))
                SELECT number, \(old.joined(separator: ", ")) FROM history
                WHERE number = last_insert_rowid() AND columns & \(Self.mask(recorded))
                """)
        }
        steps.append(
            "UPDATE \(table) SET version = \(nextVersion) WHERE id = new.id AND version <= old.version")
        return steps
    }

    private var recordDelete: [String] {
        let steps = [
            record(.delete, object: "old.id", columns: preservedColumns), raiseFloor("old.id"),
            raiseLastID("old.id"),
        ]
        guard !preserved.isEmpty else { return steps }
        return steps + [
            """
            INSERT INTO \(values) (number\(retained(preserved)))
            VALUES (last_insert_rowid(), \(preserved.map { "old.\($0.name)" }.joined(separator: ", ")))
            """
        ]
    }

    /// Whether no trigger of the owner has deleted or moved the new row.
    private var isPresent: String { "EXISTS (SELECT 1 FROM \(table) WHERE id = new.id)" }

    /// Gives a reused ID a version that no object had: the number of the recorded insertion. The sequence is written
    /// at the end of a statement (sqlite.org/autoinc.html).
    private var raiseVersionOfReusedID: String {
        """
        UPDATE \(table) SET version = last_insert_rowid() WHERE id = new.id AND (new.version > last_insert_rowid()
        OR new.version < last_insert_rowid()
        AND (new.id <= (SELECT seq FROM sqlite_sequence WHERE name = \(sequenceName))
        OR new.id <= (SELECT value FROM store_metadata WHERE key = '\(floorKey)')))
        """
    }

    /// Returns a statement that raises the greatest ID that an object left, on a condition.
    private func raiseFloor(_ id: String, _ condition: String = " WHERE true") -> String {
        """
        INSERT INTO store_metadata (key, value) SELECT '\(floorKey)', \(id)\(condition)
        ON CONFLICT (key) DO UPDATE SET value = excluded.value WHERE value < excluded.value
        """
    }

    private func raiseLastID(_ id: String) -> String {
        "UPDATE sqlite_sequence SET seq = \(id) WHERE name = \(sequenceName) AND seq < \(id)"
    }

    private var floorKey: String { "\(StoreMetadata.Key.lastID.rawValue)_\(entityID)" }

    /// A malicious version may be the maximum integer, and adding 1 would produce a real number.
    private var nextVersion: String { "min(old.version, \(Int64.max - 1)) + 1" }
    private var newestNumber: String { "SELECT max(number) FROM history" }
    private var sequenceName: String { StoreSchema.literal(.text(entity.name)) }
    private var hasNotes: String { "EXISTS (SELECT 1 FROM \(replaced))" }
    /// The attributes of a tombstone, which distinguish NULL from a value that was not retained.
    private var preservedColumns: String { String(Self.mask(preserved)) }

    private static func mask(_ columns: [Column]) -> Int64 {
        columns.reduce(0) { mask, column in column.bit.map { mask | 1 << Int64($0) } ?? mask }
    }

    private var changedColumns: String {
        let terms = columns.compactMap { column in column.bit.map { "((\(column.differs)) << \($0))" } }
        return terms.joined(separator: " + ")
    }

    private var names: String { columns.map(\.name).joined(separator: ", ") }
    private var uniqueColumns: [String] { ["id"] + columns.filter(\.isUnique).map(\.name) }
    var clash: String { uniqueColumns.map { "\($0) = new.\($0)" }.joined(separator: " OR ") }

    private func clashExists(_ condition: String) -> String {
        uniqueColumns
            .map { "EXISTS (SELECT 1 FROM \(table) WHERE \($0) = new.\($0)\(condition))" }
            .joined(separator: " OR ")
    }

    /// Returns a comparison of rows, which is half as long as one of each column: every process that opens a
    /// store parses its triggers.
    private static func differ(_ columns: [Column]) -> String {
        guard !columns.isEmpty else { return "0" }
        let new = columns.map { "new.\($0.name)" }.joined(separator: ", ")
        return "(\(columns.map(\.old).joined(separator: ", "))) IS NOT (\(new))"
    }

    func retained(_ columns: [Column]) -> String { columns.map { ", " + $0.retained }.joined() }
    var table: String { "\"\(entity.name)\"" }
    private var values: String { StoreSchema.valuesTable(entity.name) }
    var replaced: String { StoreSchema.replacedTable(entity.name) }
}
