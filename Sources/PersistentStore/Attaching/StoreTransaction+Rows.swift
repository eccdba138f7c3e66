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

extension StoreTransaction {
    /// Undoes changes of recorded tables, the newest first. The values are copied inside SQLite, byte by byte.
    mutating func revert(_ changes: Set<Int64>, path: String) throws(StoreError) {
        func fail(_ reason: String) -> StoreError { .cannotRestore(path: path, reason: reason) }
        let first = try beginRecordingRows()
        for number in changes.sorted(by: >) {
            let log = try snapshot.log
            let isDone = try perform { connection in
                let row = try connection.prepare(
                    "SELECT \(HistoryHeaders.columns) FROM history WHERE number = ?1 AND kind < 3", [number])
                guard try row.step(), let names = log.entities[row.integer(2)], let rows = names.attached,
                    rows.entity.isTracked, let change = try log.change(row, on: connection)
                else { throw fail("there is no change \(number) of a recorded table") }
                let revert = AttachedRevert(change, row.integer(4), rows.entity, names.attributes)
                if let reason = revert.refusal(changes) { throw fail(reason) }
                return try !revert.wasChangedLater(changes, before: first, on: connection)
                    && revert.run(on: connection)
            }
            guard isDone else {
                throw fail("the row of change \(number) was changed later, or exists again")
            }
        }
    }
}

/// The statement that undoes a change.
private struct AttachedRevert {
    private let change: HistoryChange
    private let changed: UInt64
    private let entity: AttachedStore.Entity
    private let names: [Int: String]

    init(_ change: HistoryChange, _ changed: Int64, _ entity: AttachedStore.Entity, _ names: [Int: String]) {
        (self.change, self.changed) = (change, UInt64(bitPattern: changed))
        (self.entity, self.names) = (entity, names)
    }

    private var table: String { StoreSchema.quoted(entity.name) }

    /// Returns the reason for which the change cannot be undone.
    func refusal(_ changes: Set<Int64>) -> String? {
        if let counterpart = change.counterpart, !changes.contains(counterpart) {
            return "the changes \(change.number) and \(counterpart) changed a key together; name both"
        }
        let isRetained =
            switch change.kind {
            case .insert: true
            case .update: !change.oldValues.isEmpty
            case .delete: !(change.tombstone ?? [:]).isEmpty
            }
        return isRetained ? nil : "the history retains no values of change \(change.number)"
    }

    /// Runs the statement. Returns whether it changed the row.
    func run(on connection: borrowing Connection) throws -> Bool {
        let stored = "(SELECT * FROM history WHERE number = \(change.number)) AS change"
        let row = "\(table).\(StoreSchema.quoted(entity.rowName ?? "rowid"))"
        var isRow: String {
            guard !entity.keys.isEmpty else { return "\(row) = \(change.objectID.key)" }
            let keys = entity.keys.compactMap { bit in
                names[bit].map { "\(table).\(StoreSchema.quoted($0)) IS change.v\(bit)" }
            }
            return keys.joined(separator: " AND ")
        }
        switch change.kind {
        case .insert:
            let found =
                entity.keys.isEmpty ? isRow : "EXISTS (SELECT 1 FROM \(stored) WHERE \(isRow))"
            try connection.run("DELETE FROM \(table) WHERE \(found)")
        case .update:
            let bits = names.keys.sorted().filter { changed & 1 << UInt64($0) != 0 }
            let set = bits.compactMap { bit in names[bit].map { "\(StoreSchema.quoted($0)) = change.o\(bit)" }
            }
            try connection.run(
                "UPDATE \(table) SET \(set.joined(separator: ", ")) FROM \(stored) WHERE \(isRow)"
            )
        case .delete:
            let bits = entity.columns.filter { names[$0] != nil && change.tombstone?[names[$0] ?? ""] != nil }
            var (into, from) = (
                bits.compactMap { names[$0].map(StoreSchema.quoted) }, bits.map { "change.v\($0)" }
            )
            if entity.keys.isEmpty, let row = entity.rowName {
                into.append(StoreSchema.quoted(row))
                from.append("\(change.objectID.key)")
            }
            let source = bits.isEmpty ? "" : " FROM \(stored)"
            try connection.run(
                """
                INSERT OR ABORT INTO \(table) (\(into.joined(separator: ", ")))
                SELECT \(from.joined(separator: ", "))\(source)
                """)
        }
        return connection.changedRows == 1
    }

    /// Whether a later change, other than those to undo, is of the row.
    func wasChangedLater(_ changes: Set<Int64>, before first: Int64, on connection: borrowing Connection)
        throws
        -> Bool
    {
        var isSame = "later.object = \(change.objectID.key)"
        var source = "history AS later"
        if !entity.keys.isEmpty {
            source += " JOIN history AS change ON change.number = \(change.number)"
            let keys = entity.keys.map { "later.v\($0) IS change.v\($0)" }
            isSame = keys.joined(separator: " AND ")
        }
        let others = changes.sorted().map(String.init).joined(separator: ", ")
        return try connection.integer(
            """
            SELECT 1 FROM \(source) WHERE later.number > ?1 AND later.number < ?2 AND later.kind < 3
            AND later.entity = ?3 AND later.number NOT IN (\(others)) AND \(isSame) LIMIT 1
            """, change.number, first, entity.id) != nil
    }
}
