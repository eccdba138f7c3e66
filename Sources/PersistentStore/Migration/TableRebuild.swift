import SQLite

/// Rebuilds an entity's table and moves its objects, for differences that ALTER TABLE cannot make: another
/// kind, default, or optionality (sqlite.org/lang_altertable.html#otheralter). Costs a copy of the table.
///
/// IDs, versions, and the number of the last assigned ID are unchanged, and nothing is recorded in the
/// history, except by a migration in code: the recording triggers are dropped before. A value moves if it
/// fits: text that is a number becomes one, and a missing value becomes the default of an attribute that now
/// requires one.
struct TableRebuild {
    let entity: EntityDescription
    /// The current columns of the table.
    let columns: Set<String>
    /// The steps in code that change the objects.
    var migration: ObjectMigration?

    private var draft: String { "store_rebuilt_\(entity.name)" }

    func run(on connection: borrowing Connection) throws {
        let others = try belongings(on: connection)
        let lastID = try connection.integer("SELECT seq FROM sqlite_sequence WHERE name = ?1", entity.name)
        try connection.execute(
            StoreSchema.createTable(EntityDescription(draft, attributes: entity.attributes)))
        try copy(on: connection)
        try connection.execute("DROP TABLE \"\(entity.name)\"")
        try rename(on: connection)
        try connection.run("DELETE FROM sqlite_sequence WHERE name = ?1", entity.name)
        try connection.run(
            "INSERT INTO sqlite_sequence (name, seq) VALUES (?1, ?2)", entity.name, lastID ?? 0)
        for other in others { try restore(other, on: connection) }
    }

    private func copy(on connection: borrowing Connection) throws {
        do {
            if let migration {
                try migration.run(from: columns, to: draft, on: connection)
            } else {
                try copyUnchanged(on: connection)
            }
        } catch let error as SQLiteError {
            guard error.primary == .constraint else { throw error }
            throw StoreError.invalidModel(sentence(error))
        }
    }

    private func copyUnchanged(on connection: borrowing Connection) throws {
        let common = entity.attributes.filter { columns.contains($0.name) }
        let names = ["id", "version"] + common.map { "\"\($0.name)\"" }
        let values = ["id", "version"] + common.map(value)
        try connection.execute(
            """
            INSERT INTO "\(draft)" (\(names.joined(separator: ", "))) \
            SELECT \(values.joined(separator: ", ")) FROM "\(entity.name)"
            """)
    }

    private func value(_ attribute: AttributeDescription) -> String {
        guard !attribute.isOptional, let given = StoreSchema.defaultExpression(attribute) else {
            return "\"\(attribute.name)\""
        }
        return "ifnull(\"\(attribute.name)\", \(given))"
    }

    /// Returns the reason of a failure. SQLite ends its message with the table and the column, without the
    /// value.
    private func sentence(_ error: SQLiteError) -> String {
        let name = error.message.split(separator: ".").last.map(String.init) ?? ""
        let reason =
            switch error.constraint {
            case .notNull: "needs a value, and the store has objects without one; give it a default"
            case .kind: "is of kind \(kind(name)), and the store has values that are not"
            case .unique, nil: "cannot hold what the store has"
            }
        return "\(entity.name).\(name) \(reason)"
    }

    private func kind(_ name: String) -> String {
        entity.attribute(name)?.kind.sql.lowercased() ?? "another"
    }

    /// Returns the indexes and triggers that other programs created on the table, to recreate them. SQLite
    /// stores the table's name of a trigger as its author wrote it.
    private func belongings(on connection: borrowing Connection) throws -> [(name: String, sql: String)] {
        var found: [(name: String, sql: String)] = []
        let statement = try connection.prepare(
            """
            SELECT name, sql FROM sqlite_schema
            WHERE tbl_name = ?1 COLLATE NOCASE AND type IN ('index', 'trigger') AND sql NOT NULL
            """, [entity.name])
        while try statement.step() { found.append((statement.text(0), statement.text(1))) }
        return found
    }

    private func restore(_ other: (name: String, sql: String), on connection: borrowing Connection)
        throws(StoreError)
    {
        do {
            // One statement: further statements in an attacker's file are not run.
            try connection.run(other.sql)
        } catch {
            throw .invalidModel(
                "'\(other.name)', which another program created on the table \(entity.name), "
                    + "needs a part that the model no longer has; drop it first")
        }
    }

    /// Renames the new table. The legacy mode does not change other references to the table: views and
    /// foreign keys.
    private func rename(on connection: borrowing Connection) throws {
        try connection.execute("PRAGMA legacy_alter_table = ON")
        defer { try? connection.execute("PRAGMA legacy_alter_table = OFF") }
        try connection.execute("ALTER TABLE \"\(draft)\" RENAME TO \"\(entity.name)\"")
    }
}
