/// The triggers that record an entity's history, whoever writes.
///
/// A log row is written inside an open transaction of ours (its `at` is NULL), or by a stranger who opened
/// none. A stranger's row closes itself: it carries the time, and `next`, the value `total_changes()` will
/// have at the following row of the same statement, by which that row knows that it continues it. One
/// statement of a stranger is thus one transaction; SQL has no way to see where a stranger's BEGIN and COMMIT
/// stand.
///
/// A row that REPLACE removes fires no delete trigger unless the writer's connection asks for it
/// (sqlite.org/lang_conflict.html). So what is about to clash is noted before, and what is gone afterwards is
/// recorded as deleted.
struct HistoryTriggers {
    struct Trigger: Equatable {
        let name: String
        let body: String

        var sql: String { "CREATE TRIGGER \"\(name)\" \(body)" }
    }

    let entity: Entity
    let entityID: Int64
    /// The bit of each attribute in `columns`; never reused, so old history stays readable.
    let bits: [String: Int]

    /// Raised when the triggers' text changes, so that stores get the new ones when they are opened.
    static let edition = 2

    /// Milliseconds since 1970; constant within one statement (sqlite.org/lang_datefunc.html).
    static let now = "CAST((julianday('now') - 2440587.5) * 86400000.0 + 0.5 AS INTEGER)"

    var all: [Trigger] {
        [
            recordsInsert, recordsReplacingInsert, recordsUpdate, recordsDelete, recordsMovedID,
            notesClashesOfInsert, notesClashesOfUpdate, recordsReplacedByUpdate,
        ]
    }

    private var recordsInsert: Trigger {
        trigger(
            "records_insert", "AFTER INSERT ON \(table)\nWHEN NOT EXISTS (SELECT 1 FROM \(replaced))",
            [record(.insert, object: "new.id", cost: "1")])
    }

    /// Apart from the other because its steps make temporary tables, whether or not there is anything to do.
    private var recordsReplacingInsert: Trigger {
        trigger(
            "records_replacing_insert", "AFTER INSERT ON \(table)\nWHEN EXISTS (SELECT 1 FROM \(replaced))",
            [recordReplaced, keepReplaced, record(.insert, object: "new.id", cost: "1")])
    }

    private var recordsUpdate: Trigger {
        let recorded = entity.attributes.filter { $0.history.contains(.recordsOldValue) }
        var steps = [
            record(
                .update, object: "new.id", columns: changedColumns,
                cost: "1 + (new.version IS old.version)"
                    + (recorded.isEmpty ? "" : " + (\(differs(recorded)))"))
        ]
        if !recorded.isEmpty {
            let old = recorded.map { "CASE WHEN \(differs([$0])) THEN old.\(quoted($0)) END" }
            steps.append(
                """
                INSERT INTO \(values) (number, \(names(recorded)))
                SELECT last_insert_rowid(), \(old.joined(separator: ", ")) WHERE \(differs(recorded))
                """)
        }
        steps.append(
            "UPDATE \(table) SET version = old.version + 1 WHERE id = new.id AND new.version IS old.version")
        return trigger(
            "records_update",
            "AFTER UPDATE ON \(table)\nWHEN old.id = new.id AND (\(differs(entity.attributes)))",
            steps)
    }

    private var recordsDelete: Trigger {
        trigger("records_delete", "AFTER DELETE ON \(table)", recordDelete)
    }

    private var recordsMovedID: Trigger {
        trigger(
            "records_moved_id", "AFTER UPDATE OF id ON \(table)\nWHEN old.id <> new.id",
            recordDelete + [record(.insert, object: "new.id", cost: "1")])
    }

    private var notesClashesOfInsert: Trigger {
        trigger(
            "notes_clashes_of_insert",
            "BEFORE INSERT ON \(table)\nWHEN EXISTS (SELECT 1 FROM \(replaced)) OR \(clashExists(""))",
            noteClashes(""))
    }

    private var notesClashesOfUpdate: Trigger {
        let others = " AND id <> old.id"
        return trigger(
            "notes_clashes_of_update",
            """
            BEFORE UPDATE OF \(uniqueColumns.joined(separator: ", ")) ON \(table)
            WHEN EXISTS (SELECT 1 FROM \(replaced)) OR \(clashExists(others))
            """,
            noteClashes(others))
    }

    private var recordsReplacedByUpdate: Trigger {
        trigger(
            "records_replaced_by_update",
            "AFTER UPDATE OF \(uniqueColumns.joined(separator: ", ")) ON \(table)",
            [recordReplaced, keepReplaced])
    }
}

extension HistoryTriggers {
    private func trigger(_ name: String, _ event: String, _ steps: [String]) -> Trigger {
        Trigger(
            name: "\(entity.name)_\(name)",
            body: event + "\nBEGIN\n" + steps.map { $0 + ";\n" }.joined() + "END")
    }

    /// Without a FROM: what a table's own rows are selected into it from, SQLite first copies into a temporary
    /// table, which costs as much as the rest.
    ///
    /// - Parameter cost: the changes that the writer's connection makes until the next row is recorded.
    private func record(
        _ kind: HistoryChange.Kind, object: String, columns: String = "NULL", cost: String
    ) -> String {
        func newest(_ column: String) -> String {
            "(SELECT \(column) FROM history ORDER BY number DESC LIMIT 1)"
        }
        return """
            INSERT INTO history (kind, entity, object, columns, at, next, continues)
            VALUES (\(kind.rawValue), \(entityID), \(object), \(columns),
            \(closing(newestAt: newest("at"), newestNext: newest("next"), cost: cost)))
            """
    }

    /// The last three columns: NULL inside a transaction of ours.
    private func closing(newestAt: String, newestNext: String, cost: String) -> String {
        """
        CASE WHEN \(newestAt) NOT NULL THEN max(\(newestAt), \(Self.now)) END,
        CASE WHEN \(newestAt) NOT NULL THEN total_changes() + \(cost) END,
        CASE WHEN \(newestAt) NOT NULL THEN \(newestNext) IS total_changes() AND \(newestAt) >= \(Self.now) END
        """
    }

    private var recordDelete: [String] {
        let kept = entity.keptAttributes
        guard !kept.isEmpty else { return [record(.delete, object: "old.id", cost: "1")] }
        let old = kept.map { $0.history.contains(.preservesValueOnDeletion) ? "old.\(quoted($0))" : "NULL" }
        return [
            record(.delete, object: "old.id", cost: "2"),
            """
            INSERT INTO \(values) (number, \(names(kept)))
            VALUES (last_insert_rowid(), \(old.joined(separator: ", ")))
            """,
        ]
    }

    private func noteClashes(_ condition: String) -> [String] {
        let kept = entity.keptAttributes
        let columns = kept.isEmpty ? "" : ", " + names(kept)
        return [
            "DELETE FROM \(replaced)",
            """
            INSERT INTO \(replaced) (id, after\(columns))
            SELECT id, (SELECT max(number) FROM history)\(columns) FROM \(table)
            WHERE (\(clash))\(condition)
            """,
        ]
    }

    /// With recursive_triggers on, the delete trigger has recorded the row already.
    private var recordReplaced: String {
        """
        INSERT INTO history (kind, entity, object, columns, at, next, continues)
        SELECT \(HistoryChange.Kind.delete.rawValue), \(entityID), gone.id, NULL,
        \(closing(newestAt: "tip.at", newestNext: "tip.next", cost: "2"))
        FROM (SELECT max(number), at, next FROM history) AS tip, \(replaced) AS gone
        WHERE (gone.id = new.id OR NOT EXISTS (SELECT 1 FROM \(table) WHERE id = gone.id))
        AND NOT EXISTS (SELECT 1 FROM history AS known WHERE known.number > gone.after
        AND known.kind = \(HistoryChange.Kind.delete.rawValue) AND known.entity = \(entityID)
        AND known.object = gone.id)
        """
    }

    private var keepReplaced: String {
        let kept = entity.keptAttributes
        let columns = kept.isEmpty ? "" : ", " + names(kept)
        let old = kept.map {
            $0.history.contains(.preservesValueOnDeletion) ? ", gone.\(quoted($0))" : ", NULL"
        }
        return """
            INSERT INTO \(values) (number\(columns))
            SELECT log.number\(old.joined()) FROM \(replaced) AS gone CROSS JOIN history AS log
            WHERE log.number > gone.after AND log.kind = \(HistoryChange.Kind.delete.rawValue)
            AND log.entity = \(entityID) AND log.object = gone.id
            AND NOT EXISTS (SELECT 1 FROM \(values) WHERE number = log.number)
            """
    }

    private var changedColumns: String {
        let terms = entity.attributes.compactMap { attribute in
            bits[attribute.name].map { "((\(differs([attribute]))) << \($0))" }
        }
        return terms.joined(separator: " + ")
    }

    private var uniqueColumns: [String] { ["id"] + entity.attributes.filter(\.isUnique).map(quoted) }
    private var clash: String { uniqueColumns.map { "\($0) = new.\($0)" }.joined(separator: " OR ") }

    private func clashExists(_ condition: String) -> String {
        uniqueColumns
            .map { "EXISTS (SELECT 1 FROM \(table) WHERE \($0) = new.\($0)\(condition))" }
            .joined(separator: " OR ")
    }

    private func differs(_ attributes: [Attribute]) -> String {
        guard !attributes.isEmpty else { return "0" }
        // Another case is another value, also where sorting and searching do not mind it.
        return attributes.map { attribute in
            "old.\(quoted(attribute)) IS NOT new.\(quoted(attribute))"
                + (attribute.ignoresCase ? " COLLATE BINARY" : "")
        }.joined(separator: " OR ")
    }

    private func names(_ attributes: [Attribute]) -> String { attributes.map(quoted).joined(separator: ", ") }
    private func quoted(_ attribute: Attribute) -> String { "\"\(attribute.name)\"" }
    private var table: String { "\"\(entity.name)\"" }
    private var values: String { StoreSchema.valuesTable(entity.name) }
    private var replaced: String { StoreSchema.replacedTable(entity.name) }
}
