import SQLite

/// Renames the tables and columns of entities and attributes that have another name in a store, and their
/// names in its history.
struct SchemaRenaming {
    struct Rename: Equatable {
        let old: String
        let new: String
    }

    let model: StoreModel

    func run(on connection: borrowing Connection) throws {
        let stored = try connection.texts("SELECT name FROM history_entity")
        for rename in Self.renames(model.entities.map { ($0.name, $0.renamedFrom) }, stored: Set(stored)) {
            try renameEntity(rename, on: connection)
        }
        for entity in model.entities { try renameAttributes(of: entity, on: connection) }
    }

    /// Returns the renames of a store, in an order in which each new name is free.
    static func renames(
        _ wanted: [(name: String, former: [String])], stored: Set<String>
    ) -> [Rename] {
        var (sources, present) = (stored, stored)
        var renames: [Rename] = []
        var count = -1
        while count != renames.count {
            count = renames.count
            for (name, former) in wanted where !present.contains(name) {
                guard let old = former.first(where: sources.contains) else { continue }
                sources.remove(old)
                present.remove(old)
                present.insert(name)
                renames.append(Rename(old: old, new: name))
            }
        }
        return renames
    }

    private func renameEntity(_ rename: Rename, on connection: borrowing Connection) throws {
        try prepare(rename.old, on: connection)
        // SQLite also renames the table in views, triggers, and foreign keys
        // (sqlite.org/lang_altertable.html).
        let tables = zip(StoreSchema.tables(of: rename.old), StoreSchema.tables(of: rename.new))
        for (old, new) in tables {
            try connection.run(
                "ALTER TABLE \(StoreSchema.quoted(old)) RENAME TO \(StoreSchema.quoted(new))")
        }
        try connection.run("UPDATE history_entity SET name = ?2 WHERE name = ?1", rename.old, rename.new)
    }

    private func renameAttributes(of entity: EntityDescription, on connection: borrowing Connection) throws {
        let stored = try connection.columns(of: entity.name)
        let renames = Self.renames(entity.attributes.map { ($0.name, $0.renamedFrom) }, stored: stored)
        guard !renames.isEmpty else { return }
        try prepare(entity.name, on: connection)
        for rename in renames {
            try renameColumn(rename, in: entity.name, on: connection)
            try renameInHistory(rename, of: entity.name, on: connection)
        }
    }

    /// Drops the triggers and indexes with the old names; the migration creates those with the new ones.
    private func prepare(_ entity: String, on connection: borrowing Connection) throws {
        try HistoryTriggers.drop(of: entity, on: connection)
        for column in try connection.columns(of: entity) {
            try StoreSchema.dropIndexes(of: column, entity, on: connection)
        }
    }

    /// Renames an attribute in the history. A dropped attribute that had the new name gets one that no
    /// attribute can have.
    private func renameInHistory(
        _ rename: Rename, of entity: String, on connection: borrowing Connection
    ) throws {
        let own = "entity = (SELECT id FROM history_entity WHERE name = ?1) AND name = ?2"
        let bit = try connection.integer(
            "SELECT bit FROM history_attribute WHERE \(own)", entity, rename.new)
        let dropped = bit.map { Rename(old: rename.new, new: "\(rename.new)#\($0)") }
        for rename in [dropped, rename].compactMap(\.self) {
            try connection.run(
                "UPDATE history_attribute SET name = ?3 WHERE \(own)", entity, rename.old, rename.new)
            let column = Rename(
                old: StoreSchema.retainedColumnName(rename.old),
                new: StoreSchema.retainedColumnName(rename.new))
            for table in StoreSchema.tables(of: entity).dropFirst() {
                try renameColumn(column, in: table, on: connection)
            }
        }
    }

    private func renameColumn(_ rename: Rename, in table: String, on connection: borrowing Connection) throws
    {
        guard try connection.columns(of: table).contains(rename.old) else { return }
        let (table, old, new) = (
            StoreSchema.quoted(table), StoreSchema.quoted(rename.old), StoreSchema.quoted(rename.new)
        )
        try connection.run("ALTER TABLE \(table) RENAME COLUMN \(old) TO \(new)")
    }
}
