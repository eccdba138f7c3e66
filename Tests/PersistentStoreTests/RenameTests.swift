import PersistentStore
import TestSupport
import Testing

/// Migrations to a model with other names.
@Suite struct RenameTests {
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

    private func text(_ name: String, renamedFrom: [String] = []) -> AttributeDescription {
        AttributeDescription(
            name, .text, isOptional: true, isIndexed: true,
            history: [.preservesValueOnDeletion, .recordsOldValue], renamedFrom: renamedFrom)
    }

    private func open(
        _ version: Int, entity: String = "Note", renamedFrom: [String] = [],
        _ attributes: [AttributeDescription]
    ) async throws -> PersistentContainer {
        let description = EntityDescription(entity, attributes: attributes, renamedFrom: renamedFrom)
        return try await PersistentContainer(
            path: path, model: try StoreModel(version: version, entities: [description]))
    }

    @Test func `renamed attributes and entities retain objects, versions, indexes, and history`() async throws
    {
        var container = try await open(1, [text("title"), text("body")])
        var context = container.makeContext(author: "a")
        let id = try await context.save(inserting: ["title": "old", "body": "b"])
        try await context.update(id, ["title": "new"])
        try await context.save()
        let deleted = try await context.save(inserting: ["title": "gone"])
        try await context.delete(deleted)
        try await context.save()
        let token = try await container.currentToken()
        await container.close()
        _ = try ask(
            """
            CREATE TABLE remark (note INTEGER REFERENCES Note (id), text);
            CREATE VIEW titles AS SELECT title FROM Note;
            """)

        container = try await open(
            2, entity: "Page", renamedFrom: ["Note"],
            [text("headline", renamedFrom: ["title"]), text("body")])
        let page = try #require(try await container.objects(FetchRequest("Page")).first)
        #expect(page.id.key == id.key && page.version == 2)
        #expect(page.values == ["headline": "new", "body": "b"])
        let changes = try await container.transactions().flatMap(\.changes)
        #expect(changes.allSatisfy { $0.objectID.entity == "Page" })
        #expect(changes.map(\.updatedAttributes) == [[], ["headline"], [], []])
        #expect(changes[1].oldValues == ["headline": "old"])
        #expect(changes[3].tombstone == ["headline": "gone", "body": .null])
        #expect(try await container.currentToken() == token)

        context = container.makeContext(author: "a")
        let temporary = try await context.insert("Page", ["headline": "c"])
        #expect(try await context.save().permanentID(temporary).key == deleted.key + 1)
        try await context.update(page.id, ["headline": "newest"])
        try await context.save()
        let last = try #require(try await container.transactions().last?.changes.first)
        #expect(last.updatedAttributes == ["headline"] && last.oldValues == ["headline": "new"])
        #expect(try ask("SELECT headline FROM titles ORDER BY 1 DESC") == "newest\nc\n")
        #expect(try ask("SELECT \"table\" FROM pragma_foreign_key_list('remark')") == "Page\n")
        #expect(
            try ask("SELECT name FROM sqlite_schema WHERE name GLOB '*Note*' OR name GLOB '*title'") == "")
        #expect(
            try ask("SELECT name FROM sqlite_schema WHERE type = 'index' AND tbl_name = 'Page' ORDER BY 1")
                == "Page_by_body\nPage_by_headline\n")
        #expect(try await container.check() == [])
        #expect(try ask("PRAGMA integrity_check") == "ok\n")
    }

    @Test func `names move along a chain, and skipped versions count`() async throws {
        var container = try await open(1, [text("a"), text("b")])
        _ = try await container.makeContext(author: "a").save(inserting: ["a": "1", "b": "2"])
        await container.close()
        container = try await open(
            3, [text("c", renamedFrom: ["x", "b"]), text("b", renamedFrom: ["a"]), text("a")])
        #expect(try await container.objects().map(\.values) == [["c": "2", "b": "1", "a": .null]])
        await container.close()
        // The model still names the former names, of which 'a' is an attribute now.
        container = try await open(
            4, [text("c", renamedFrom: ["x", "b"]), text("b", renamedFrom: ["a"]), text("a"), text("d")])
        #expect(try await container.objects().map { $0.values["b"] } == ["1"])
    }

    @Test func `the history of a dropped attribute remains when another takes its name`() async throws {
        var container = try await open(1, [text("title"), text("caption")])
        let context = container.makeContext(author: "a")
        let id = try await context.save(inserting: ["title": "t1", "caption": "c1"])
        try await context.update(id, ["title": "t2", "caption": "c2"])
        try await context.save()
        await container.close()
        await (try await open(2, [text("title")])).close()
        container = try await open(3, [text("caption", renamedFrom: ["title"])])
        let update = try #require(try await container.transactions().last?.changes.first)
        #expect(update.oldValues == ["caption": "t1", "caption#1": "c1"])
        #expect(Set(update.updatedAttributes) == ["caption", "caption#1"])
        #expect(try await container.objects().map { $0["caption"] } == ["t2"])
    }

    @Test func `a rename with another kind converts the values`() async throws {
        var container = try await open(1, [text("count")])
        _ = try await container.makeContext(author: "a").save(inserting: ["count": "12"])
        await container.close()
        container = try await open(
            2,
            [AttributeDescription("number_of", .integer, isOptional: true, renamedFrom: ["count"])])
        #expect(try await container.objects().map { $0["number_of"] } == [12])
    }

    @Test func `a name that leads to two current names, or to itself, is not a model`() {
        for attributes in [
            [text("a", renamedFrom: ["x"]), text("b", renamedFrom: ["X"])], [text("a", renamedFrom: ["A"])],
        ] {
            #expect(throws: StoreError.self) {
                try StoreModel(version: 1, entities: [EntityDescription("Note", attributes: attributes)])
            }
        }
    }
}
