import Foundation
import PersistentStore
import TestSupport
import Testing

/// Object IDs and transactions of another store.
@Suite struct ObjectIdentityTests {
    let container: PersistentContainer
    let other: PersistentContainer
    let context: StoreContext

    init() async throws {
        container = try await PersistentContainer(inMemory: Notes.model())
        other = try await PersistentContainer(inMemory: Notes.model())
        context = container.makeContext(author: "a")
    }

    @Test func `a context and a history request refuse an ID of another store`() async throws {
        let id = try await context.save(inserting: ["title": "ours"])
        let foreign = try await other.makeContext(author: "a").save(inserting: ["title": "theirs"])
        #expect(foreign.key == id.key && foreign != id)
        let error = StoreError.objectOfAnotherStore(foreign)
        await #expect(throws: error) { try await context.object(foreign) }
        await #expect(throws: error) { try await context.update(foreign, ["title": "x"]) }
        await #expect(throws: error) { try await context.delete(foreign) }
        await #expect(throws: error) { try await context.restore(foreign, [:]) }
        await #expect(throws: error) { try await context.refresh(foreign) }
        await #expect(throws: error) { try await context.registeredObject(for: foreign) }
        let request = HistoryFetchRequest(changes: .not(.or([.kind(.delete), .object(foreign)])))
        await #expect(throws: error) { try await container.transactions(request) }
        #expect(await !context.hasChanges)
        #expect(!error.description.contains("theirs"))
    }

    @Test func `an ID without a store is valid in every store`() async throws {
        let id = try await context.save(inserting: ["title": "a"])
        let plain = ObjectID(entity: "Note", key: id.key)
        #expect(plain != id && plain.isValid(inStore: other.storeID))
        #expect(id.isValid(inStore: container.storeID) && !id.isValid(inStore: other.storeID))
        #expect(ObjectID(entity: "Note", key: id.key, storeID: container.storeID) == id)
        #expect(try await context.object(plain)?.id == id)
        try await context.update(plain, ["title": "b"])
        try await context.update(id, ["rank": 1])
        #expect(try await context.save().versions == [id: 2])
        #expect(try await container.transactions(HistoryFetchRequest(changes: .object(plain))).count == 2)
        // A change of an object that was read is a conflict under either ID.
        let second = container.makeContext(author: "b")
        try await second.update(id, ["title": "c"])
        try await second.save()
        try await context.delete(plain)
        await #expect(throws: StoreError.self) { try await context.save() }
    }

    @Test func `a merge refuses transactions of another store, and merges none`() async throws {
        let id = try await context.save(inserting: ["title": "a"])
        let second = container.makeContext(author: "b")
        try await second.update(id, ["title": "b"])
        try await second.save()
        _ = try await other.makeContext(author: "a").save(inserting: ["title": "theirs"])
        let mixed = try await container.transactions() + other.transactions()
        await #expect(throws: StoreError.transactionOfAnotherStore) { try await context.merge(mixed) }
        #expect(try await context.registeredObject(for: id)?["title"] == "a")
        _ = try await context.merge(mixed.dropLast())
        #expect(try await context.registeredObject(for: id)?["title"] == "b")
    }

    @Test func `a backup has the identity of its store until it is restored`() async throws {
        let folder = try TemporaryFolder()
        let id = try await context.save(inserting: ["title": "a"])
        let copy = folder.path(of: "copy.db")
        try await container.backUp(to: copy, replaces: false) { _, _ in }
        let opened = try await PersistentContainer(path: copy, model: Notes.model())
        #expect(try await opened.makeContext(author: "a").object(id)?.id == id)
        await opened.close()
        let path = folder.path(of: "restored.db")
        _ = try PersistentContainer.restore(copy, to: path, model: Notes.model())
        let restored = try await PersistentContainer(path: path, model: Notes.model())
        await #expect(throws: StoreError.objectOfAnotherStore(id)) {
            try await restored.makeContext(author: "a").object(id)
        }
    }

    @Test func `the coded form of an ID is stable`() async throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let store = try #require(UUID(uuidString: "0F3A9C00-0000-4000-8000-000000000001"))
        let forms = [
            (ObjectID(entity: "Note", key: 7), #"{"entity":"Note","key":7}"#),
            (
                ObjectID(entity: "Note", key: 7, storeID: store),
                #"{"entity":"Note","key":7,"store":"0f3a9c0000004000"}"#
            ),
        ]
        for (id, text) in forms {
            #expect(String(decoding: try encoder.encode(id), as: UTF8.self) == text)
            #expect(try JSONDecoder().decode(ObjectID.self, from: Data(text.utf8)) == id)
        }
        for text in [#"{"entity":"Note","key":7,"store":"0f3a9c"}"#, #"{"entity":"Note"}"#] {
            #expect(throws: DecodingError.self) {
                try JSONDecoder().decode(ObjectID.self, from: Data(text.utf8))
            }
        }
        #expect(MemoryLayout<ObjectID>.size == 32)
    }
}
