import Platform
import SQLite

#if canImport(Musl)
import Musl
#else
import Glibc
#endif

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
        guard let file = try? FileDescriptor("/proc/sys/kernel/random/boot_id", O_RDONLY),
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
