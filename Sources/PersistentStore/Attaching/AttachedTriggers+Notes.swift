/// The notes of rows that a change may evict.
extension AttachedTriggers {
    static func createNotes(_ storedName: String) -> String {
        """
        CREATE TABLE \(StoreSchema.replacedTable(storedName)) (row INTEGER PRIMARY KEY, at INTEGER, state INTEGER,
        same INTEGER)
        """
    }

    var notesClashesOfInsert: HistoryTriggers.Trigger {
        trigger(
            "notes_insert",
            "BEFORE INSERT ON \(table)\nWHEN \(clashes.isEmpty ? "0" : clashes.map { exists($0) }.joined(separator: " OR "))",
            note(""))
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
            "DELETE FROM \(notes) WHERE \(isStale) OR \(isClashing)",
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
}
