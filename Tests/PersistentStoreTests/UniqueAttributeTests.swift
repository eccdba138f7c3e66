import FoundationEssentials
import PersistentStore
import TestSupport
import Testing

/// Attributes whose values must differ.
@Suite struct UniqueAttributeTests {
    private let folder: TemporaryFolder
    private var path: String { folder.path(of: "notes.db") }

    init() throws { folder = try TemporaryFolder() }

    private func ask(_ sql: String) throws -> String { try Shell.run("sqlite3", [path], input: sql).output }

    private static let uuid = AttributeDescription("uuid", .text, defaultValue: .uuid)
    private static let uniqueUUID = AttributeDescription(
        "uuid", .text, defaultValue: .uuid, isUnique: true, history: [.preservesValueOnDeletion])

    private func uuids() throws -> [Substring] {
        try ask("SELECT uuid FROM Note ORDER BY id").split(separator: "\n")
    }

    @Test
    func `when UUIDs become unique, the later objects that share one get a new one, and it is recorded`()
        async throws
    {
        let old = try await Notes.open(folder, model: Notes.model(more: [Self.uuid]))
        _ = try ask(
            """
            INSERT INTO Note (title, uuid) VALUES ('a', 'x'), ('b', 'y'), ('c', 'x'), ('d', ''), ('e', 'x'), ('f', '');
            """)
        let token = try await old.currentToken()
        await old.close()

        let new = try await Notes.open(folder, model: Notes.model(version: 2, more: [Self.uniqueUUID]))
        let uuids = try uuids()
        #expect(uuids[0] == "x" && uuids[1] == "y" && Set(uuids).count == 5)
        #expect(try ask("SELECT count(DISTINCT uuid) FROM Note") == "6\n")
        let changes = try await new.transactions(HistoryFetchRequest(.after(token))).flatMap(\.changes)
        #expect(changes.map(\.objectID.key) == [3, 5, 6])
        #expect(changes.allSatisfy { $0.updatedAttributes == ["uuid"] })
        #expect(try ask("SELECT version FROM Note WHERE id = 3") == "2\n")
        #expect(try ask("PRAGMA integrity_check") == "ok\n")
        #expect(try ask("SELECT count(*) FROM sqlite_schema WHERE name LIKE 'store_shared%'") == "0\n")
        // Opening again changes nothing.
        await new.close()
        await (try Notes.open(folder, model: Notes.model(version: 2, more: [Self.uniqueUUID]))).close()
        #expect(try self.uuids() == uuids)
    }

    @Test func `an external writer that saves a value twice gets SQLite's error, and can replace`()
        async throws
    {
        let store = try await Notes.open(folder, model: Notes.model(more: [Self.uniqueUUID]))
        _ = try ask("INSERT INTO Note (title, uuid) VALUES ('a', 'x')")
        let second = try Shell.run(
            "sqlite3", [path], input: "INSERT INTO Note (title, uuid) VALUES ('b', 'x')")
        #expect(second.errors.contains("UNIQUE constraint failed: Note.uuid"))
        _ = try ask("INSERT OR REPLACE INTO Note (title, uuid) VALUES ('c', 'x')")
        let kinds = try await store.transactions().flatMap(\.changes).map(\.kind)
        #expect(kinds == [.insert, .delete, .insert])
        #expect(try ask("SELECT title FROM Note") == "c\n")
    }

    @Test func `a store whose unique index another program dropped opens, with new UUIDs for shared ones`()
        async throws
    {
        let model = try Notes.model(more: [Self.uniqueUUID])
        await (try Notes.open(folder, model: model)).close()
        _ = try ask(
            "DROP INDEX Note_by_uuid; INSERT INTO Note (uuid) VALUES ('x'), ('x');")
        let store = try await Notes.open(folder, model: model)
        #expect(try uuids().first == "x" && Set(uuids()).count == 2)
        // The same while the store is open, at the next save.
        _ = try ask("DROP INDEX Note_by_uuid; INSERT INTO Note (uuid) VALUES ('x');")
        _ = try await store.makeContext(author: "a").save(inserting: ["title": "b"])
        #expect(try Set(uuids()).count == 4)
        let last = try await store.transactions().suffix(2)
        #expect(last.map { $0.changes.map(\.kind) } == [[.update], [.insert]])
    }

    @Test func `objects that share one UUID delay opening in proportion to their number`() async throws {
        let count = 20_000
        _ = StatementSteps.count("")
        await (try Notes.open(folder, model: Notes.model(more: [Self.uuid]))).close()
        _ = try ask(
            """
            WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count))
            INSERT INTO Note (title, uuid) SELECT 't', '' FROM n;
            """)
        let before = StatementSteps.count(path)
        await (try Notes.open(folder, model: Notes.model(version: 2, more: [Self.uniqueUUID]))).close()
        // Finding the first object of the same UUID for each takes thousands of steps for each.
        let steps = StatementSteps.count(path) - before
        #expect(steps > count && steps < 1000 * count, "\(steps)")
        #expect(try ask("SELECT count(DISTINCT uuid) FROM Note") == "\(count)\n")
    }
}
