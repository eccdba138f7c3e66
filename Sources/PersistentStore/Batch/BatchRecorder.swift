import SQLite

/// Records a batch's changes range by range while the triggers are off, with the same result as the triggers.
struct BatchRecorder {
    private let entity: EntityDescription
    private let entityID: Int64
    private let bits: [String: Int]

    /// Creates nil if the triggers are required: the entity has triggers of other programs, foreign keys
    /// delete rows of other tables with its own, or the outcome of a row is known only after it is inserted.
    ///
    /// - Parameter external: The triggers of other programs in the schema that this transaction has verified.
    init?(
        _ entity: EntityDescription, _ request: BatchRequest, _ external: ExternalTriggers,
        on connection: borrowing Connection
    ) throws {
        let isInsertion: Bool
        if case .insert = request.work {
            if request.duplicates == .replace, entity.attributes.contains(where: \.isUnique) { return nil }
            isInsertion = true
        } else {
            isInsertion = false
        }
        guard !external.includes(entity.name), let own = try HistoryTriggers(of: entity, on: connection),
            try isInsertion || !Self.isReferenced(entity, on: connection)
        else { return nil }
        self.entity = entity
        entityID = own.entityID
        // Without the triggers, the notes of changed rows would be those of evicted ones.
        try connection.run("DELETE FROM \(StoreSchema.replacedTable(entity.name))")
        bits = own.bits
    }

    /// Records the rows with later keys and returns the last of them. Keys rise in the order of the inserts.
    func recordInserts(after key: Int64, on connection: borrowing Connection) throws -> Int64 {
        try connection.run(
            """
            INSERT INTO history (kind, entity, object)
            SELECT \(HistoryChange.Kind.insert.rawValue), \(entityID), id FROM "\(entity.name)"
            WHERE id > ?1 ORDER BY id
            """, key)
        return try connection.integer("SELECT max(id) FROM \"\(entity.name)\"") ?? key
    }

    /// Records the rows between two keys that are about to change.
    func record(
        _ change: BatchChange, _ from: Int64, _ through: Int64, on connection: borrowing Connection
    ) throws {
        let before = try connection.integer("SELECT max(number) FROM history") ?? 0
        let kind = change.assignments == nil ? HistoryChange.Kind.delete : .update
        let (mask, maskValues) = mask(of: change)
        let statement = try connection.prepare(
            """
            INSERT INTO history (kind, entity, object, columns)
            SELECT \(kind.rawValue), \(entityID), id, \(mask) FROM \(change.table)
            WHERE \(change.condition.text) ORDER BY id
            """)
        try BatchChange.bind(maskValues + change.condition.values, from, through, to: statement)
        while try statement.step() {}
        let retained = retained(of: change)
        guard !retained.columns.isEmpty else { return }
        let values = try connection.prepare(
            """
            INSERT INTO \(StoreSchema.valuesTable(entity.name)) (number, \(retained.columns))
            SELECT log.number, \(retained.old) FROM history AS log CROSS JOIN \(change.table) AS row ON row.id = log.object
            WHERE log.number > ? AND (\(retained.condition))
            """)
        let all = retained.oldValues + [.integer(before)] + retained.conditionValues
        for (index, value) in all.enumerated() { try value.bind(to: values, at: index + 1) }
        while try values.step() {}
    }

    private func mask(of change: BatchChange) -> (String, [AttributeValue]) {
        guard let assignments = change.assignments else {
            return (String(HistoryTriggers.mask(of: preserved, bits)), [])
        }
        let terms = assignments.compactMap { assignment in
            bits[assignment.attribute.name].map {
                "((\(BatchChange.differs(assignment.attribute))) << \($0))"
            }
        }
        return (terms.joined(separator: " + "), assignments.map(\.value))
    }

    private struct Retained {
        var columns = ""
        var old = ""
        var oldValues: [AttributeValue] = []
        var condition = "1"
        var conditionValues: [AttributeValue] = []
    }

    /// Returns the values that the history retains: the tombstones of deleted rows, the old values of updated
    /// ones.
    private func retained(of change: BatchChange) -> Retained {
        var retained = Retained()
        if let assignments = change.assignments {
            let recorded = assignments.filter { $0.attribute.history.contains(.recordsOldValue) }
            retained.columns = recorded.map { StoreSchema.retainedColumn($0.attribute) }.joined(
                separator: ", ")
            retained.old = recorded.map { assignment in
                let attribute = assignment.attribute
                return
                    "CASE WHEN \(BatchChange.differs(attribute, in: "row")) THEN row.\"\(attribute.name)\" END"
            }.joined(separator: ", ")
            retained.oldValues = recorded.map(\.value)
            retained.condition = recorded.map { BatchChange.differs($0.attribute, in: "row") }.joined(
                separator: " OR ")
            retained.conditionValues = recorded.map(\.value)
        } else {
            retained.columns = preserved.map(StoreSchema.retainedColumn).joined(separator: ", ")
            retained.old = preserved.map { "row.\"\($0.name)\"" }.joined(separator: ", ")
        }
        return retained
    }

    private var preserved: [AttributeDescription] {
        entity.attributes.filter { $0.history.contains(.preservesValueOnDeletion) }
    }

    /// Whether deleting or changing rows may change other rows through a foreign key.
    private static func isReferenced(_ entity: EntityDescription, on connection: borrowing Connection) throws
        -> Bool
    {
        try connection.integer(
            """
            SELECT count(*) FROM sqlite_schema AS tables, pragma_foreign_key_list(tables.name) AS key
            WHERE tables.type = 'table' AND key."table" = ?1 COLLATE NOCASE
            """, entity.name) ?? 0 > 0
    }
}
