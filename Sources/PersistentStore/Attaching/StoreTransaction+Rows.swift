import SQLite

/// Rows of another program's recorded tables, named by their primary key, or by their number without one.
///
/// The rows have no version: read a row with ``row(of:_:)`` in the same transaction to decide. The owner's constraints
/// and triggers apply, as far as they need no function of the owner's program.
extension StoreTransaction {
    /// Returns the values of a row, with the changes so far; nil if it does not exist.
    public func row(
        of table: String, _ key: [String: AttributeValue]
    ) throws(StoreError) -> [String: AttributeValue]? {
        let statement = try AttachedStatement(table, in: snapshot)
        let (columns, condition) = (statement.table.columns, try statement.condition(key))
        return try perform { connection in
            let rows = try connection.prepare(
                "SELECT \(AttachedStatement.list(columns)) FROM \(statement.name) WHERE \(condition.sql)",
                binding: condition.values)
            guard try rows.step() else { return nil }
            return Dictionary(columns.indices.map { (columns[$0], rows.value($0)) }) { first, _ in first }
        }
    }

    /// Inserts a row.
    ///
    /// - Returns: Its key, as it is stored.
    /// - Throws: ``StoreError/constraint(reason:)`` if a constraint of the owner rejects it.
    @discardableResult
    public mutating func insertRow(
        into table: String, _ values: [String: AttributeValue]
    ) throws(StoreError) -> [String: AttributeValue] {
        let statement = try AttachedStatement(table, in: snapshot)
        let columns = try statement.columns(of: values)
        let marks = columns.indices.map { "?\($0 + 1)" }.joined(separator: ", ")
        let source =
            columns.isEmpty ? "DEFAULT VALUES" : "(\(AttachedStatement.list(columns))) VALUES (\(marks))"
        _ = try beginRecordingRows()
        return try perform { connection in
            let key = statement.table.key
            let rows = try connection.prepare(
                "INSERT OR ABORT INTO \(statement.name) \(source) RETURNING \(AttachedStatement.list(key))",
                binding: columns.compactMap { values[$0] })
            guard try rows.step() else {
                throw StoreError.changeDiscarded(table: table, cause: "a trigger of its owner")
            }
            let stored = Dictionary(key.indices.map { (key[$0], rows.value($0)) }) { first, _ in first }
            while try rows.step() {}
            return stored
        }
    }

    /// Changes columns of a row.
    ///
    /// - Returns: Whether the row exists.
    @discardableResult
    public mutating func updateRow(
        of table: String, _ key: [String: AttributeValue], _ changes: [String: AttributeValue]
    ) throws(StoreError) -> Bool {
        let statement = try AttachedStatement(table, in: snapshot)
        let (columns, condition) = (try statement.columns(of: changes), try statement.condition(key))
        guard !columns.isEmpty else { return try row(of: table, key) != nil }
        let set = columns.enumerated().map {
            "\(StoreSchema.quoted($1)) = ?\(condition.values.count + $0 + 1)"
        }
        return try runOnRow(
            "UPDATE OR ABORT \(statement.name) SET \(set.joined(separator: ", ")) WHERE \(condition.sql)",
            condition.values + columns.compactMap { changes[$0] })
    }

    /// Deletes a row.
    ///
    /// - Returns: Whether it existed.
    @discardableResult
    public mutating func deleteRow(
        of table: String, _ key: [String: AttributeValue]
    ) throws(StoreError) -> Bool {
        let statement = try AttachedStatement(table, in: snapshot)
        let condition = try statement.condition(key)
        return try runOnRow("DELETE FROM \(statement.name) WHERE \(condition.sql)", condition.values)
    }

    private mutating func runOnRow(_ sql: String, _ values: [AttributeValue]) throws(StoreError) -> Bool {
        _ = try beginRecordingRows()
        return try perform { connection in
            let statement = try connection.prepare(sql, binding: values)
            while try statement.step() {}
            return connection.changedRows > 0
        }
    }
}

/// The parts of a statement on a recorded table.
private struct AttachedStatement {
    let table: AttachedTable

    init(_ name: String, in snapshot: borrowing StoreSnapshot) throws(StoreError) {
        let tables = try snapshot.attachedTables()
        guard
            let table = tables.first(where: { $0.name.lowercased() == name.lowercased() && $0.refusal == nil }
            )
        else { throw .untracked(entity: name) }
        self.table = table
    }

    var name: String { StoreSchema.quoted(table.name) }

    static func list(_ columns: [String]) -> String {
        columns.map(StoreSchema.quoted).joined(separator: ", ")
    }

    func columns(of values: [String: AttributeValue]) throws(StoreError) -> [String] {
        if let name = values.keys.first(where: { !table.columns.contains($0) && !table.key.contains($0) }) {
            throw .unknownAttribute(name, entity: table.name)
        }
        return values.keys.sorted()
    }

    /// The condition on the row with a key, which names each of its columns.
    func condition(_ key: [String: AttributeValue]) throws(StoreError) -> (
        sql: String, values: [AttributeValue]
    ) {
        if let name = key.keys.first(where: { !table.key.contains($0) }) {
            throw .unknownAttribute(name, entity: table.name)
        }
        if let name = table.key.first(where: { key[$0] == nil }) {
            throw .invalidValue(attribute: name, entity: table.name, reason: "the key of a row requires it")
        }
        let parts = table.key.enumerated().map { "\(StoreSchema.quoted($1)) IS ?\($0 + 1)" }
        return (parts.joined(separator: " AND "), table.key.compactMap { key[$0] })
    }
}
