import SQLite

/// The bits of `history.columns` that stand for an entity's attributes.
///
/// A bit belongs to its attribute for as long as the history retains a change that names it, so that old
/// history stays readable. When no bit is free, those of dropped attributes that no change names are reused.
struct AttributeBits {
    private(set) var byName: [String: Int] = [:]
    private let entityID: Int64

    init(ofEntity id: Int64, on connection: borrowing Connection) throws(SQLiteError) {
        entityID = id
        let rows = try connection.prepare("SELECT bit, name FROM history_attribute WHERE entity = ?1")
        try rows.bind(id, at: 1)
        while try rows.step() { byName[rows.text(1)] = Int(rows.integer(0)) }
    }

    /// Assigns a bit to each attribute without one.
    ///
    /// - Throws: ``StoreError/invalidModel(_:)`` if the history names too many attributes.
    mutating func assign(to entity: EntityDescription, on connection: borrowing Connection) throws {
        for attribute in entity.attributes where byName[attribute.name] == nil {
            if unused == nil { try reclaim(for: entity, on: connection) }
            guard let bit = unused else {
                throw StoreError.invalidModel(
                    "\(entity.name) has had more than \(StoreModel.maxAttributes) attributes, and its history "
                        + "names the dropped ones; purge the history with the version of the program that "
                        + "wrote it, then open the store again")
            }
            byName[attribute.name] = bit
            try connection.run(
                "INSERT INTO history_attribute (entity, bit, name) VALUES (?1, ?2, ?3)", entityID, bit,
                attribute.name)
        }
    }

    private var unused: Int? {
        let used = Set(byName.values)
        return (0..<StoreModel.maxAttributes).first { !used.contains($0) }
    }

    /// Deletes the dropped attributes that no retained change names, with the columns of their values.
    private mutating func reclaim(for entity: EntityDescription, on connection: borrowing Connection) throws {
        let named = try namedBits(on: connection)
        let dropped = byName.filter { entity.attribute($0.key) == nil && named & (1 << $0.value) == 0 }
        for (name, bit) in dropped {
            byName[name] = nil
            try connection.run(
                "DELETE FROM history_attribute WHERE entity = ?1 AND bit = ?2", entityID, bit)
            let column = StoreSchema.retainedColumnName(name)
            for table in StoreSchema.tables(of: entity.name).dropFirst() {
                guard try connection.columns(of: table).contains(column) else { continue }
                try connection.run(
                    "ALTER TABLE \(StoreSchema.quoted(table)) DROP COLUMN \(StoreSchema.quoted(column))")
            }
        }
    }

    /// Returns the bits that retained changes name. A deletion without bits, recorded by an older version,
    /// may name any attribute.
    private func namedBits(on connection: borrowing Connection) throws(SQLiteError) -> Int64 {
        var bits: Int64 = 0
        let rows = try connection.prepare(
            "SELECT kind, columns FROM history WHERE entity = ?1 AND kind IN (1, 2)")
        try rows.bind(entityID, at: 1)
        while try rows.step() {
            bits |= rows.isNull(1) && rows.integer(0) == 2 ? -1 : rows.integer(1)
        }
        return bits
    }
}
