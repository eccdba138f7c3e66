/// The notes of rows that a change may evict.
extension HistoryTriggers {
    func noteClashes(_ condition: String) -> [String] {
        let present = preserved.map { ", " + $0.name }.joined()
        let clashing = "FROM \(table) WHERE (\(clash))\(condition)"
        return [
            // The outer statement's conflict clause would override that of an INSERT that clashes here.
            """
            DELETE FROM \(replaced) WHERE after IS NULL OR ((after = \(Self.recorded) OR \(isSettled)) AND NOT \(isEvicting))
            OR id IN (SELECT id \(clashing))
            """,
            """
            INSERT INTO \(replaced) (id, after\(retained(preserved)))
            SELECT id, (id = new.id) * (1 + version)\(present) \(clashing)
            """,
        ]
    }

    /// Returns a statement that finishes the notes of the change that a trigger records, and marks those of evicted rows
    /// for the trigger that records them. The notes remain, so that each trigger on one row of a statement sees the same
    /// ones. An evicted row of another change is that of a statement of which this change is a part.
    func finishNotes(_ isEvicted: String) -> String {
        let evicted = "after >= 0 AND (\(isEvicted))"
        return """
            UPDATE \(replaced) SET after = CASE WHEN \(evicted) THEN CASE WHEN \(isOwn) THEN \(Self.evicted)
            ELSE \(Self.evictedByOuter) END END
            WHERE after NOT NULL AND ((\(evicted)) OR \(isOwn))
            """
    }

    /// Notes the row as it is after a change inside a statement that evicts rows, since it may be the next one.
    var noteChanged: [String] {
        let present = preserved.map { ", " + $0.name }.joined()
        let isInside = "EXISTS (SELECT 1 FROM \(replaced) WHERE after = \(Self.recorded))"
        return [
            "DELETE FROM \(replaced) WHERE id = new.id AND \(isInside)",
            """
            INSERT INTO \(replaced) (id, after\(retained(preserved)))
            SELECT id, 0\(present) FROM \(table) WHERE id = new.id AND \(isInside)
            """,
        ]
    }

    /// Discards the note of a row that is deleted or moved. If the note is of another row, that one was evicted, and a
    /// trigger of the owner deletes or moves its successor before its insertion is recorded.
    var discardNote: [String] {
        [
            "UPDATE \(replaced) SET after = \(Self.evicted) WHERE id = old.id AND after > 0 AND NOT \(isRow("old."))",
            "DELETE FROM \(replaced) WHERE id = old.id AND after IS NOT \(Self.recorded)",
        ]
    }

    /// Whether the row of a note exists and was not evicted: it has another ID than the new one, or is still the noted
    /// one.
    var isSettled: String {
        "EXISTS (SELECT 1 FROM \(table) WHERE id = \(replaced).id AND (\(replaced).after = 0 OR \(isRow(table + "."))))"
    }

    /// Whether a note is that of a row, named by the prefix of its columns, as it is now.
    func isRow(_ row: String) -> String {
        let noted = ["\(replaced).after - 1"] + preserved.map { "\(replaced).\($0.retained)" }
        let present = ["\(row)version"] + preserved.map { row + $0.name }
        return "(\(noted.joined(separator: ", "))) IS (\(present.joined(separator: ", ")))"
    }

    /// Whether a note is that of the deleted row, whose eviction a cascade has recorded.
    var isRecorded: String { "id = old.id AND after = \(Self.recorded)" }

    /// Whether a noted row does not exist any more.
    var isMissing: String { "NOT EXISTS (SELECT 1 FROM \(table) WHERE id = \(replaced).id)" }

    /// Whether the row of a note clashed with the new one, so that this change made the note.
    private var isOwn: String {
        let unique = columns.filter(\.isUnique)
        guard unique.allSatisfy({ $0.history.contains(.preservesValueOnDeletion) }) else { return "1" }
        // The collation is that of the operand on the left.
        let equal = unique.map { "new.\($0.name) = \(replaced).\($0.retained)" }
        return "(\((["id = new.id"] + equal).joined(separator: " OR ")))"
    }

    /// Whether a statement has evicted a row and may evict others: a deletion that cascades from the first, or a trigger
    /// of the owner on it, runs between. After an update whose own row such a cascade deletes, no trigger finishes the
    /// notes; their number is bounded then.
    var isEvicting: String {
        """
        (EXISTS (SELECT 1 FROM \(replaced) WHERE after = \(Self.recorded) OR after >= 0 AND \(isMissing))
        AND (SELECT count(*) FROM \(replaced)) < 64)
        """
    }
}
