import SQLite

extension HistoryLog {
    /// Returns the change in a row of a ``HistoryScan``, with its retained values.
    func change(_ row: borrowing Statement, on connection: borrowing Connection) throws -> HistoryChange? {
        guard let kind = HistoryChange.Kind(rawValue: Int(row.integer(1))),
            let entity = entities[row.integer(2)]
        else { return nil }
        // For an update the changed attributes, for a deletion those in the tombstone. Only a deletion
        // recorded by an older version does not list them.
        var names: [String] = []
        var mask = UInt64(bitPattern: row.integer(4))
        while mask != 0 {
            if let name = entity.attributes[mask.trailingZeroBitCount] { names.append(name) }
            mask &= mask - 1
        }
        if kind == .delete && row.isNull(4) { names = entity.retainedColumns }
        var retained: [String: Value] = [:]
        // Without retained values there is no such row, and a query for it would cost as much as all other
        // steps together.
        if names.contains(where: entity.retainedColumns.contains) {
            retained = try retainedValues(of: entity, number: row.integer(0), on: connection)
                .filter { names.contains($0.key) }
        }
        return HistoryChange(
            number: row.integer(0), kind: kind, objectID: ObjectID(entity: entity.name, key: row.integer(3)),
            updatedAttributes: kind == .update ? names : [], tombstone: kind == .delete ? retained : nil,
            oldValues: kind == .update ? retained : [:])
    }

    func objectID(_ row: borrowing Statement) -> ObjectID? {
        entities[row.integer(2)].map { ObjectID(entity: $0.name, key: row.integer(3)) }
    }

    private func retainedValues(
        of entity: EntityNames, number: Int64, on connection: borrowing Connection
    ) throws -> [String: Value] {
        guard !entity.retainedColumns.isEmpty else { return [:] }
        let statement = try connection.prepare(entity.retainedValues)
        try statement.bind(number, at: 1)
        guard try statement.step() else { return [:] }
        var values: [String: Value] = [:]
        for (index, name) in entity.retainedColumns.enumerated() { values[name] = statement.value(index) }
        return values
    }
}
