import ClipsCore
import PersistentStore
import TestSupport
import Testing

@Suite struct KnownNamesTests {
    @Test func `names are those of all clips although a commit interrupts the first count`() async throws {
        let folder = try TemporaryFolder()
        let store = try await ClipStore(path: folder.path(of: "clips.db"), author: "app")
        let source = ClipListSource(store: store) { _ in }
        for tags in [["vim", "rust"], ["vim"], ["rust", "go"], ["rust"]] {
            var draft = ClipDraft()
            (draft.title, draft.tags) = ("A", tags)
            _ = try await store.add(draft)
        }
        // The source has not applied the commits.
        #expect(try await source.names().tags == ["rust", "vim", "go"])
    }
}
