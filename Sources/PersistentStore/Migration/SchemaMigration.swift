import SQLite

/// Migrates the tables, indexes, and triggers of a store to a model, inside the caller's transaction.
///
/// Tables and columns are renamed, columns are added and dropped; other differences require rebuilding the
/// table. The history retains the values of a dropped attribute, so that old history can be read.
struct SchemaMigration {
    let opening: StoreOpening
    private var model: StoreModel { opening.model }

    init(_ opening: StoreOpening) { self.opening = opening }

    func run(on connection: borrowing Connection) throws {
        let tracked = try trackedEntities(on: connection)
        try bringToFormat(try names("SELECT name FROM history_entity", on: connection), on: connection)
        try addColumns(on: connection)
        try SchemaRenaming(model: model).run(on: connection)
        let stored = try names("SELECT name FROM history_entity", on: connection)
        let existing = model.entities.filter { $0.tracksHistory && stored.contains($0.name) }
        try HistoryTriggers.raiseNumbers(over: existing, on: connection)
        let steps = try MigrationRun(opening, stored: stored, on: connection)
        var mustExpireTokens = false
        for entity in model.entities {
            let exists = stored.contains(entity.name)
            if exists {
                try HistoryTriggers.drop(of: entity.name, on: connection)
            } else {
                try create(entity, on: connection)
            }
            let triggers = try register(entity, on: connection)
            if exists {
                try alter(triggers, steps.migration(of: triggers), on: connection)
                if entity.tracksHistory && !tracked.contains(triggers.entityID) {
                    try SchemaRepair.raiseLastID(of: entity, on: connection)
                    mustExpireTokens = true
                }
            }
            if entity.tracksHistory { try triggers.create(on: connection) }
            try IndexCreation(entity).run(on: connection)
        }
        for entity in model.entities where stored.contains(entity.name) {
            for attribute in entity.attributes { try resolve(attribute, of: entity, on: connection) }
        }
        try steps.end(on: connection)
        if mustExpireTokens {
            let generation = try StoreMetadata.integer(.generation, on: connection) ?? 1
            try StoreMetadata.set(.generation, .integer(generation + 1), on: connection)
        }
        try StoreMetadata.set(.modelVersion, .integer(Int64(model.version)), on: connection)
        try StoreMetadata.set(.model, .text(StoreModelFingerprint(model).text), on: connection)
    }

    /// Sets references to missing objects to null. The keys of an attribute that becomes a reference, or references that
    /// a program saved without checking them, may be of such objects.
    ///
    /// - Throws: ``StoreError/missingReference(attribute:entity:)`` if the attribute is required.
    private func resolve(
        _ attribute: AttributeDescription, of entity: EntityDescription, on connection: borrowing Connection
    ) throws {
        guard let dangling = attribute.danglingCondition else { return }
        if attribute.isOptional {
            try connection.run("UPDATE \"\(entity.name)\" SET \"\(attribute.name)\" = NULL WHERE \(dangling)")
        } else if try connection.integer("SELECT 1 FROM \"\(entity.name)\" WHERE \(dangling)") != nil {
            throw StoreError.missingReference(attribute: attribute.name, entity: entity.name)
        }
    }

    /// Migrates format 1, which grouped the changes of an external writer by guessing, in two columns that
    /// its triggers wrote.
    private func bringToFormat(_ entities: Set<String>, on connection: borrowing Connection) throws {
        guard try connection.columns(of: "history").contains("continues") else { return }
        for entity in entities { try HistoryTriggers.drop(of: entity, on: connection) }
        try connection.execute(
            """
            ALTER TABLE history DROP COLUMN next;
            ALTER TABLE history DROP COLUMN continues;
            PRAGMA user_version = \(StoreSchema.format)
            """)
    }

    private func addColumns(on connection: borrowing Connection) throws {
        for addition in StoreSchema.additions {
            guard try !connection.columns(of: addition.table).contains(addition.column) else {
                continue
            }
            try connection.execute("ALTER TABLE \(addition.table) ADD COLUMN \(addition.definition)")
        }
        // Always recreated: that changes `PRAGMA schema_version`, by which open connections notice a
        // migration.
        try connection.run("DROP INDEX IF EXISTS history_origin_by_author")
        try connection.execute(StoreSchema.indexes)
    }

    private func create(_ entity: EntityDescription, on connection: borrowing Connection) throws {
        try connection.execute(StoreSchema.createTable(entity))
        for table in StoreSchema.createHistoryTables(entity) { try connection.execute(table) }
        try connection.run("INSERT INTO history_entity (name) VALUES (?1)", entity.name)
    }

    /// Returns the triggers of an entity, after assigning a bit and a column to each attribute that the history
    /// names.
    private func register(_ entity: EntityDescription, on connection: borrowing Connection) throws
        -> HistoryTriggers
    {
        guard let known = try HistoryTriggers(of: entity, on: connection) else {
            throw StoreError.unknownEntity(entity.name)
        }
        var bits = try AttributeBits(ofEntity: known.entityID, on: connection)
        try bits.assign(to: entity, on: connection)
        for table in StoreSchema.tables(of: entity.name).dropFirst() {
            let present = try connection.columns(of: table)
            for attribute in entity.retainedAttributes
            where !present.contains(StoreSchema.retainedColumnName(attribute.name)) {
                try connection.execute(
                    "ALTER TABLE \(StoreSchema.quoted(table)) ADD COLUMN \(StoreSchema.retainedColumn(attribute))"
                )
            }
        }
        return HistoryTriggers(entity: entity, entityID: known.entityID, bits: bits.byName)
    }

    private func alter(
        _ triggers: HistoryTriggers, _ migration: ObjectMigration?, on connection: borrowing Connection
    ) throws {
        let entity = triggers.entity
        let old = try connection.columns(of: entity.name).subtracting(["id", "version"])
        for name in old { try StoreSchema.dropIndexes(of: name, entity.name, on: connection) }
        if try migration == nil && canAlter(entity, from: old, on: connection) {
            for name in old.subtracting(entity.attributes.map(\.name)) {
                try connection.run(
                    "ALTER TABLE \"\(entity.name)\" DROP COLUMN \(StoreSchema.quoted(name))")
            }
            for attribute in entity.attributes where !old.contains(attribute.name) {
                try connection.execute(
                    "ALTER TABLE \"\(entity.name)\" ADD COLUMN \(StoreSchema.column(attribute))")
            }
        } else {
            try TableRebuild(entity: entity, columns: old, migration: migration).run(on: connection)
        }
    }

    /// Whether ALTER TABLE is sufficient: only columns of a supported kind are added or dropped. A column
    /// retains its original text (sqlite.org/lang_altertable.html), so a changed attribute would otherwise be
    /// sorted, checked, and filled differently from the model.
    private func canAlter(
        _ entity: EntityDescription, from old: Set<String>, on connection: borrowing Connection
    ) throws
        -> Bool
    {
        let made = try names(
            "SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = '\(entity.name)'", on: connection)
        let indexed = try names(
            """
            SELECT column.name FROM pragma_index_list('\(entity.name)') AS list, \
            pragma_index_info(list.name) AS column WHERE column.name NOT NULL
            """, on: connection)
        let isAsMade = entity.attributes.allSatisfy { attribute in
            old.contains(attribute.name)
                ? made.contains { StoreSchema.hasColumn(attribute, in: $0) }
                : canBeAdded(attribute)
        }
        return isAsMade && indexed.isDisjoint(with: old.subtracting(entity.attributes.map(\.name)))
    }

    /// Whether ALTER TABLE can add the column; it rejects all other kinds (sqlite.org/lang_altertable.html).
    private func canBeAdded(_ attribute: AttributeDescription) -> Bool {
        switch attribute.defaultValue {
        case .none: attribute.isOptional
        case .value(let value): attribute.isOptional || !value.isNull
        case .now, .uuid: false
        }
    }

    private func trackedEntities(on connection: borrowing Connection) throws -> Set<Int64> {
        var tracked: Set<Int64> = []
        let rows = try connection.prepare(
            """
            SELECT entity.id FROM history_entity AS entity, sqlite_schema AS made
            WHERE made.type = 'trigger' AND made.name = entity.name || '_records_insert'
            """)
        while try rows.step() { tracked.insert(rows.integer(0)) }
        return tracked
    }

    private func names(_ sql: String, on connection: borrowing Connection) throws -> Set<String> {
        Set(try connection.texts(sql))
    }
}

extension Connection {
    /// Returns the columns of a table; none if it does not exist.
    func columns(of table: String) throws(SQLiteError) -> Set<String> {
        Set(try texts("SELECT name FROM pragma_table_info(?1)", table))
    }
}

extension StoreSchema {
    /// Drops the indexes of an attribute that this library created.
    static func dropIndexes(
        of attribute: String, _ entity: String, on connection: borrowing Connection
    ) throws(SQLiteError) {
        let partial = ["where", "where_not"].map { "\(entity)_\($0)_\(attribute)" }
        for index in [indexName(attribute, entity)] + partial {
            try connection.run("DROP INDEX IF EXISTS \(quoted(index))")
        }
    }
}

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

/// Creates indexes of an entity, after its triggers, inside the caller's transaction.
///
/// A unique index cannot be created while objects share a value. UUIDs identify no data of the user, so the
/// later objects get new ones, which the triggers record; for any other attribute, that is an error.
struct IndexCreation {
    private let entity: EntityDescription
    private let indexes: [(attribute: AttributeDescription, name: String, sql: String)]

    /// - Parameter isMissing: Whether an index must be created.
    init(_ entity: EntityDescription, isMissing: ((name: String, sql: String)) -> Bool = { _ in true }) {
        self.entity = entity
        indexes = entity.attributes.flatMap { attribute in
            StoreSchema.indexes(attribute, of: entity).filter(isMissing).map { (attribute, $0.name, $0.sql) }
        }
    }

    var isEmpty: Bool { indexes.isEmpty }

    func run(on connection: borrowing Connection) throws {
        for index in indexes {
            try connection.run("DROP INDEX IF EXISTS \(StoreSchema.quoted(index.name))")
            do {
                try connection.run(index.sql)
            } catch {
                guard error.primary == .constraint else { throw error }
                guard index.attribute.defaultValue == .uuid else { throw shared(index.attribute) }
                try renewShared(index.attribute, on: connection)
                try connection.run(index.sql)
            }
        }
    }

    private func shared(_ attribute: AttributeDescription) -> StoreError {
        .invalidModel(
            "\(entity.name).\(attribute.name) must differ, and the store has objects that share a value")
    }

    private func renewShared(_ attribute: AttributeDescription, on connection: borrowing Connection) throws {
        guard let renewed = StoreSchema.defaultExpression(attribute) else { throw shared(attribute) }
        let (table, column) = ("\"\(entity.name)\"", "\"\(attribute.name)\"")
        // For the triggers, which look each new value up.
        try connection.run("CREATE INDEX store_shared_values ON \(table) (\(column))")
        try connection.run(
            """
            UPDATE \(table) SET \(column) = \(renewed) WHERE id IN (SELECT id FROM (
            SELECT id, row_number() OVER (PARTITION BY \(column) ORDER BY id) AS position FROM \(table)
            WHERE \(column) NOT NULL) WHERE position > 1)
            """)
        try connection.run("DROP INDEX store_shared_values")
    }
}
