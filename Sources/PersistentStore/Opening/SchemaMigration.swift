import SQLite

/// Migrates the tables, indexes, and triggers of a store to a model, inside the caller's transaction.
///
/// Columns are added and dropped; other differences require rebuilding the table. A bit of `history.columns`
/// belongs to its attribute indefinitely, and the history retains the values of a dropped attribute, so that
/// old history can be read.
struct SchemaMigration {
    let model: StoreModel
    let path: String

    func run(on connection: borrowing Connection) throws {
        let oldEntities = try names("SELECT name FROM history_entity", on: connection)
        let tracked = try oldEntities.filter { try isTracked($0, on: connection) }
        try bringToFormat(oldEntities, on: connection)
        try addColumns(on: connection)
        var mustExpireTokens = false
        for entity in model.entities {
            if oldEntities.contains(entity.name) {
                try dropTriggers(entity.name, on: connection)
                try alter(entity, on: connection)
                if entity.tracksHistory && !tracked.contains(entity.name) {
                    try SchemaRepair.raiseLastID(of: entity, on: connection)
                    mustExpireTokens = true
                }
            } else {
                try create(entity, on: connection)
            }
            try track(entity, on: connection)
            try IndexCreation(entity).run(on: connection)
        }
        if mustExpireTokens {
            let generation = try StoreMetadata.integer(.generation, on: connection) ?? 1
            try StoreMetadata.set(.generation, .integer(generation + 1), on: connection)
        }
        try StoreMetadata.set(.modelVersion, .integer(Int64(model.version)), on: connection)
        try StoreMetadata.set(.model, .text(StoreModelFingerprint(model).text), on: connection)
    }

    /// Migrates format 1, which grouped the changes of an external writer by guessing, in two columns that
    /// its triggers wrote.
    private func bringToFormat(_ entities: Set<String>, on connection: borrowing Connection) throws {
        guard try columns(of: "\"history\"", on: connection).contains("continues") else { return }
        for entity in entities { try dropTriggers(entity, on: connection) }
        try connection.execute(
            """
            ALTER TABLE history DROP COLUMN next;
            ALTER TABLE history DROP COLUMN continues;
            PRAGMA user_version = \(StoreSchema.format)
            """)
    }

    private func addColumns(on connection: borrowing Connection) throws {
        for addition in StoreSchema.additions {
            guard try !columns(of: "\"\(addition.table)\"", on: connection).contains(addition.column) else {
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

    private func alter(_ entity: EntityDescription, on connection: borrowing Connection) throws {
        let old = try columns(of: "\"\(entity.name)\"", on: connection).subtracting(["id", "version"])
        for name in old {
            for index in [
                StoreSchema.indexName(name, entity.name), StoreSchema.indexNameWhenTrue(name, entity.name),
            ] {
                try connection.run("DROP INDEX IF EXISTS \(StoreSchema.quoted(index))")
            }
        }
        if try canAlter(entity, from: old, on: connection) {
            for name in old.subtracting(entity.attributes.map(\.name)) {
                try connection.run(
                    "ALTER TABLE \"\(entity.name)\" DROP COLUMN \(StoreSchema.quoted(name))")
            }
            for attribute in entity.attributes where !old.contains(attribute.name) {
                try connection.execute(
                    "ALTER TABLE \"\(entity.name)\" ADD COLUMN \(StoreSchema.column(attribute))")
            }
        } else {
            try TableRebuild(entity: entity, columns: old).run(on: connection)
        }
        for table in [StoreSchema.valuesTable(entity.name), StoreSchema.replacedTable(entity.name)] {
            let known = try columns(of: table, on: connection)
            for attribute in entity.retainedAttributes where !known.contains(attribute.name) {
                try connection.execute("ALTER TABLE \(table) ADD COLUMN \"\(attribute.name)\"")
            }
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

    private func track(_ entity: EntityDescription, on connection: borrowing Connection) throws {
        guard let known = try HistoryTriggers(of: entity, on: connection) else {
            throw StoreError.unknownEntity(entity.name)
        }
        var bits = known.bits
        for attribute in entity.attributes where bits[attribute.name] == nil {
            let highest = bits.values.max() ?? -1
            guard highest < StoreModel.maxAttributes - 1 else {
                throw StoreError.invalidModel(
                    "\(entity.name) has had more than \(StoreModel.maxAttributes) attributes in its life")
            }
            let bit = highest + 1
            bits[attribute.name] = bit
            try connection.run(
                "INSERT INTO history_attribute (entity, bit, name) VALUES (?1, ?2, ?3)", known.entityID, bit,
                attribute.name)
        }
        guard entity.tracksHistory else { return }
        for trigger in HistoryTriggers(entity: entity, entityID: known.entityID, bits: bits).all {
            try connection.execute(trigger.sql)
        }
    }

    private func isTracked(_ entity: String, on connection: borrowing Connection) throws -> Bool {
        let sql = "SELECT count(*) FROM sqlite_schema WHERE type = 'trigger' AND name = ?1"
        return try connection.integer(sql, "\(entity)_records_insert") == 1
    }

    private func dropTriggers(_ entity: String, on connection: borrowing Connection) throws {
        let sql =
            "SELECT name FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = \(StoreSchema.literal(.text(entity)))"
        for name in try names(sql, on: connection) where name.hasPrefix(entity + "_") {
            try connection.run("DROP TRIGGER \(StoreSchema.quoted(name))")
        }
    }

    private func columns(of table: String, on connection: borrowing Connection) throws -> Set<String> {
        try names("SELECT name FROM pragma_table_info(\(table.replacing("\"", with: "'")))", on: connection)
    }

    private func names(_ sql: String, on connection: borrowing Connection) throws -> Set<String> {
        Set(try connection.texts(sql))
    }
}
