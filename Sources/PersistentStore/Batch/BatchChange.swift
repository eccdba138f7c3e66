import SQLite

/// Updates or deletes rows, one range of keys at a time, so that it can report progress, end early, and use
/// only the memory of one range.
struct BatchChange {
    let entity: EntityDescription
    /// The new values by attribute, in the order of the model; nil to delete.
    let assignments: [(attribute: AttributeDescription, value: AttributeValue)]?
    private let predicate: String
    private let predicateValues: [AttributeValue]

    /// The number of keys in one range.
    private static let span: Int64 = 500

    init(
        _ entity: EntityDescription, where predicate: ObjectPredicate?, set values: [String: AttributeValue]?
    ) throws(StoreError) {
        self.entity = entity
        try entity.check(values ?? [:])
        assignments = values.map { values in
            entity.attributes.compactMap { attribute in values[attribute.name].map { (attribute, $0) } }
        }
        var bound: [AttributeValue] = []
        self.predicate = try predicate?.sql(entity: entity, values: &bound) ?? "1"
        predicateValues = bound
    }

    var table: String { "\"\(entity.name)\"" }

    /// The condition that a row would change, and the values of its question marks.
    var differences: (text: String, values: [AttributeValue]) {
        guard let assignments else { return ("1", []) }
        return (
            assignments.map { Self.differs($0.attribute) }.joined(separator: " OR "), assignments.map(\.value)
        )
    }

    /// The condition that selects the rows to change: those that the predicate admits and that differ, with
    /// their keys between two further question marks.
    var condition: (text: String, values: [AttributeValue]) {
        (
            "(\(predicate)) AND (\(differences.text)) AND id BETWEEN ? AND ?",
            predicateValues + differences.values
        )
    }

    /// - Parameter table: The alias of the table, where another table could have a column of that name.
    static func differs(_ attribute: AttributeDescription, in table: String? = nil) -> String {
        (table.map { $0 + "." } ?? "") + "\"\(attribute.name)\" IS NOT ? COLLATE BINARY"
    }

    func run(
        _ recorder: BatchRecorder?, _ proof: BatchProof, _ meter: inout BatchMeter, returnsKeys: Bool,
        on connection: borrowing Connection
    ) throws -> [Int64]? {
        var keys: [Int64]? = returnsKeys ? [] : nil
        guard let (least, greatest) = try bounds(&meter, on: connection) else { return keys }
        var from = least
        while from <= greatest {
            let key = try connection.integer("SELECT min(id) FROM \(table) WHERE id >= ?1", from)
            guard let key, key <= greatest else { break }
            let (end, overflows) = key.addingReportingOverflow(Self.span - 1)
            let through = overflows ? greatest : min(end, greatest)
            let wanted =
                returnsKeys || proof.isNeeded ? try matching(key, through, on: connection) : []
            if returnsKeys { keys? += wanted }
            try recorder?.record(self, key, through, on: connection)
            try change(key, through, on: connection)
            let changed = connection.changedRows
            try proof.checkChange(wanted, changed, isDeletion: assignments == nil, on: connection)
            try meter.add(changed)
            try meter.checkCancellation()
            guard through < greatest else { break }
            from = through + 1
        }
        return keys
    }

    /// Returns the first and the last key to change; an index finds a few rows in a large table quickly.
    private func bounds(_ meter: inout BatchMeter, on connection: borrowing Connection) throws
        -> (Int64, Int64)?
    {
        let statement = try connection.prepare(
            "SELECT min(id), max(id), count(*) FROM \(table) WHERE \(condition.text)")
        try Self.bind(condition.values, .min, .max, to: statement)
        guard try statement.step(), !statement.isNull(0) else { return nil }
        meter.total = Int(statement.integer(2))
        return (statement.integer(0), statement.integer(1))
    }

    private func matching(_ from: Int64, _ through: Int64, on connection: borrowing Connection) throws
        -> [Int64]
    {
        let statement = try connection.prepare(
            "SELECT id FROM \(table) WHERE \(condition.text) ORDER BY id")
        try Self.bind(condition.values, from, through, to: statement)
        var keys: [Int64] = []
        while try statement.step() { keys.append(statement.integer(0)) }
        return keys
    }

    private func change(_ from: Int64, _ through: Int64, on connection: borrowing Connection) throws {
        let action =
            assignments.map { assignments in
                let columns = assignments.map { "\"\($0.attribute.name)\" = ?" }
                return "UPDATE \(table) SET \(columns.joined(separator: ", ")), version = version + 1"
            } ?? "DELETE FROM \(table)"
        let statement = try connection.prepare("\(action) WHERE \(condition.text)")
        let values = assignments?.map(\.value) ?? []
        try Self.bind(values + condition.values, from, through, to: statement)
        while try statement.step() {}
    }

    static func bind(
        _ values: [AttributeValue], _ from: Int64, _ through: Int64, to statement: borrowing Statement
    ) throws {
        for (index, value) in (values + [.integer(from), .integer(through)]).enumerated() {
            try value.bind(to: statement, at: index + 1)
        }
    }
}

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
