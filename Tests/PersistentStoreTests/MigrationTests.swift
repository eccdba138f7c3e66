import Foundation
import Glibc
import PersistentStore
import TestSupport
import Testing

/// Migrations of a store to a changed model.
@Suite(.serialized) struct MigrationTests {
    let folder: TemporaryFolder
    let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path(of: "notes.db")
    }

    private func ask(_ sql: String) throws -> String {
        let answer = try Shell.run("sqlite3", [path, sql])
        #expect(answer.errors == "")
        return answer.output
    }

    /// Creates a store with one more attribute, and objects with these values for it.
    private func make(_ attribute: AttributeDescription, _ values: [AttributeValue]) async throws {
        let container = try await Notes.open(folder, model: Notes.model(more: [attribute]))
        for value in values {
            let context = container.makeContext(author: "a")
            _ = try await context.save(inserting: value.isNull ? [:] : [attribute.name: value])
        }
        await container.close()
    }

    private func values(_ name: String, after attribute: AttributeDescription) async throws
        -> [AttributeValue?]
    {
        let container = try await Notes.open(folder, model: Notes.model(version: 2, more: [attribute]))
        let objects = try await container.objects().sorted { $0.id.key < $1.id.key }
        await container.close()
        return objects.map { $0[name] }
    }

    @Test func `kind, default, optionality, and uniqueness change if the data fits`() async throws {
        try await make(AttributeDescription("count", .integer, isOptional: true), [7, .null, -1])
        #expect(
            try await values("count", after: AttributeDescription("count", .text, isOptional: true))
                == ["7", .null, "-1"])
        let cases: [(AttributeDescription, [AttributeValue?])] = [
            (AttributeDescription("count", .integer, defaultValue: .value(5)), [7, 5, -1]),
            (AttributeDescription("count", .integer, defaultValue: .value(6), isUnique: true), [7, 5, -1]),
            (
                AttributeDescription("count", .real, isOptional: true, ignoresCase: true),
                [.real(7), .real(5), .real(-1)]
            ),
            (AttributeDescription("count", .integer, isOptional: true, isIndexed: true), [7, 5, -1]),
        ]
        var version = 2
        for (attribute, expected) in cases {
            version += 1
            let container = try await Notes.open(
                folder, model: Notes.model(version: version, more: [attribute]))
            let objects = try await container.objects().sorted { $0.id.key < $1.id.key }
            #expect(objects.map { $0["count"] } == expected)
            await container.close()
        }
        #expect(try ask("PRAGMA integrity_check") == "ok\n")
    }

    @Test func `data that does not fit is an error with entity and attribute, and changes nothing`()
        async throws
    {
        try await make(AttributeDescription("count", .text, isOptional: true), ["7", "7", "many", .null])
        let before = try ask(".dump")
        let cases = [
            (AttributeDescription("count", .integer, isOptional: true), "Note.count is of kind integer"),
            (AttributeDescription("count", .text), "Note.count needs a value"),
            (
                AttributeDescription("count", .text, isOptional: true, isUnique: true),
                "Note.count must differ"
            ),
            (AttributeDescription("must", .text), "Note.must needs a value"),
            (
                AttributeDescription("one", .text, defaultValue: .value("x"), isUnique: true),
                "Note.one must differ"
            ),
        ]
        for (attribute, sentence) in cases {
            let model = try Notes.model(version: 2, more: [attribute])
            let error = await #expect(throws: StoreError.self) { try await Notes.open(folder, model: model) }
            guard case .invalidModel(let reason) = error else {
                Issue.record("\(String(describing: error))")
                continue
            }
            #expect(reason.hasPrefix(sentence), "\(reason)")
            #expect(!reason.contains("many"))
            #expect(try ask(".dump") == before)
        }
    }

    @Test func `a rebuilt table retains IDs, versions, and the last ID, and records no history`()
        async throws
    {
        let old = AttributeDescription("code", .text, isOptional: true, isUnique: true)
        var container = try await Notes.open(folder, model: Notes.model(more: [old]))
        var context = container.makeContext(author: "a")
        let id = try await context.save(inserting: ["title": "a", "code": "x"])
        try await context.update(id, ["title": "b"])
        try await context.save()
        let last = try await context.save(inserting: ["code": "y"])
        try await context.delete(last)
        try await context.save()
        let before = try await container.transactions()
        let token = try await container.currentToken()
        await container.close()

        // ALTER TABLE cannot add an attribute whose default is an expression.
        let new = AttributeDescription("saved", .integer, defaultValue: .now)
        container = try await Notes.open(folder, model: Notes.model(version: 2, more: [new]))
        #expect(try await container.transactions() == before)
        #expect(try await container.currentToken() == token)
        let retained = try #require(try await container.objects().first)
        #expect(
            retained.id == id && retained.version == 2 && retained["title"] == "b"
                && retained["code"] == .null)
        context = container.makeContext(author: "a")
        #expect(try await context.save(inserting: ["title": "c"]).key == last.key + 1)
        #expect(try await container.transactions().count == before.count + 1)
        #expect(try ask("SELECT count(*) FROM sqlite_schema WHERE name LIKE '%rebuilt%'") == "0\n")
    }

    @Test func `each object gets its own value of an attribute that must be unique`() async throws {
        try await make(AttributeDescription("extra", .integer, isOptional: true), [1, 2, 3])
        let uuid = AttributeDescription("uuid", .text, defaultValue: .uuid, isUnique: true)
        let given = try await values("uuid", after: uuid).compactMap { $0?.textValue }
        #expect(Set(given).count == 3)
        #expect(given.allSatisfy { UUID(uuidString: $0) != nil })
        // The values are stable.
        #expect(try await values("uuid", after: uuid).compactMap { $0?.textValue } == given)
    }

    @Test func `objects that another program added to a table and references to it survive its rebuild`()
        async throws
    {
        try await make(AttributeDescription("code", .text, isOptional: true, isUnique: true), ["x", "y"])
        _ = try ask(
            """
            CREATE TABLE remark (note INTEGER REFERENCES Note (id) ON DELETE CASCADE, text);
            INSERT INTO remark VALUES (1, 'keep');
            CREATE VIEW titles AS SELECT title FROM Note;
            CREATE INDEX mine ON Note (body);
            CREATE TRIGGER counts AFTER INSERT ON Note BEGIN INSERT INTO remark VALUES (new.id, 'new'); END;
            """)
        let container = try await Notes.open(folder, model: Notes.model(version: 2))
        #expect(try ask("SELECT * FROM remark") == "1|keep\n")
        _ = try await container.makeContext(author: "a").save(inserting: ["title": "z"])
        #expect(try ask("SELECT * FROM remark ORDER BY note") == "1|keep\n3|new\n")
        #expect(try ask("SELECT count(*) FROM titles") == "3\n")
        #expect(try ask("SELECT tbl_name FROM sqlite_schema WHERE name = 'mine'") == "Note\n")
        #expect(
            try ask("PRAGMA foreign_keys = ON; DELETE FROM Note WHERE id = 1; SELECT count(*) FROM remark")
                == "1\n")
        await container.close()

        _ = try ask("CREATE INDEX ours ON Note (rank)")
        let model = try StoreModel(
            version: 3,
            entities: [
                EntityDescription(
                    "Note", attributes: [AttributeDescription("title", .text, isOptional: true)])
            ])
        let error = await #expect(throws: StoreError.self) { try await Notes.open(folder, model: model) }
        #expect(error?.description.contains("another program created on the table Note") == true)
        #expect(try ask("SELECT count(*) FROM Note") == "2\n")
    }

    @Test func `eight processes migrate one store simultaneously, and none loses a commit`() async throws {
        for round in 2...4 {
            await (try Notes.open(folder, model: Notes.model(version: round - 1))).close()
            let processes = try (0..<8).map { index in
                try LineProcess(StoreWriterProcess.path, [path, "writer \(index)", "normal", "\(round)"])
            }
            for process in processes { #expect(try process.answer() == "ready") }
            for process in processes { process.send("insert 1") }
            for process in processes { #expect(Int(try process.answer()) != nil) }
            for process in processes { #expect(try process.ask("quit") == "closed") }
            let container = try await Notes.open(folder, model: Notes.model(version: round))
            #expect(try await container.transactions().count == 8 * (round - 1))
            await container.close()
        }
        #expect(try ask("SELECT count(*) FROM sqlite_schema WHERE type = 'trigger'") == "13\n")
    }

    /// Format 1 had two columns by which rows of external writers claimed to continue each other.
    @Test func `a store of format 1 gets the new triggers, and its tokens stay valid`() async throws {
        let container = try await Notes.open(folder)
        _ = try await container.makeContext(author: "app").save(inserting: ["title": "a"])
        let token = try await container.currentToken()
        await container.close()
        _ = try ask(
            """
            INSERT INTO Note (title) VALUES ('b'); INSERT INTO Note (title) VALUES ('c');
            ALTER TABLE history ADD COLUMN next INTEGER; ALTER TABLE history ADD COLUMN continues INTEGER;
            UPDATE history SET continues = 1 WHERE number = (SELECT max(number) FROM history);
            DROP TRIGGER Note_records_insert;
            CREATE TRIGGER Note_records_insert AFTER INSERT ON Note
            BEGIN INSERT INTO history (kind, continues) VALUES (0, 1); END;
            UPDATE store_metadata SET value = 'older' WHERE key = 'model'; PRAGMA user_version = 1;
            """)
        let again = try await Notes.open(folder)
        _ = try ask("INSERT INTO Note (title) VALUES ('d')")
        let new = try await again.transactions(HistoryFetchRequest(.after(token)))
        #expect(new.map { $0.changes.map(\.objectID.key) } == [[2], [3], [4]])
        #expect(try ask("PRAGMA user_version") == "2\n")
    }

    @Test func `tables are rebuilt during writes of another process, and none of its commits is lost`()
        async throws
    {
        await (try Notes.open(folder)).close()
        let shell = try LineProcess("sqlite3", [path])
        shell.send("PRAGMA busy_timeout = 5000; PRAGMA synchronous = OFF;")
        #expect(try shell.answer() == "5000")
        for version in 2...6 {
            for _ in 0..<40 { shell.send("INSERT INTO Note (title) VALUES ('x');") }
            let kind: AttributeDescription.Kind = version.isMultiple(of: 2) ? .integer : .text
            let extra = AttributeDescription("extra", kind, isOptional: true, isUnique: true)
            await (try Notes.open(folder, model: Notes.model(version: version, more: [extra]))).close()
        }
        #expect(try shell.ask("SELECT count(*), max(id) FROM Note;") == "200|200")
        #expect(try shell.ask("SELECT count(*) FROM history WHERE kind = 0;") == "200")
    }

    @Test func `a migration that times out names the lock holder`() async throws {
        await (try Notes.open(folder)).close()
        let holder = try StoreWriterProcess(path, author: "other")
        #expect(try holder.ask("hold") == "holding")
        var options = StoreOptions()
        options.busyTimeout = .milliseconds(50)
        let error = await #expect(throws: StoreError.self) {
            try await Notes.open(folder, model: Notes.model(version: 2), options: options)
        }
        guard case .busy(path, "StoreWriterTool (process \(holder.process.identifier))", 49...) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(try holder.ask("release") == "released")
        _ = try await Notes.open(folder, model: Notes.model(version: 2), options: options)
    }
}
