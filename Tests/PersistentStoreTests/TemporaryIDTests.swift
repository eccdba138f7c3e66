import Foundation
import PersistentStore
import TestSupport
import Testing

/// The IDs of unsaved objects, next to keys that external writers choose.
@Suite struct TemporaryIDTests {
    let folder: TemporaryFolder
    let container: PersistentContainer
    let context: StoreContext

    init() async throws {
        folder = try TemporaryFolder()
        container = try await Notes.open(folder)
        context = container.makeContext(author: "a")
    }

    private func insert(keys: [Int64]) throws {
        let rows = keys.map { "(\($0), 'theirs')" }.joined(separator: ", ")
        let shell = try Shell.run(
            "sqlite3", [folder.path(of: "notes.db")], input: "INSERT INTO Note (id, title) VALUES \(rows);")
        #expect(shell.status == 0)
    }

    @Test func `a stored object with a negative key is no unsaved one`() async throws {
        var temporary: [ObjectID] = []
        for _ in 1...3 { temporary.append(try await context.insert("Note", ["title": "ours"])) }
        let keys = [-1, 0] + temporary.map(\.key)
        try insert(keys: keys)
        let all = try await context.fetch(FetchRequest("Note"))
        #expect(all.filter { !$0.id.isPermanent }.map(\.id) == temporary)
        let stored = all.filter(\.id.isPermanent)
        #expect(Set(stored.map(\.id.key)) == Set(keys))
        #expect(stored.allSatisfy { $0.id.isPermanent && !temporary.contains($0.id) })
        for object in stored { try await context.delete(object.id) }
        let result = try await context.save()
        #expect(result.insertedIDs.count == 3 && Set(result.deletedIDs) == Set(stored.map(\.id)))
        #expect(try await container.objects().map { $0["title"] } == ["ours", "ours", "ours"])
    }

    @Test func `a temporary ID finds and changes no object but its own`() async throws {
        let discarded = try await context.insert("Note", ["title": "discarded"])
        await context.rollback()
        try insert(keys: [discarded.key])
        let other = container.makeContext(author: "b")
        let theirs = try await other.insert("Note", ["title": "b"])
        #expect(theirs != discarded && !discarded.isPermanent)
        for context in [context, other] {
            #expect(try await context.object(discarded) == nil)
            #expect(try await context.refresh(discarded) == nil)
            try await context.delete(discarded)
        }
        #expect(try await context.save().deletedIDs.isEmpty)
        #expect(try await other.save().insertedIDs.count == 1)
        try await context.update(discarded, ["title": "changed"])
        await #expect(throws: StoreError.self) { try await context.save() }
        let request = HistoryFetchRequest(changes: .object(discarded))
        #expect(try await container.transactions(request).isEmpty)
        #expect(try await container.objects().map { $0["title"] } == ["theirs", "b"])
    }

    @Test func `a temporary ID is coded as one`() async throws {
        let id = try await context.insert("Note", [:])
        let copy = try JSONDecoder().decode(ObjectID.self, from: JSONEncoder().encode(id))
        #expect(copy == id && !copy.isPermanent)
        let saved = try await context.save().permanentID(copy)
        let coded = try String(decoding: JSONEncoder().encode(saved), as: UTF8.self)
        #expect(saved.isPermanent && !coded.contains("temporary"))
        #expect(try await context.object(copy)?.id == saved)
    }
}
