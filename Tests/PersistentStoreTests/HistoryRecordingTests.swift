import PersistentStore
import Platform
import TestSupport
import Testing

/// Recording by triggers, for every writer.
@Suite struct HistoryRecordingTests {
    let folder: TemporaryFolder
    let container: PersistentContainer

    init() async throws {
        folder = try TemporaryFolder()
        container = try await Notes.open(folder)
    }

    private func shell(_ sql: String) throws {
        let result = try Shell.run("sqlite3", [container.path], input: sql)
        #expect(result.errors == "")
    }

    private func kinds() async throws -> [[String]] {
        try await container.transactions().map { $0.changes.map { "\($0.kind) \($0.objectID.key)" } }
    }

    @Test func `one save is one transaction, with author, context, process and program`() async throws {
        let context = container.makeContext(author: "app", name: "main")
        let note = try await context.insert("Note", ["title": "a"])
        try await context.insert("Note", ["title": "b"])
        let result = try await context.save()
        #expect(result.permanentID(note).key == 1)
        let transactions = try await container.transactions()
        let transaction = try #require(transactions.first)
        #expect(transactions.count == 1)
        #expect(transaction.author == "app")
        #expect(transaction.contextName == "main")
        #expect(transaction.process == ProcessIdentity.current.process)
        #expect(transaction.token == result.token)
        #expect(transaction.changes.map(\.kind) == [.insert, .insert])
    }

    @Test func `an untracked property is saved without history`() async throws {
        let own = try TemporaryFolder()
        let untracked = try await Notes.open(own, model: Notes.model(tracksHistory: false))
        let context = untracked.makeContext(author: "app")
        let id = try await context.save(inserting: ["title": "a"])
        try await context.update(id, ["title": "b"])
        let result = try await context.save()
        #expect(result.token == nil)
        #expect(try await untracked.objects().map { $0["title"] } == ["b"])
        #expect(try await untracked.transactions().isEmpty)
        await untracked.close()
    }

    @Test func `an update names the changed properties and records old values on request`() async throws {
        let context = container.makeContext(author: "app")
        let id = try await context.save(inserting: ["title": "a", "body": "x"])
        try await context.update(id, ["title": "b", "rank": 2])
        try await context.save()
        let change = try #require(try await container.transactions().last?.changes.first)
        #expect(change.updatedAttributes == ["title", "rank"])
        #expect(change.oldValues == ["title": "a"])
        #expect(try await container.objects().first?.version == 2)
    }

    @Test
    func `writing an equal value records no change, and writing NULL over a value and back records one`()
        async throws
    {
        try shell(
            "INSERT INTO Note (title) VALUES ('a'); UPDATE Note SET title = 'a'; UPDATE Note SET body = 'x'; UPDATE Note SET body = NULL;"
        )
        let transactions = try await container.transactions()
        #expect(transactions.map { $0.changes.map(\.updatedAttributes) } == [[[]], [["body"]], [["body"]]])
    }

    @Test func `a tombstone preserves integer, real, text, blob, and null`() async throws {
        let model = try StoreModel(
            version: 1,
            entities: [
                EntityDescription(
                    "Thing",
                    attributes: ["i", "r", "t", "b", "n"].map { name in
                        AttributeDescription(
                            name, ["i": .integer, "r": .real, "b": .blob][name] ?? .text, isOptional: true,
                            history: [.preservesValueOnDeletion])
                    })
            ])
        let container = try await PersistentContainer(path: folder.path(of: "things.db"), model: model)
        let values: [String: AttributeValue] = [
            "i": .integer(.max), "r": .real(0.1), "t": .text("a\0'\u{1F600}"), "b": .blob([0, 255]),
            "n": .null,
        ]
        let context = container.makeContext(author: nil)
        let temporary = try await context.insert("Thing", values)
        let id = try await context.save().permanentID(temporary)
        try await context.delete(id)
        try await context.save()
        let tombstone = try await container.transactions().last?.changes.first?.tombstone
        #expect(tombstone == values)
    }

    @Test func `each change of an external writer is a transaction without author`() async throws {
        try shell(
            "BEGIN; INSERT INTO Note (title) VALUES ('a'), ('b'); INSERT INTO Note (title) VALUES ('c'); COMMIT;"
        )
        #expect(try await kinds() == [["insert 1"], ["insert 2"], ["insert 3"]])
        #expect(try await container.transactions().allSatisfy { $0.author == nil && $0.process == nil })
        try shell("UPDATE Note SET title = title || '!'; DELETE FROM Note;")
        #expect(
            try await kinds().dropFirst(3) == [
                ["update 1"], ["update 2"], ["update 3"], ["delete 1"], ["delete 2"], ["delete 3"],
            ])
    }

    @Test func `an external writer's update raises the version, so that a save on the old one is a conflict`()
        async throws
    {
        let context = container.makeContext(author: "app")
        let id = try await context.save(inserting: ["title": "a"])
        _ = try await context.object(id)
        try shell("UPDATE Note SET title = 'theirs'")
        try await context.update(id, ["title": "ours"])
        do {
            try await context.save()
            Issue.record("overwrote another writer's change")
        } catch .conflict(let conflicts) {
            #expect(conflicts.count == 1)
            #expect(conflicts.first?.expectedVersion == 1)
            #expect(conflicts.first?.stored?.version == 2)
            #expect(conflicts.first?.stored?["title"] == "theirs")
            #expect(conflicts.first?.changes == ["title": "ours"])
        } catch {
            Issue.record("\(error)")
        }
        #expect(await context.hasChanges)
    }

    @Test func `rows that REPLACE evicts are recorded as deleted, even from the plain shell`() async throws {
        try shell(
            "INSERT INTO Note (id, title) VALUES (1, 'a'); INSERT OR REPLACE INTO Note (id, title) VALUES (1, 'b');"
        )
        #expect(try await kinds() == [["insert 1"], ["delete 1"], ["insert 1"]])
        #expect(try await container.transactions()[1].changes[0].tombstone?["title"] == "a")
        try shell(
            "INSERT OR IGNORE INTO Note (id, title) VALUES (1, 'c'); INSERT INTO Note (id, title) VALUES (1, 'd') ON CONFLICT DO UPDATE SET title = excluded.title;"
        )
        try shell("INSERT INTO Note (title) VALUES ('e');")
        let later = try await kinds().dropFirst(3).flatMap { $0 }.filter { $0 != "insert 1" }
        #expect(later == ["update 1", "insert 2"])
        try shell("PRAGMA recursive_triggers = ON; INSERT OR REPLACE INTO Note (id, title) VALUES (2, 'f');")
        #expect(try await kinds().flatMap { $0 }.suffix(2) == ["delete 2", "insert 2"])
        try shell("UPDATE OR REPLACE Note SET id = 2 WHERE id = 1;")
        #expect(try await kinds().flatMap { $0 }.suffix(3).sorted() == ["delete 1", "delete 2", "insert 2"])
    }

    @Test func `an ID is never reused`() async throws {
        try shell(
            "INSERT INTO Note (title) VALUES ('a'); DELETE FROM Note; INSERT INTO Note (title) VALUES ('b');")
        #expect(try await kinds() == [["insert 1"], ["delete 1"], ["insert 2"]])
    }

    @Test func `a rollback records nothing, and ROLLBACK TO removes its part`() async throws {
        try shell("BEGIN; INSERT INTO Note (title) VALUES ('a'); ROLLBACK;")
        #expect(try await kinds().isEmpty)
        try shell(
            "BEGIN; INSERT INTO Note (title) VALUES ('a'); SAVEPOINT s; INSERT INTO Note (title) VALUES ('b'); ROLLBACK TO s; COMMIT;"
        )
        #expect(try await kinds() == [["insert 1"]])
    }

    @Test func `a save that changes nothing records no transaction`() async throws {
        let context = container.makeContext(author: "app")
        let id = try await context.save(inserting: ["title": "a"])
        let other = container.makeContext(author: "other")
        try await other.update(id, ["title": "a"])
        try await other.delete(ObjectID(entity: "Note", key: 99))
        #expect(try await other.save().token == nil)
        #expect(try await kinds().count == 1)
    }
}
