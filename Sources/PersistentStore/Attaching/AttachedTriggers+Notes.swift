/// The notes of rows that a change may evict.
extension AttachedTriggers {
    static func createNotes(_ storedName: String) -> String {
        """
        CREATE TABLE \(StoreSchema.replacedTable(storedName)) (row INTEGER PRIMARY KEY, at INTEGER, state INTEGER,
        same INTEGER)
        """
    }

    /// The columns of a note next to those above and to the row's values: why the row clashes, and the number of the row
    /// whose update made the note.
    static let noteColumns = ["clash", "changer"]

    var notesClashesOfInsert: HistoryTriggers.Trigger {
        trigger(
            "notes_insert",
            "BEFORE INSERT ON \(table)\nWHEN \(clashes.isEmpty ? "0" : clashes.map { exists($0) }.joined(separator: " OR "))",
            note("", changer: "NULL"))
    }

    var notesClashesOfUpdate: HistoryTriggers.Trigger {
        let others = " AND NOT (\(isSameRow(table, "old")))"
        let unique = schema.indexes.flatMap(\.columns).map { differs(StoreSchema.quoted($0.name)) }
        let moves =
            hasPartialIndex
            ? "\(anyDiffers) OR \(rowDiffers)"
            : (unique + [rowDiffers]).joined(separator: " OR ")
        let clash = clashes.map { exists($0, others) }.joined(separator: " OR ")
        return trigger(
            "notes_update",
            """
            BEFORE UPDATE\(ofUniqueNames) ON \(table)
            WHEN (\(hasNotes) AND (\(anyDiffers) OR \(rowDiffers))) OR ((\(moves)) AND (\(clash)))
            """, note(others, changer: schema.isWithoutRowID ? "NULL" : row("old")))
    }

    private func note(_ others: String, changer: String) -> [String] {
        let clash = "(\(clashes.joined(separator: " OR ")))\(others)"
        let present = columns.map { "\(table).\(StoreSchema.quoted($0.column.name))" }
        let isClashing =
            schema.isWithoutRowID
            ? "EXISTS (SELECT 1 FROM \(table) WHERE \(isSameAsNote) AND \(clash))"
            : "row IN (SELECT \(row(table)) FROM \(table) WHERE \(clash))"
        let (names, row) = (
            list(noteColumns), schema.isWithoutRowID ? ("", "") : ("row, ", row(table) + ", ")
        )
        let reasons = clashes.prefix(60).enumerated().map { "(((\($1)) IS TRUE) << \($0))" }
        return [
            """
            DELETE FROM \(notes) WHERE \(isStale) OR ((state = 3 OR \(isSettled)) AND \(areMany)) OR \(isClashing)
            """,
            """
            INSERT INTO \(notes) (\(row.0)at, state, same, clash, changer\(names))
            SELECT \(row.1)\(HistoryTriggers.now), 0, \(isSameRow(table, "new")),
            \(reasons.isEmpty ? "0" : reasons.joined(separator: " | ")), \(changer)\(list(present)) FROM \(table)
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

    /// Marks the notes of evicted rows for the trigger that records them. An evicted row of another change is that of a
    /// statement of which this change is a part, or of an earlier one whose own row its eviction deleted, so that no
    /// trigger ran after it.
    func evict(_ condition: String, as state: String? = nil) -> String {
        """
        UPDATE \(notes) SET state = \(state ?? "CASE WHEN \(isOwn) THEN 1 ELSE 4 END")
        WHERE state = 0 AND (\(condition))
        """
    }

    /// Discards the notes of the change that a trigger records.
    var discardOwn: String {
        "DELETE FROM \(notes) WHERE \(isStale) OR \(isOwn) OR (\(isSettled) AND \(areMany))"
    }

    /// Note the row as it is after a change inside a statement that evicts rows, since it may be the next one.
    var notesInserted: HistoryTriggers.Trigger {
        trigger("notes_inserted", "AFTER INSERT ON \(table)\nWHEN \(isInside)", noteChanged)
    }

    var notesUpdated: HistoryTriggers.Trigger {
        trigger("notes_updated", "AFTER UPDATE\(ofUniqueNames) ON \(table)\nWHEN \(isInside)", noteChanged)
    }

    private var isInside: String {
        "EXISTS (SELECT 1 FROM \(notes) WHERE state = 3) AND (SELECT count(*) FROM \(notes)) < \(Self.mostNotes)"
    }

    private var noteChanged: [String] {
        let present = columns.map { "\(table).\(StoreSchema.quoted($0.column.name))" }
        let (names, row) = (
            list(noteColumns), schema.isWithoutRowID ? ("", "") : ("row, ", row(table) + ", ")
        )
        return [
            "DELETE FROM \(notes) WHERE \(isNote("new"))",
            """
            INSERT INTO \(notes) (\(row.0)at, state, same\(names))
            SELECT \(row.1)\(HistoryTriggers.now), 0, 0\(list(present)) FROM \(table)
            WHERE \(isSameRow(table, "new"))
            """,
        ]
    }

    /// Gives the note of an updated row its values: after an upsert, the note is settled, so that a statement over many
    /// rows does not collect theirs.
    var renewNote: [String] {
        guard !columns.isEmpty else { return [] }
        let present = columns.map { "\(table).\(StoreSchema.quoted($0.column.name))" }
        return [
            """
            UPDATE \(notes) SET (\(noteColumns.joined(separator: ", "))) = (SELECT \(present.joined(separator: ", "))
            FROM \(table) WHERE \(isSameRow(table, "new"))) WHERE \(isNote("new")) AND state = 0
            """
        ]
    }

    /// Whether the row of a note clashed with the new one, so that this change made the note: for the same reasons, since a
    /// change inside the statement may have one of its values. A note of a changed row has no reasons yet.
    private var isOwn: String {
        let bits = Dictionary(uniqueKeysWithValues: columns.map { ($0.column.name, $0.bit) })
        let equal: [String?] =
            (schema.isWithoutRowID ? [] : [isNote("new")])
            + schema.indexes.map { index in
                let equal = index.columns.compactMap { name, collation in
                    bits[name].map {
                        "new.\(StoreSchema.quoted(name)) = \(notes).v\($0) COLLATE \(StoreSchema.quoted(collation))"
                    }
                }
                return equal.count == index.columns.count ? "(\(equal.joined(separator: " AND ")))" : nil
            }
        let same = equal.prefix(60).enumerated().compactMap { bit, equal in
            equal.map { "(clash & \(1 << bit) = 0 OR \($0))" }
        }
        let any = equal.contains(nil) ? "1" : equal.compactMap(\.self).joined(separator: " OR ")
        return "CASE WHEN clash NOT NULL THEN \((same + ["1"]).joined(separator: " AND ")) ELSE \(any) END"
    }

    /// Whether the note is that of a change of the deleted row which has evicted another row already. It evicts this one
    /// too, and no trigger runs after it.
    var evictedByDeleted: String {
        guard !schema.isWithoutRowID else { return "0" }
        let isGone = "NOT EXISTS (SELECT 1 FROM \(table) WHERE \(row(table)) = history_other.row)"
        return """
            changer = \(row("old")) AND EXISTS (SELECT 1 FROM \(notes) AS history_other
            WHERE history_other.changer = \(row("old")) AND (history_other.state = 3 OR history_other.state = 0 AND \(isGone)))
            """
    }

    /// A note is retained as long as its row may be evicted. A statement over many rows that evicts none makes one for
    /// each, of which few remain: more than a statement with triggers between its evictions needs, which number at most
    /// its unique indexes.
    private static let (fewNotes, mostNotes) = (8, 64)

    /// Whether there are more notes than needed: a statement may have evicted a row, and may evict others after a deletion
    /// that cascades from the first, or a trigger of the owner on it.
    private var areMany: String {
        """
        (SELECT count(*) FROM \(notes)) > (SELECT CASE WHEN EXISTS (SELECT 1 FROM \(notes)
        WHERE state = 3 OR state = 0 AND \(isMissing)) THEN \(Self.mostNotes) ELSE \(Self.fewNotes) END)
        """
    }

    /// Whether a note is recorded, or of an earlier statement that has not evicted its row.
    private var isStale: String {
        "state = 2 OR (at <> \(HistoryTriggers.now) AND NOT (state = 0 AND \(isMissing)))"
    }

    private var isSameAsNote: String { isNote(table) }
    var isMissing: String { "NOT EXISTS (SELECT 1 FROM \(table) WHERE \(isSameAsNote))" }

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
}
