import SQLite
import TestSupport
import Testing

@testable import PersistentStore

/// Changes by other programs to a store whose schema is sealed as inspected.
@Suite struct SchemaSealTests {
    let folder: TemporaryFolder
    private var path: String { folder.path(of: "notes.db") }

    /// Creates a sealed store: the first save of the process that created it stores the seal.
    init() async throws {
        folder = try TemporaryFolder()
        try await save()
    }

    @Test(arguments: [
        "DROP TRIGGER Note_records_insert",
        """
        DROP TRIGGER Note_records_insert;
        CREATE TRIGGER Note_records_insert AFTER INSERT ON Note BEGIN SELECT 1; END
        """,
        """
        PRAGMA writable_schema = ON;
        UPDATE sqlite_schema SET sql = replace(sql, 'VALUES (0', 'VALUES (1') WHERE name = 'Note_records_insert'
        """,
        """
        DROP TRIGGER Note_records_insert; UPDATE store_metadata SET value = value + 1 WHERE key = 'schema_seal'
        """,
        "DROP TRIGGER Note_records_update; VACUUM",
    ])
    func `a changed trigger of a sealed store is repaired when it is opened`(change: String) async throws {
        let sealed = try ask(Self.seal)
        #expect(sealed != "")
        _ = try ask(change)
        let container = try await Notes.open(folder)
        #expect(try await container.check() == [])
        let before = try await container.transactions().count
        _ = try ask("INSERT INTO Note (title) VALUES ('b')")
        #expect(try await container.transactions().count == before + 1)
        await container.close()
    }

    @Test func `a changed table of a sealed store is an error`() async throws {
        _ = try ask("ALTER TABLE Note RENAME COLUMN body TO text")
        await #expect(throws: StoreError.schemaChanged(path: path, reason: "its Note has no body")) {
            try await Notes.open(folder)
        }
    }

    @Test func `the seal lasts until the schema changes, and no other trigger is sealed`() async throws {
        let sealed = try ask(Self.seal)
        #expect(sealed != "")
        _ = try ask("VACUUM")
        try await save()
        #expect(try ask(Self.seal) == sealed)
        _ = try ask("CREATE TRIGGER other AFTER INSERT ON Note BEGIN SELECT 1; END")
        try await save()
        #expect(try ask(Self.seal) == sealed)
        _ = try ask("DROP TRIGGER other; CREATE TABLE other (id)")
        try await save()
        #expect(try ask(Self.seal) != sealed)
        _ = try ask("DROP TABLE other")
        try await save()
        #expect(try ask(Self.seal) == sealed)
    }

    @Test(arguments: [
        "UPDATE history_attribute SET bit = bit + 9", "UPDATE history_entity SET id = id + 1",
        "UPDATE store_metadata SET value = value || ' ' WHERE key = 'model'", "CREATE VIEW other AS SELECT 1",
    ])
    func `each part that an inspection compares changes the seal`(change: String) throws {
        let connection = try Connection(path: path, access: .readWrite)
        let sealed = try #require(try SchemaSeal(connection))
        #expect(try sealed.isStored(on: connection))
        try connection.execute(change)
        #expect(try SchemaSeal(connection) != sealed)
    }

    /// Only a program of this machine can compute a seal.
    @Test func `the inspection of a sealed schema compares no texts`() throws {
        let connection = try Connection(path: path, access: .readWrite)
        try connection.execute("DROP TRIGGER Note_records_insert")
        let opening = StoreOpening(path: path, model: try Notes.model(), options: StoreOptions())
        #expect(try !SchemaInspection(opening, on: connection).isSound)
        try SchemaSeal(connection)?.store(on: connection)
        #expect(try SchemaInspection(opening, on: connection).isSound)
    }

    private static let seal = "SELECT value FROM store_metadata WHERE key = 'schema_seal'"

    private func save() async throws {
        let container = try await Notes.open(folder)
        _ = try await container.makeContext(author: "app").save(inserting: ["title": "a"])
        await container.close()
    }

    private func ask(_ sql: String) throws -> String {
        let run = try Shell.run("sqlite3", [path], input: sql + ";\n")
        #expect(run.errors == "")
        return run.output
    }
}
