import Dispatch
import PersistentStore
import TestSupport
import Testing

/// A unit of work: fetches, saves, retained changes, and merges.
@Suite struct StoreContextTests {
    let folder: TemporaryFolder
    let container: PersistentContainer
    let context: StoreContext
    let other: StoreContext

    init() async throws {
        folder = try TemporaryFolder()
        container = try await Notes.open(folder)
        context = container.makeContext(author: "app")
        other = container.makeContext(author: "app")
    }

    private func title(_ id: ObjectID) async throws -> AttributeValue? {
        try await container.objects().first { $0.id == id }?["title"]
    }

    @Test func `unsaved changes overlay fetched values and are invisible to others`() async throws {
        let id = try await context.save(inserting: ["title": "a"])
        let gone = try await context.save(inserting: ["title": "b"])
        try await context.update(id, ["title": "changed"])
        try await context.delete(gone)
        #expect(try await context.fetch(FetchRequest("Note")).map { $0["title"] } == ["changed"])
        #expect(try await other.fetch(FetchRequest("Note")).map { $0["title"] } == ["a", "b"])
        await context.rollback()
        #expect(try await context.fetch(FetchRequest("Note")).map { $0["title"] } == ["a", "b"])
        #expect(await !context.hasChanges)
    }

    @Test func `a deleted object is restored from its tombstone, regardless of the deleting writer`()
        async throws
    {
        let id = try await context.save(inserting: ["title": "a", "body": "text", "rank": 7])
        try await context.update(id, ["title": "b"])
        try await context.save()
        #expect(try Shell.run("sqlite3", [container.path, "DELETE FROM Note"]).errors == "")
        let request = HistoryFetchRequest(.newest, changes: .and([.object(id), .kind(.delete)]), limit: 1)
        let deletion = try #require(try await container.changes(request).last)
        let insert = try #require(try await container.changes(HistoryFetchRequest()).first)
        try await other.restore(deletion)
        try await other.save()
        let restored = try #require(try await container.objects().first)
        #expect(restored.id == id && restored.version > 2)
        // The rank was not retained.
        #expect(restored["title"] == "b" && restored["body"] == "text" && restored["rank"] == 0)
        await #expect(throws: StoreError.noTombstone(id)) { try await other.restore(insert) }
        // Another writer restored it first.
        try await context.restore(deletion)
        await #expect(throws: StoreError.self) { try await context.save() }
        #expect(try await container.objects() == [restored])
    }

    @Test func `a tombstone with an attribute that the model lost is restored without it`() async throws {
        let more = AttributeDescription("more", .text, isOptional: true, history: [.preservesValueOnDeletion])
        await container.close()
        let old = try await Notes.open(folder, model: Notes.model(version: 2, more: [more]))
        let writer = old.makeContext(author: "app")
        let id = try await writer.save(inserting: ["title": "a", "more": "x"])
        try await writer.delete(id)
        try await writer.save()
        await old.close()
        let new = try await Notes.open(folder, model: Notes.model(version: 3))
        let deletion = try #require(try await new.changes(HistoryFetchRequest(changes: .kind(.delete))).last)
        #expect(deletion.tombstone?["more"] == "x")
        let restorer = new.makeContext(author: "app")
        try await restorer.restore(deletion)
        try await restorer.save()
        #expect(try await new.objects().map { $0["title"] } == ["a"])
    }

    @Test func `a saved object is known as it is stored, for any given attributes`() async throws {
        let all: [String: AttributeValue] = ["title": "t", "body": "b", "rank": 3, "created": 5]
        var ids: [ObjectID] = []
        for number in 0..<16 {
            let names = all.keys.sorted().enumerated().filter { number >> $0.offset & 1 == 1 }.map(\.element)
            ids.append(try await context.insert("Note", all.filter { names.contains($0.key) }))
        }
        let result = try await context.save()
        let stored = try await container.objects()
        #expect(result.objects == stored && stored.count == 16)
        #expect(ids.map(result.permanentID) == stored.map(\.id))
        #expect(stored.allSatisfy { $0.version == 1 })
    }

    @Test func `a value reset before saving is the saved value`() async throws {
        let id = try await context.save(inserting: ["title": "a"])
        _ = try await context.object(id)
        try await context.update(id, ["title": "b"])
        try await context.update(id, ["title": "a"])
        try await context.save()
        #expect(try await title(id) == "a")
    }

    @Test func `an update to the stored value does not raise the version`() async throws {
        let id = try await context.save(inserting: ["title": "a"])
        _ = try await context.object(id)
        try await other.update(id, ["title": "a"])
        try await other.insert("Note", ["title": "more"])
        try await other.save()
        try await context.update(id, ["title": "b"])
        try await context.save()
        #expect(try await title(id) == "b")
    }

    @Test func `an object inserted, changed, and deleted before saving leaves nothing`() async throws {
        let id = try await context.insert("Note", ["title": "a"])
        try await context.update(id, ["title": "b"])
        let retained = try await context.insert("Note", ["title": "retained"])
        try await context.delete(id)
        let result = try await context.save()
        #expect(try await container.objects().map { $0["title"] } == ["retained"])
        #expect(result.permanentID(retained).isPermanent && !result.permanentID(id).isPermanent)
    }

    @Test func `a temporary ID is never reused, even after a rollback`() async throws {
        let first = try await context.insert("Note", [:])
        await context.rollback()
        #expect(try await context.insert("Note", [:]) != first)
    }

    @Test func `a failed save retains all changes, with those made during it on top`() async throws {
        let id = try await context.save(inserting: ["title": "a"])
        _ = try await context.object(id)
        try await other.update(id, ["title": "theirs"])
        try await other.save()
        try await context.update(id, ["title": "ours"])
        try await context.insert("Note", ["title": "new"])
        let error = await #expect(throws: StoreError.self) { try await context.save() }
        guard case .conflict(let conflicts) = error, let conflict = conflicts.first else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(conflict.stored?["title"] == "theirs" && conflict.changes == ["title": "ours"])
        #expect(try await container.objects().count == 1)
        #expect(await context.hasChanges)
        await context.rollback()
        try await context.update(id, ["title": "again"], onVersion: conflict.stored?.version)
        try await context.save()
        #expect(try await title(id) == "again")
    }

    @Test
    func `deleting an object that another writer changed is a conflict, and one that it deleted is not`()
        async throws
    {
        let id = try await context.save(inserting: ["title": "a"])
        _ = try await context.object(id)
        try await other.update(id, ["title": "theirs"])
        try await other.save()
        try await context.delete(id)
        await #expect(throws: StoreError.self) { try await context.save() }
        await context.rollback()
        _ = try await context.object(id)
        try await other.delete(id)
        try await other.save()
        try await context.delete(id)
        #expect(try await context.save().token == nil)
    }

    @Test func `changing an object that another writer deleted reports the deletion`() async throws {
        let id = try await context.save(inserting: ["title": "a"])
        _ = try await context.object(id)
        try await other.delete(id)
        try await other.save()
        try await context.update(id, ["title": "b"])
        let error = await #expect(throws: StoreError.self) { try await context.save() }
        #expect(error?.description == "Note \(id.key) was deleted by another writer.")
    }

    @Test func `a merge updates the context's objects, except those with unsaved changes`()
        async throws
    {
        let id = try await context.save(inserting: ["title": "a"])
        let edited = try await context.save(inserting: ["title": "b"])
        _ = try await context.fetch(FetchRequest("Note"))
        try await context.update(edited, ["title": "mine"])
        var token = try await container.currentToken()
        for note in [id, edited] { try await other.update(note, ["title": "theirs"]) }
        try await other.save()
        let result = try await context.merge(
            container.transactions(HistoryFetchRequest(.after(token))))
        #expect(result.updated == [id, edited] && result.inserted.isEmpty && result.deleted.isEmpty)
        await #expect(throws: StoreError.self) { try await context.save() }
        await context.rollback()
        try await context.update(id, ["title": "after"])
        try await context.save()
        #expect(try await title(id) == "after")
        // The context already has its own changes.
        token = try await container.currentToken()
        try await context.update(id, ["title": "own"])
        try await context.save()
        let own = try await container.transactions(HistoryFetchRequest(.after(token)))
        #expect(try await context.merge(own).isEmpty)
        #expect(try await !other.merge(own).isEmpty)
    }

    @Test func `a merge reports the net effect, and a missing row breaks nothing`() async throws {
        let old = try await context.save(inserting: ["title": "a"])
        let token = try await container.currentToken()
        let sql = """
            INSERT INTO Note (id, title) VALUES (50, 'x'); UPDATE Note SET title = 'y' WHERE id = 50;
            INSERT INTO Note (id, title) VALUES (51, 'x'); DELETE FROM Note WHERE id = 51;
            DELETE FROM Note WHERE id = \(old.key); INSERT INTO Note (id, title) VALUES (\(old.key), 'back');
            INSERT INTO Note (id, title) VALUES (52, 'x'); DELETE FROM Note WHERE id = 52;
            INSERT INTO Note (id, title) VALUES (52, 'again');
            """
        #expect(try Shell.run("sqlite3", [container.path], input: sql).errors == "")
        let result = try await context.merge(container.transactions(HistoryFetchRequest(.after(token))))
        #expect(result.inserted.map(\.key).sorted() == [50, 52])
        #expect(result.updated == [old] && result.deleted.isEmpty)
    }

    @Test func `names that the model lacks are refused before anything is saved`() async throws {
        await #expect(throws: StoreError.unknownEntity("Nope")) { try await context.insert("Nope", [:]) }
        await #expect(throws: StoreError.unknownAttribute("x\"; --", entity: "Note")) {
            try await context.insert("Note", ["x\"; --": 1])
        }
    }

    @Test func `a change that the store refuses is an error, and nothing else of that save is stored`()
        async throws
    {
        try await context.insert("Note", ["title": "good"])
        try await context.insert("Note", ["title": .null])
        let error = await #expect(throws: StoreError.self) { try await context.save() }
        guard case .constraint = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(try await container.objects().isEmpty)
        #expect(try await container.transactions().isEmpty)
    }

    @Test func `a value reset during a save is saved or a conflict, never dropped`()
        async throws
    {
        let id = try await context.save(inserting: ["title": "a"])
        for _ in 0..<100 {
            _ = try await context.object(id)
            try await context.update(id, ["title": "b"])
            async let first = context.save()
            await Task.yield()
            try await context.update(id, ["title": "a"])
            _ = try await first
            do { try await context.save() } catch {
                // Reported, not lost.
                await context.rollback()
                continue
            }
            #expect(try await title(id) == "a")
        }
    }

    @Test func `an object changed while a merge refetches it is a conflict, not an overwrite`()
        async throws
    {
        let id = try await context.save(inserting: ["title": "a"])
        _ = try await context.object(id)
        let token = try await container.currentToken()
        try await other.update(id, ["title": "theirs"])
        try await other.save()
        let news = try await container.transactions(HistoryFetchRequest(.after(token)))
        let (holds, released) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let holding = Task {
            try await container.read { _ in
                holds.signal()
                released.wait()
            }
        }
        #expect(await soon { holds.wait(timeout: .now()) == .success })
        let merging = Task { try await context.merge(news) }
        for _ in 0..<200 { _ = await context.hasChanges }
        try await context.update(id, ["title": "ours"])
        released.signal()
        try await holding.value
        _ = try await merging.value
        await #expect(throws: StoreError.self) { try await context.save() }
        #expect(try await title(id) == "theirs")
    }
}
