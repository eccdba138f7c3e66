import SQLite

/// The differences between a store's schema and the schema that a model requires.
struct SchemaInspection {
    /// Entities with triggers that are missing or have a different text.
    private(set) var triggers: [HistoryTriggers] = []
    /// Entities with triggers of the owner that are newer.
    private(set) var overtaken: [HistoryTriggers] = []
    /// Entities with indexes that are missing or have a different text.
    private(set) var indexes: [IndexCreation] = []
    /// Tables that lost a constraint, with their columns.
    private(set) var tables: [(entity: EntityDescription, columns: Set<String>)] = []
    private(set) var external = ExternalTriggers()
    /// The seal of a sound schema that the store does not have.
    private(set) var newSeal: SchemaSeal?

    var isSound: Bool { triggers.isEmpty && overtaken.isEmpty && indexes.isEmpty && tables.isEmpty }

    private struct Item {
        let kind: String
        let table: String
        let sql: String
        let row: Int64
    }

    /// Creates an inspection.
    ///
    /// - Throws: ``StoreError/schemaChanged(path:reason:)`` if a table or a column is missing.
    init(_ opening: StoreOpening, on connection: borrowing Connection) throws {
        let seal = try SchemaSeal(connection)
        if let seal, try seal.isStored(on: connection) { return }
        var items: [String: Item] = [:]
        let rows = try connection.prepare(
            "SELECT name, type, tbl_name, sql, rowid FROM sqlite_schema WHERE sql NOT NULL")
        while try rows.step() {
            items[rows.text(0)] = Item(
                kind: rows.text(1), table: rows.text(2), sql: rows.text(3), row: rows.integer(4))
        }
        var ours: Set<String> = []
        for entity in opening.model.entities {
            guard let table = items[entity.name], table.kind == "table" else {
                throw StoreError.schemaChanged(path: opening.path, reason: "it has no table \(entity.name)")
            }
            if table.sql != StoreSchema.createTable(entity) {
                try inspect(entity, table.sql, opening, on: connection)
            }
            let missing = IndexCreation(entity) { items[$0.name]?.sql != $0.sql }
            if !missing.isEmpty { indexes.append(missing) }
            guard entity.tracksHistory else { continue }
            guard let expected = try HistoryTriggers(of: entity, on: connection) else {
                throw StoreError.schemaChanged(
                    path: opening.path, reason: "its history does not name \(entity.name)")
            }
            let all = expected.all
            ours.formUnion(all.map(\.name))
            if all.contains(where: { items[$0.name]?.sql != $0.sql }) {
                triggers.append(expected)
            } else {
                let (names, oldest) = (
                    Set(all.map(\.name)), all.filter(\.isAfter).compactMap { items[$0.name]?.row }.min()
                )
                let isOvertaken = items.contains { name, item in
                    item.kind == "trigger" && item.table.lowercased() == entity.name.lowercased()
                        && !names.contains(name) && item.row > oldest ?? 0
                }
                if isOvertaken { overtaken.append(expected) }
            }
        }
        for (name, item) in items where item.kind == "trigger" && !ours.contains(name) {
            external.add(name, on: item.table)
        }
        if isSound && external.isEmpty { newSeal = seal }
    }

    /// Inspects a table whose text differs from that in a new store: columns may have been added to it.
    private mutating func inspect(
        _ entity: EntityDescription, _ sql: String, _ opening: StoreOpening,
        on connection: borrowing Connection
    ) throws {
        if let missing = try opening.missingPart(of: entity, on: connection) {
            throw StoreError.schemaChanged(path: opening.path, reason: missing)
        }
        let isAsMade =
            sql.contains("(\(StoreSchema.idColumn),") && sql.contains(", \(StoreSchema.versionColumn)")
            && sql.hasSuffix("STRICT") && entity.attributes.allSatisfy { StoreSchema.hasColumn($0, in: sql) }
        guard !isAsMade else { return }
        let columns = Set(try connection.texts("SELECT name FROM pragma_table_info(?1)", entity.name))
            .subtracting(["id", "version"])
        let unknown = columns.subtracting(entity.attributes.map(\.name))
        guard unknown.isEmpty else {
            throw StoreError.schemaChanged(
                path: opening.path,
                reason:
                    "its table \(entity.name) has other constraints and the unknown columns "
                    + unknown.sorted().joined(separator: ", "))
        }
        tables.append((entity, columns))
    }
}

/// Restores the parts that a table rebuild by another program lost, inside the caller's transaction.
struct SchemaRepair {
    /// The error of a repair that must rebuild a table, which requires that foreign keys are off.
    struct NeedsRebuild: Error {}

    let inspection: SchemaInspection

    /// Runs the repair.
    ///
    /// - Returns: Whether there was anything to restore.
    /// - Throws: ``NeedsRebuild`` if a table must be rebuilt and may not.
    func run(on connection: borrowing Connection, mayRebuild: Bool) throws -> Bool {
        guard !inspection.isSound else { return false }
        guard mayRebuild || inspection.tables.isEmpty else { throw NeedsRebuild() }
        for triggers in inspection.triggers { try drop(triggers, on: connection) }
        for triggers in inspection.overtaken { try triggers.renew(on: connection) }
        try HistoryTriggers.raiseNumbers(over: inspection.triggers.map(\.entity), on: connection)
        for table in inspection.tables {
            try TableRebuild(entity: table.entity, columns: table.columns).run(on: connection)
            // A program that restored the triggers has lost the number nevertheless.
            try Self.raiseLastID(of: table.entity, on: connection)
        }
        for triggers in inspection.triggers {
            // Rebuilding the table restored the triggers that existed.
            try drop(triggers, on: connection)
            try triggers.create(on: connection)
            try Self.raiseLastID(of: triggers.entity, on: connection)
        }
        for indexes in inspection.indexes { try indexes.run(on: connection) }
        if !inspection.triggers.isEmpty { try StoreMetadata.expireTokens(on: connection) }
        return true
    }

    private func drop(_ triggers: HistoryTriggers, on connection: borrowing Connection) throws {
        for trigger in triggers.all {
            try connection.run("DROP TRIGGER IF EXISTS \(StoreSchema.quoted(trigger.name))")
        }
    }

    /// Restores the number of the last assigned ID, which is lost with the old table unless an object still
    /// has it.
    static func raiseLastID(of entity: EntityDescription, on connection: borrowing Connection) throws {
        let last = try connection.integer(
            """
            SELECT max(object) FROM history
            WHERE kind < 3 AND entity = (SELECT id FROM history_entity WHERE name = ?1)
            """, entity.name)
        guard let last, last <= StoreMetadata.farthest else { return }
        try connection.run(
            """
            INSERT INTO sqlite_sequence (name, seq) SELECT ?1, 0
            WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = ?1)
            """, entity.name)
        try connection.run(
            "UPDATE sqlite_sequence SET seq = max(seq, ?2) WHERE name = ?1", entity.name, last)
    }
}

extension StoreOpening {
    /// Rejects a schema that does not fit this program's model, on one snapshot.
    ///
    /// A store opened for reading only may have another model, if it includes all parts of this one.
    func checkSchema(_ connection: borrowing Connection) throws {
        if isAttached { return try checkAttached(connection) }
        if options.access == .readWrite { try checkModel(connection) }
        for entity in model.entities {
            guard let reason = try missingPart(of: entity, on: connection) else { continue }
            throw options.access == .readWrite
                ? StoreError.schemaChanged(path: path, reason: reason)
                : StoreError.unreadableModel(path: path, reason: reason)
        }
    }

    /// Rejects a store that another process has migrated since this one opened it.
    func checkModel(_ connection: borrowing Connection) throws {
        let format = try connection.integer("PRAGMA user_version") ?? 0
        guard format <= StoreSchema.format else { throw StoreError.newerStore(path: path) }
        guard try StoreMetadata.text(.model, on: connection) != StoreModelFingerprint(model).text else {
            return
        }
        let metadata = try StoreMetadata(connection)
        guard metadata.modelVersion == Int64(model.version),
            !StoreModelFingerprint.isOfNewerLibrary(metadata.model)
        else { throw StoreError.newerStore(path: path) }
        try checkSameVersion(metadata, connection)
        throw differentModel("its indexes, defaults, or history differ")
    }

    /// Returns the first part of an entity that its table lacks, as the end of a sentence.
    func missingPart(of entity: EntityDescription, on connection: borrowing Connection) throws -> String? {
        var kinds: [String: String] = [:]
        var key = ""
        let columns = try connection.prepare("SELECT name, type, pk FROM pragma_table_info(?1)")
        try columns.bind(entity.name, at: 1)
        while try columns.step() {
            kinds[columns.text(0)] = columns.text(1)
            if columns.integer(2) > 0 { key += columns.text(0) }
        }
        guard !kinds.isEmpty else { return "it has no \(entity.name)" }
        guard key == "id", kinds["id"] == "INTEGER" else {
            return "the ID of its \(entity.name) is not the primary key"
        }
        let names = [("version", "INTEGER")] + entity.attributes.map { ($0.name, $0.kind.sql) }
        for (name, kind) in names where kinds[name] != kind {
            return kinds[name] == nil
                ? "its \(entity.name) has no \(name)" : "its \(entity.name).\(name) is of another kind"
        }
        return nil
    }
}
