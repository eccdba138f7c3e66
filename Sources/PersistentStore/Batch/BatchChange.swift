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
