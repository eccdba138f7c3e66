import SQLite

extension HistoryLog {
    /// The change in a row of a ``HistoryScan``, with the values that were kept of it.
    func change(_ row: borrowing Statement, on connection: borrowing Connection) throws -> HistoryChange? {
        guard let kind = HistoryChange.Kind(rawValue: Int(row.integer(1))),
            let entity = entities[row.integer(2)]
        else { return nil }
        // Of an update the changed attributes, of a deletion those in the tombstone. Only a deletion that an older
        // program recorded does not name them.
        var names: [String] = []
        var mask = UInt64(bitPattern: row.integer(4))
        while mask != 0 {
            if let name = entity.attributes[mask.trailingZeroBitCount] { names.append(name) }
            mask &= mask - 1
        }
        if kind == .delete && row.isNull(4) { names = entity.keptColumns }
        var kept: [String: Value] = [:]
        // Without retained values there is no such row, and a query for it would cost as much as the rest.
        if names.contains(where: entity.keptColumns.contains) {
            kept = try keptValues(of: entity, number: row.integer(0), on: connection)
                .filter { names.contains($0.key) }
        }
        return HistoryChange(
            number: row.integer(0), kind: kind, objectID: ObjectID(entity: entity.name, key: row.integer(3)),
            updatedAttributes: kind == .update ? names : [], tombstone: kind == .delete ? kept : nil,
            oldValues: kind == .update ? kept : [:])
    }

    func objectID(_ row: borrowing Statement) -> ObjectID? {
        entities[row.integer(2)].map { ObjectID(entity: $0.name, key: row.integer(3)) }
    }

    private func keptValues(
        of entity: EntityNames, number: Int64, on connection: borrowing Connection
    ) throws -> [String: Value] {
        guard !entity.keptColumns.isEmpty else { return [:] }
        let statement = try connection.prepare(entity.keptValues)
        try statement.bind(number, at: 1)
        guard try statement.step() else { return [:] }
        var values: [String: Value] = [:]
        for (index, name) in entity.keptColumns.enumerated() { values[name] = statement.value(index) }
        return values
    }
}
