import ClipsCore
import PersistentStore
import TestSupport
import Testing

struct UndoTests {
    let folder: TemporaryFolder
    let store: ClipStore

    init() async throws {
        folder = try TemporaryFolder()
        store = try await ClipStore(path: folder.path(of: "clips.db"), author: "app")
    }

    @Test func `a whole chain can be taken back, the deleted clip under the id it had`() async throws {
        var draft = ClipDraft()
        draft.title = "first"
        draft.text = "text"
        let (id, _, added) = try await store.add(draft)
        let starred = try await store.update(id, [.starred: .boolean(true)])
        let deleted = try await store.delete([id])
        _ = try await store.undo(#require(deleted.token))
        let restored = try await store.clip(id)
        #expect(restored.title == "first" && restored.text == "text" && restored.isStarred)
        _ = try await store.undo(#require(starred.token))
        #expect(try await !store.clip(id).isStarred)
        let removed = try await store.undo(#require(added))
        await #expect(throws: ClipError.noSuchClip("\(id)")) { try await store.clip(id) }
        _ = try await store.undo(#require(removed.token))
        #expect(try await store.clip(id).title == "first")
    }

    @Test func `taking back a deletion twice says so and changes nothing`() async throws {
        var draft = ClipDraft()
        draft.title = "first"
        let id = try await store.add(draft).id
        let deleted = try #require(try await store.delete([id]).token)
        _ = try await store.undo(deleted)
        await #expect(throws: StoreError.self) { try await store.undo(deleted) }
        #expect(try await store.clip(id).title == "first")
    }

    @Test func `taking back one's own work leaves what others did since as it is`() async throws {
        let extensionStore = try await ClipStore(path: folder.path(of: "clips.db"), author: "extension")
        var draft = ClipDraft()
        draft.title = "mine"
        let id = try await store.add(draft).id
        let starred = try #require(try await store.update(id, [.starred: .boolean(true)]).token)
        draft.title = "another"
        let other = try await extensionStore.add(draft).id
        _ = try await extensionStore.update(id, [.title: .text("theirs")])
        let foreign = try await store.container.transactions(HistoryFetchRequest(.token(starred)))
        #expect(foreign.map(\.author) == ["extension", "extension"])
        _ = try await store.undo(starred)
        let clip = try await store.clip(id)
        #expect(!clip.isStarred && clip.title == "theirs")
        #expect(try await store.clip(other).title == "another")
    }
}
