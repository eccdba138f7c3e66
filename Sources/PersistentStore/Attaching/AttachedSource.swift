import SQLite

/// A table of another program, as the table of an entity: its rows, whose key is one integer, are the objects.
///
/// The rows have no version. The history is one: that of an object is the generation and the newest number of the state
/// in which it was read, and the object is unchanged if no later row of the history names it.
struct AttachedSource: Hashable, Sendable {
    /// The number of the entity in the history.
    let entity: Int64
    /// The quoted names of the table and of its key.
    let table: String
    let key: String
    /// The rows in a FROM clause, with the columns that the table of an entity has.
    let sql: String

    /// The bits of a version that are the number; the others are the generation.
    private static let numberBits = 40

    /// Creates the source of a table; nil for one whose columns cannot be attributes.
    fileprivate init?(
        _ schema: AttachedSchema, _ attributes: [AttributeDescription], entity: Int64,
        on connection: borrowing Connection
    ) {
        let reserved = attributes.contains { ["id", "version"].contains($0.name.lowercased()) }
        guard let key = schema.rowKey, !attributes.isEmpty, !reserved,
            !([schema.name] + attributes.map(\.name)).contains(where: { $0.utf8.contains(0x22) })
        else { return nil }
        self.entity = entity
        table = StoreSchema.quoted(schema.name)
        self.key = StoreSchema.quoted(key)
        let columns = attributes.map { attribute in
            let name = StoreSchema.quoted(attribute.name)
            let collation = connection.collation(of: attribute.name, in: schema.name)?.uppercased()
            // A list that sorts in memory knows these two.
            return ["BINARY", "NOCASE"].contains(collation) ? name : "\(name) COLLATE BINARY AS \(name)"
        }
        let version =
            "((SELECT value FROM store_metadata WHERE key = 'generation') << \(Self.numberBits)) "
            + "+ (SELECT max(number) FROM history)"
        sql =
            "(SELECT \(self.key) AS id, \(version) AS version, \(columns.joined(separator: ", ")) "
            + "FROM main.\(table)) AS \(table)"
    }

    /// Whether a row is as it was at a version, as far as the history that is retained can prove it.
    fileprivate func isUnchanged(
        _ key: Int64, since version: Int64, on connection: borrowing Connection
    ) throws -> Bool {
        let number = version & (1 << Self.numberBits - 1)
        let bounds = try StoreMetadata.historyBounds(on: connection)
        guard try StoreMetadata.identity(on: connection).generation == version >> Self.numberBits,
            max(bounds.floor, bounds.expiry) <= number
        else { return false }
        return try connection.integer(
            "SELECT 1 FROM history WHERE number > ?1 AND kind < 3 AND entity = ?2 AND object = ?3 LIMIT 1",
            number, entity, key) == nil
    }
}

extension AttachedStore {
    /// Returns the recorded tables with an integer key as entities.
    func model(on connection: borrowing Connection) throws -> StoreModel {
        var all: [EntityDescription] = []
        for entity in try entities(on: connection) where entity.isTracked && entity.isRowKey {
            guard let schema = try? AttachedSchema(entity.name, on: connection) else { continue }
            let attributes = schema.recorded.map { column in
                var attribute = AttributeDescription(
                    column.name, column.kind, isOptional: column.isOptional,
                    ignoresCase: connection.collation(of: column.name, in: schema.name)?.uppercased()
                        == "NOCASE")
                attribute.isAttached = true
                return attribute
            }
            guard let source = AttachedSource(schema, attributes, entity: entity.id, on: connection) else {
                continue
            }
            var description = EntityDescription(schema.name, attributes: attributes)
            description.attached = source
            all.append(description)
        }
        return StoreModel(attached: all)
    }
}

/// Changes of rows as those of objects. The object is read again after each: a trigger of the owner may have changed it.
extension ObjectTable {
    func insertRow(
        _ values: [String: AttributeValue], key: Int64?, _ source: AttachedSource,
        on connection: borrowing Connection
    ) throws -> StoredObject {
        try entity.check(values)
        var columns = values.map { (StoreSchema.quoted($0.key), $0.value) }.sorted { $0.0 < $1.0 }
        if let key { columns.append((source.key, .integer(key))) }
        let list =
            columns.isEmpty
            ? "DEFAULT VALUES"
            : "(\(columns.map(\.0).joined(separator: ", "))) VALUES (\(columns.map { _ in "?" }.joined(separator: ", ")))"
        let rows = try connection.prepare(
            "INSERT OR ABORT INTO \(source.table) \(list) RETURNING \(source.key)",
            binding: columns.map(\.1))
        guard try rows.step() else { throw notStored }
        let id = ObjectID(entity: entity.name, key: rows.integer(0), store: query.store)
        while try rows.step() {}
        guard let object = try object(id, on: connection) else { throw notStored }
        return object
    }

    /// Returns the updated object; nil if it does not exist, or has changed since the version.
    func updateRow(
        _ id: ObjectID, _ changes: [String: AttributeValue], _ version: Int64?, _ source: AttachedSource,
        on connection: borrowing Connection
    ) throws -> StoredObject? {
        guard let before = try unchanged(id, version, source, on: connection), !changes.isEmpty else {
            return nil
        }
        let columns = changes.sorted { $0.key < $1.key }
        let set = columns.map { "\(StoreSchema.quoted($0.key)) = ?" }.joined(separator: ", ")
        try change(
            "UPDATE OR ABORT \(source.table) SET \(set) WHERE \(source.key) = ?",
            columns.map(\.value) + [.integer(id.key)], on: connection)
        guard let object = try object(id, on: connection) else { return nil }
        // Without a row in the history, nothing has changed.
        guard object.version == before.version, let version else { return object }
        return StoredObject(id: id, version: version, layout: object.layout, values: object.stored)
    }

    /// Returns whether the object existed, unchanged since the version.
    func deleteRow(
        _ id: ObjectID, _ version: Int64?, _ source: AttachedSource, on connection: borrowing Connection
    ) throws -> Bool {
        guard try unchanged(id, version, source, on: connection) != nil else { return false }
        try change(
            "DELETE FROM \(source.table) WHERE \(source.key) = ?", [.integer(id.key)], on: connection)
        return true
    }

    private func unchanged(
        _ id: ObjectID, _ version: Int64?, _ source: AttachedSource, on connection: borrowing Connection
    ) throws -> StoredObject? {
        if let version, try !source.isUnchanged(id.key, since: version, on: connection) { return nil }
        return try object(id, on: connection)
    }

    private func change(
        _ sql: String, _ values: [AttributeValue], on connection: borrowing Connection
    ) throws {
        let statement = try connection.prepare(sql, binding: values)
        while try statement.step() {}
        guard connection.changedRows > 0 else { throw notStored }
    }
}

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
            let values = try connection.prepare(query, [number])
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
