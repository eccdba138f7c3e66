import SQLite

/// The proof that a writing connection's triggers record and store what it saves.
///
/// Another program may rebuild a table, and its triggers are deleted with the old one: the 12 steps of
/// sqlite.org/lang_altertable.html#otheralter. So each write transaction compares `PRAGMA schema_version`, which is one
/// read of a page that is in memory, and inspects the schema again when it has changed. Confined to its connection.
final class SchemaGuard {
    private let opening: StoreOpening
    private var verified: Int64?
    private var unadopted: Int64?
    /// Triggers that are not ours, as of the last inspection.
    private(set) var external = ExternalTriggers()

    init(_ opening: StoreOpening) { self.opening = opening }

    /// Inspects the schema if it is not the one that was verified before, and restores what a table rebuild lost.
    /// Runs inside a transaction that has the write lock.
    ///
    /// - Parameter mayRebuild: Whether foreign keys are off, so that a table can be moved.
    /// - Returns: Whether something was repaired, and must be committed.
    /// - Throws: ``StoreError/newerStore(path:)`` when another process migrated the store;
    ///   ``StoreError/schemaChanged(path:reason:)`` when something is missing that cannot be restored.
    func verify(_ connection: borrowing Connection, mayRebuild: Bool = false) throws -> Bool {
        // Of a transaction that was rolled back.
        unadopted = nil
        let version = try Self.version(connection)
        guard version != verified else { return false }
        try opening.checkModel(connection)
        let inspection = try inspect(connection)
        let repair = SchemaRepair(inspection: inspection, path: opening.path)
        let hasRepaired = try repair.run(on: connection, mayRebuild: mayRebuild)
        if hasRepaired {
            unadopted = try Self.version(connection)
        } else {
            verified = version
        }
        return hasRepaired
    }

    /// What was repaired is in the store: its transaction has committed.
    func adopt() {
        if let unadopted { verified = unadopted }
        unadopted = nil
    }

    /// Whether the schema is as the model requires, on one snapshot.
    func isSound(_ connection: borrowing Connection) throws -> Bool {
        let inspection = try inspect(connection)
        guard inspection.isSound else { return false }
        verified = try Self.version(connection)
        return true
    }

    private func inspect(_ connection: borrowing Connection) throws -> SchemaInspection {
        let inspection = try SchemaInspection(opening, on: connection)
        external = inspection.external
        return inspection
    }

    /// Changes with every change of the schema (sqlite.org/pragma.html#pragma_schema_version).
    private static func version(_ connection: borrowing Connection) throws -> Int64 {
        try connection.integer("PRAGMA schema_version") ?? 0
    }
}

/// The triggers in a store that this library did not make, by table.
struct ExternalTriggers: Sendable {
    private var names: [String: [String]] = [:]

    var isEmpty: Bool { names.isEmpty }

    mutating func add(_ name: String, on table: String) {
        names[table.lowercased(), default: []].append(name)
    }

    /// The error of a statement on a table that stored nothing, though it did not fail.
    func notStored(_ table: String) -> StoreError {
        guard let names = names[table.lowercased()] else {
            return .notStored(
                table: table,
                cause: isEmpty
                    ? "a constraint of the table that ignores rows (ON CONFLICT IGNORE)"
                    : "a trigger on another table (\(list(names.values.flatMap(\.self))))")
        }
        return .notStored(
            table: table, cause: "the trigger\(names.count == 1 ? "" : "s") \(list(names)) on the table")
    }

    private func list(_ names: [String]) -> String {
        names.sorted().map { "'\($0)'" }.joined(separator: ", ")
    }
}
