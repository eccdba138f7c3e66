import ClipsCore
import PersistentStore
import TestSupport
import Testing

/// Undoing a transaction undoes that one, or nothing.
@Suite struct ClipStoreUndoTests {
    @Test func `a cleaned transaction is not confused with the next one`() async throws {
        let folder = try TemporaryFolder()
        let store = try await ClipStore(path: folder.path(of: "clips.db"), author: "app")
        var draft = ClipDraft()
        draft.title = "mine"
        _ = try await store.add(draft)
        let mine = try await store.container.currentToken()
        draft.title = "theirs"
        let theirs = try await store.add(draft).id
        _ = try await store.container.registerConsumer("view", startingAt: mine)
        _ = try await store.container.purgeHistory(maximumAge: .seconds(3600))
        await #expect(throws: StoreError.self) { try await store.undo(mine) }
        #expect(try await store.clip(theirs).title == "theirs")
    }

    @Test func `the beginning of the history cannot be undone`() async throws {
        let folder = try TemporaryFolder()
        let store = try await ClipStore(path: folder.path(of: "clips.db"), author: "app")
        let start = try await store.container.currentToken()
        var draft = ClipDraft()
        draft.title = "kept"
        let id = try await store.add(draft).id
        await #expect(throws: StoreError.self) { try await store.undo(start) }
        #expect(try await store.clip(id).title == "kept")
    }
}
