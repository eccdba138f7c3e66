import Foundation
import PersistentStore
import SQLite
import TestSupport
import Testing

/// Store files made by an attacker: they may be refused, and do no harm.
@Suite(.serialized) struct HostileStoreTests {
    let folder: TemporaryFolder
    let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path(of: "notes.db")
    }

    private func makeStore(and sql: String) async throws {
        let container = try await Notes.open(folder)
        _ = try await container.makeContext(author: "a").save(inserting: ["title": "a"])
        await container.close()
        #expect(try Shell.run("sqlite3", [path], input: sql).errors == "")
    }

    @Test(arguments: ["SELECT load_extension('evil')", "SELECT rtreedepth(x'0001000000')"])
    func `a trigger that calls a harmful function stops the save with an error, and reads continue`(
        evil: String
    ) async throws {
        try await makeStore(and: "CREATE TRIGGER evil AFTER INSERT ON Note BEGIN \(evil); END;")
        let container = try await Notes.open(folder)
        #expect(try await container.objects().map { $0["title"] } == ["a"])
        let context = container.makeContext(author: "a")
        let error = await #expect(throws: StoreError.self) {
            try await context.save(inserting: ["title": "b"])
        }
        guard case .other(path, let reason) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        // Refused because of its position in the schema, not because it happens to fail.
        #expect(reason.contains("unsafe use of"), "\(reason)")
        #expect(try await container.objects().count == 1)
    }

    @Test func `an additional view is harmless, and one with an object's name is an error`() async throws {
        try await makeStore(and: "CREATE VIEW more AS SELECT load_extension('evil'), title FROM Note;")
        let container = try await Notes.open(folder)
        _ = try await container.makeContext(author: "a").save(inserting: ["title": "b"])
        #expect(try await container.objects().count == 2)
        await container.close()
        #expect(
            try Shell.run(
                "sqlite3",
                [
                    path,
                    """
                    ALTER TABLE Note RENAME TO Hidden;
                    CREATE VIEW Note AS SELECT *, load_extension('evil') AS x FROM Hidden;
                    """,
                ]
            ).errors == "")
        await #expect(
            throws: StoreError.damaged(
                path: path, reason: "a table of the history is a view or another object")
        ) { try await Notes.open(folder) }
    }

    @Test func `SQL cannot open another file`() async throws {
        let other = folder.path(of: "other.db")
        let connection = try Connection(path: path, access: .create)
        #expect(throws: SQLiteError.self) { try connection.execute("ATTACH '\(other)' AS other") }
        #expect(!FileManager.default.fileExists(atPath: other))
    }

    @Test func `a number that was never given is refused, and a gap in the numbers costs no time`()
        async throws
    {
        let newest = "WHERE number = (SELECT max(number) FROM history)"
        try await makeStore(and: "UPDATE history SET number = \(1 << 59 as Int64) \(newest);")
        var container = try await Notes.open(folder)
        let all = HistoryDeleteRequest(.beforeDate(.distantFuture))
        #expect(try await container.deleteHistory(all).transactions > 0)
        await container.close()
        #expect(
            try Shell.run("sqlite3", [path, "UPDATE history SET number = \(Int64.max) \(newest)"]).errors
                == "")
        await #expect(
            throws: StoreError.damaged(
                path: path, reason: "its history has a number that is out of range")
        ) { container = try await Notes.open(folder) }
    }

    @Test(arguments: [
        "", "CREATE TABLE store_metadata (key, value);",
        """
        CREATE TABLE store_metadata (key, value); CREATE VIEW history AS SELECT 1; CREATE TABLE history_origin (x);
        CREATE TABLE history_entity (x); CREATE TABLE history_attribute (x); CREATE TABLE history_consumer (x);
        """,
        """
        CREATE TABLE store_metadata (key, value); CREATE TABLE history (x); CREATE TABLE history_origin (x);
        CREATE TABLE history_entity (x); CREATE TABLE history_attribute (x); CREATE TABLE history_consumer (x);
        """,
    ])
    func `the library's application ID on missing or foreign tables is an error, not a crash`(tables: String)
        async throws
    {
        #expect(
            try Shell.run("sqlite3", [path], input: "PRAGMA application_id = 0x50537472; VACUUM;" + tables)
                .status == 0)
        for access in [StoreOptions.Access.readWrite, .readOnly] {
            var options = StoreOptions()
            options.access = access
            let error = await #expect(throws: StoreError.self) {
                try await Notes.open(folder, options: options)
            }
            guard case .damaged(path, _) = error else {
                Issue.record("\(String(describing: error))")
                return
            }
        }
    }

    @Test(arguments: [
        "DELETE FROM store_metadata", "UPDATE store_metadata SET value = 'no uuid' WHERE key = 'store_id'",
        "UPDATE store_metadata SET value = 9223372036854775807", "DROP TABLE Note",
        "UPDATE history_attribute SET bit = 9223372036854775807 WHERE bit = 0",
        "UPDATE history_attribute SET bit = -1 - bit",
        "UPDATE history SET kind = 77", "UPDATE history SET entity = -1, object = NULL WHERE kind = 0",
        "UPDATE history SET number = 9223372036854775807 WHERE number = (SELECT max(number) FROM history)",
        "UPDATE history SET at = -9223372036854775808, began = 9223372036854775807",
        "UPDATE store_metadata SET value = 'x' WHERE key = 'model'",
        "DELETE FROM history_entity", "DELETE FROM history",
        "INSERT INTO history_entity (name) VALUES ('a\"; DROP TABLE Note; --')",
        "UPDATE sqlite_sequence SET seq = 9223372036854775807",
    ])
    func `invalid data in the library's own tables is at most an error`(sql: String) async throws {
        try await makeStore(and: sql + ";")
        for model in [
            try Notes.model(),
            try Notes.model(version: 2, more: [AttributeDescription("n", .text, isOptional: true)]),
        ] {
            do {
                let container = try await Notes.open(folder, model: model)
                _ = try? await container.objects()
                _ = try? await container.transactions()
                _ = try? await container.makeContext(author: "a").save(inserting: ["title": "b"])
                _ = try? await container.transactions()
                await container.close()
            } catch {
                #expect(error is StoreError)
            }
        }
        let size = try Shell.run("sqlite3", [path, "SELECT count(*) FROM sqlite_schema WHERE name = 'Note'"])
            .output
        #expect(size == (sql == "DROP TABLE Note" ? "0\n" : "1\n"))
    }
}
