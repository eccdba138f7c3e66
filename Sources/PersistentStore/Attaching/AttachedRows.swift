import SQLite

/// The retained values of a recorded table, as ``AttachedTriggers`` writes them.
struct AttachedRows: Sendable {
    let entity: AttachedStore.Entity
    private let columns: [(bit: Int, isRow: Bool)]
    private let query: String

    /// Returns those of all entities, by their numbers.
    static func all(on connection: borrowing Connection) throws -> [Int64: AttachedRows] {
        var all: [Int64: AttachedRows] = [:]
        for entity in try AttachedStore(path: "").entities(on: connection) {
            all[entity.id] = try AttachedRows(entity, on: connection)
        }
        return all
    }

    private init(_ entity: AttachedStore.Entity, on connection: borrowing Connection) throws {
        self.entity = entity
        let bits = Set(
            try connection.texts("SELECT bit FROM history_attribute WHERE entity = ?1", entity.id))
        let names = try Self.valueColumns(on: connection).filter { bits.contains(String($0.dropFirst())) }
        columns = names.compactMap { name in Int(name.dropFirst()).map { ($0, name.hasPrefix("v")) } }
        query =
            "SELECT \((["retained"] + names).joined(separator: ", ")) FROM history WHERE number = ?1"
    }

    /// The columns of `history` that contain values of rows; none in a store.
    static func valueColumns(on connection: borrowing Connection) throws(SQLiteError) -> [String] {
        try connection.texts(
            """
            SELECT name FROM pragma_table_info('history')
            WHERE name GLOB '[ov][0-9]' OR name GLOB '[ov][0-9][0-9]' ORDER BY cid
            """)
    }

    /// Returns the change in a row of a ``HistoryScan``.
    func change(
        _ row: borrowing Statement, _ kind: HistoryChange.Kind, _ names: [Int: String], _ store: StoreDigest,
        on connection: borrowing Connection
    ) throws -> HistoryChange {
        let number = row.integer(0)
        let changed = UInt64(bitPattern: kind == .update ? row.integer(4) : 0)
        var (old, present): ([Int: AttributeValue], [Int: AttributeValue]) = ([:], [:])
        if !columns.isEmpty {
            let values = try connection.prepare(query)
            try values.bind(number, at: 1)
            if try values.step() {
                let retained = values.integer(0)
                let before = retained & AttachedTriggers.oldValuesFlag != 0 ? changed : 0
                for (index, column) in columns.enumerated() {
                    let bit: UInt64 = 1 << UInt64(column.bit)
                    if column.isRow {
                        if UInt64(bitPattern: retained) & bit != 0 {
                            present[column.bit] = values.value(index + 1)
                        }
                    } else if before & bit != 0 {
                        old[column.bit] = values.value(index + 1)
                    }
                }
            }
        }
        let object = AttributeValue.integer(row.integer(3))
        var key: [String: AttributeValue] = [:]
        if let rowName = entity.rowName, entity.isRowKey || !entity.hasKey { key[rowName] = object }
        for bit in entity.keys {
            if let name = names[bit] { key[name] = present[bit] }
        }
        let link = row.optionalInteger(9).flatMap { [-1, 1].contains($0) ? number + $0 : nil }
        return HistoryChange(
            number: number, kind: kind,
            objectID: ObjectID(entity: entity.name, key: row.integer(3), store: store),
            updatedAttributes: names.keys.sorted().filter { changed & 1 << UInt64($0) != 0 }.compactMap {
                names[$0]
            },
            tombstone: kind == .delete ? values(present, names, object) : nil,
            oldValues: kind == .update
                ? Dictionary(old.compactMap { bit, value in names[bit].map { ($0, value) } }) { $1 } : [:],
            key: key, newValues: kind == .delete ? [:] : values(present, names, object), counterpart: link)
    }

    /// Returns a whole row by name; nothing if only its key is recorded.
    private func values(
        _ values: [Int: AttributeValue], _ names: [Int: String], _ object: AttributeValue
    ) -> [String: AttributeValue] {
        guard values.keys.contains(where: { !entity.keys.contains($0) }) || entity.values == .rows else {
            return [:]
        }
        var row: [String: AttributeValue] = [:]
        for (bit, value) in values { if let name = names[bit] { row[name] = value } }
        if entity.isRowKey, let rowName = entity.rowName { row[rowName] = object }
        return row
    }
}
