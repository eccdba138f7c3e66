import SQLite

extension HistoryLog {
    /// The change in a row of a ``HistoryScan``, with the values that were kept of it.
    func change(_ row: borrowing Statement, on connection: borrowing Connection) throws -> HistoryChange? {
        guard let kind = HistoryChange.Kind(rawValue: Int(row.integer(1))),
            let entity = entities[row.integer(2)]
        else { return nil }
        let mask = UInt64(bitPattern: row.integer(4))
        let updated =
            mask == 0
            ? []
            : (0..<StoreModel.mostAttributes).compactMap { bit in
                mask & (1 << UInt64(bit)) == 0 ? nil : entity.attributes[bit]
            }
        var kept: [String: Value] = [:]
        if kind != .insert, !entity.keptColumns.isEmpty {
            kept = try keptValues(of: entity, number: row.integer(0), on: connection)
        }
        return HistoryChange(
            number: row.integer(0), kind: kind, objectID: ObjectID(entity: entity.name, key: row.integer(3)),
            updatedAttributes: updated, tombstone: kind == .delete ? kept : nil,
            oldValues: kind == .update ? kept.filter { updated.contains($0.key) } : [:])
    }

    func objectID(_ row: borrowing Statement) -> ObjectID? {
        entities[row.integer(2)].map { ObjectID(entity: $0.name, key: row.integer(3)) }
    }

    private func keptValues(
        of entity: EntityNames, number: Int64, on connection: borrowing Connection
    ) throws -> [String: Value] {
        let columns = entity.keptColumns.map { "\"\($0)\"" }.joined(separator: ", ")
        let statement = try connection.prepare(
            "SELECT \(columns) FROM \(StoreSchema.valuesTable(entity.name)) WHERE number = ?1")
        try statement.bind(number, at: 1)
        guard try statement.step() else { return [:] }
        var values: [String: Value] = [:]
        for (index, name) in entity.keptColumns.enumerated() { values[name] = statement.value(index) }
        return values
    }
}
