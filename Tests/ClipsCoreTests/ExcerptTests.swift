import ClipsCore
import TestSupport
import Testing

@Suite struct ExcerptTests {
    @Test func `an excerpt shows words, not the conditions next to them`() async throws {
        let folder = try TemporaryFolder()
        let store = try await ClipStore(path: folder.path(of: "clips.db"), author: "cli")
        var (tagged, noted) = (ClipDraft(), ClipDraft())
        (tagged.title, tagged.url, tagged.tags) = ("One", "https://live.example/1", ["needle"])
        (noted.title, noted.url, noted.note) = ("Two", "https://live.example/2", "a needle")
        let ids = try await store.add([tagged, noted])
        let excerpts = try await store.excerpts(ids, of: "needle site:live.example", length: 30)
        #expect(excerpts == [ids[1]: "a needle"])
    }
}
