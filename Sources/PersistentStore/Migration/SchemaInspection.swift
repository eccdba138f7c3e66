import Platform
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
        let columns = try connection.prepare(
            "SELECT name, type, pk FROM pragma_table_info(?1)", [entity.name])
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

/// The proof that a writing connection's triggers record the saved changes, and that the tables store them.
///
/// If another program rebuilds a table, its triggers are deleted with the old one: see the 12 steps of
/// sqlite.org/lang_altertable.html#otheralter. So each write transaction compares `PRAGMA schema_version`,
/// which costs one read of a page in memory, and inspects the schema again if it has changed. Confined to its
/// connection.
final class SchemaGuard {
    private let opening: StoreOpening
    private var verified: Int64?
    private var unadopted: Int64?
    private var newSeal: SchemaSeal?
    /// Triggers of other programs, as of the last inspection.
    private(set) var external = ExternalTriggers()

    init(_ opening: StoreOpening) { self.opening = opening }

    /// Inspects the schema if it has changed since the last verification, and restores the parts that a table
    /// rebuild lost. Runs inside a transaction that has the write lock.
    ///
    /// - Parameter mayRebuild: Whether foreign keys are off, so that a table can be rebuilt.
    /// - Returns: Whether a repair was made, which must be committed.
    /// - Throws: ``StoreError/newerStore(path:)`` if another process migrated the store;
    ///   ``StoreError/schemaChanged(path:reason:)`` if a missing part cannot be restored;
    ///   ``SchemaRepair/NeedsRebuild`` if a table must be rebuilt and may not.
    func verify(_ connection: borrowing Connection, mayRebuild: Bool = false) throws -> Bool {
        // The version of a transaction that was rolled back.
        unadopted = nil
        let version = try Self.version(connection)
        guard version != verified else {
            try newSeal?.store(on: connection)
            return false
        }
        if opening.isAttached {
            let hasChanged = try opening.verifyAttached(connection)
            if hasChanged { unadopted = try Self.version(connection) } else { verified = version }
            return hasChanged
        }
        try opening.checkModel(connection)
        let inspection = try inspect(connection)
        try newSeal?.store(on: connection)
        let repair = SchemaRepair(inspection: inspection)
        let hasRepaired = try repair.run(on: connection, mayRebuild: mayRebuild)
        if hasRepaired {
            unadopted = try Self.version(connection)
        } else {
            verified = version
        }
        return hasRepaired
    }

    /// Accepts the repaired schema and the seal after their transaction has committed.
    func adopt() {
        if let unadopted { verified = unadopted }
        (unadopted, newSeal) = (nil, nil)
    }

    /// Whether the schema matches the model, on one snapshot.
    func isSound(_ connection: borrowing Connection) throws -> Bool {
        let inspection = try inspect(connection)
        guard inspection.isSound else { return false }
        verified = try Self.version(connection)
        return true
    }

    private func inspect(_ connection: borrowing Connection) throws -> SchemaInspection {
        let inspection = try SchemaInspection(opening, on: connection)
        (external, newSeal) = (inspection.external, inspection.newSeal)
        return inspection
    }

    /// Returns a number that changes with the schema (sqlite.org/pragma.html#pragma_schema_version).
    private static func version(_ connection: borrowing Connection) throws -> Int64 {
        try connection.integer("PRAGMA schema_version") ?? 0
    }
}

/// The triggers in a store that this library did not create, by table.
struct ExternalTriggers: Sendable {
    private var names: [String: [String]] = [:]

    var isEmpty: Bool { names.isEmpty }

    func includes(_ table: String) -> Bool { names[table.lowercased()] != nil }

    mutating func add(_ name: String, on table: String) {
        names[table.lowercased(), default: []].append(name)
    }

    /// Returns the error of a statement that stored nothing in a table although it succeeded.
    func notStored(_ table: String) -> StoreError {
        guard let names = names[table.lowercased()] else {
            return .changeDiscarded(
                table: table,
                cause: isEmpty
                    ? "a constraint of the table that ignores rows (ON CONFLICT IGNORE)"
                    : "a trigger on another table (\(list(names.values.flatMap(\.self))))")
        }
        return .changeDiscarded(
            table: table, cause: "the trigger\(names.count == 1 ? "" : "s") \(list(names)) on the table")
    }

    private func list(_ names: [String]) -> String {
        names.sorted().map { "'\($0)'" }.joined(separator: ", ")
    }
}

/// A hash of the parts of a store that an inspection compares with the model. A store has the seal of its last
/// inspected schema, so that the next process does not create all texts to compare them.
///
/// The seal covers the texts themselves: `PRAGMA schema_version` misses edits of `sqlite_schema`. It is keyed with
/// the ID of the machine's boot, which the author of a malicious store cannot know.
struct SchemaSeal: Equatable {
    private(set) var value: Int64

    /// Creates the seal of the present schema; nil on a machine whose boot has no ID.
    init?(_ connection: borrowing Connection) throws(SQLiteError) {
        guard let file = try? FileDescriptor("/proc/sys/kernel/random/boot_id"),
            let key = try? file.read(limit: 64)
        else { return nil }
        let start = key.withUnsafeBytes { Self.combined(0, $0) }
        // A sum, since VACUUM changes the order of the rows.
        var sum: UInt64 = 0
        let rows = try connection.prepare(
            """
            SELECT name, tbl_name, sql FROM sqlite_schema UNION ALL SELECT id, name, 0 FROM history_entity
            UNION ALL SELECT entity, bit, name FROM history_attribute
            UNION ALL SELECT 0, 0, value FROM store_metadata WHERE key = 'model'
            """)
        while try rows.step() {
            var hash = start
            for column in 0..<3 { hash = rows.withTextBytes(column) { Self.combined(hash, $0) } }
            sum &+= hash
        }
        value = Int64(sum >> 4)
    }

    /// Whether the store has this seal.
    func isStored(on connection: borrowing Connection) throws(SQLiteError) -> Bool {
        try StoreMetadata.integer(.schemaSeal, on: connection) == value
    }

    func store(on connection: borrowing Connection) throws(SQLiteError) {
        try StoreMetadata.set(.schemaSeal, .integer(value), on: connection)
    }

    private static func combined(_ hash: UInt64, _ bytes: UnsafeRawBufferPointer) -> UInt64 {
        func mixed(_ hash: UInt64, _ word: UInt64) -> UInt64 {
            let product = (hash ^ word) &* 0x9E37_79B9_7F4A_7C15
            return product ^ product >> 32
        }
        var hash = mixed(hash, UInt64(bytes.count))
        var offset = 0
        while offset + 8 <= bytes.count {
            hash = mixed(hash, bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
            offset += 8
        }
        for byte in bytes[offset...] { hash = mixed(hash, UInt64(byte)) }
        return hash
    }
}
