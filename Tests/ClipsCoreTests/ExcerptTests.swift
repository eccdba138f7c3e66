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
        var plain = ClipDraft()
        (plain.title, plain.url) = ("Three", "http://plain.example/3")
        let ids = try await store.add([tagged, noted, plain])
        func excerpts(_ filter: String) async throws -> [Int64: String] {
            let words = try #require(ClipHighlight(filter))
            return try await store.excerpts(
                Dictionary(uniqueKeysWithValues: ids.map { ($0, words) }), length: 30)
        }
        #expect(try await excerpts("needle site:live.example") == [ids[1]: "a needle"])
        // Of a whole address, a part says nothing.
        #expect(try await excerpts("https://live.example/2").isEmpty)
        #expect(try await excerpts("live.example/2").isEmpty)
        #expect(try await excerpts("plain.example/3").isEmpty)
        #expect(
            try await excerpts("example") == [
                ids[0]: "https://live.example/1", ids[1]: "https://live.example/2",
                ids[2]: "http://plain.example/3",
            ])
    }

    @Test func `an excerpt shows the words of a quote, and of its note`() async throws {
        let folder = try TemporaryFolder()
        let store = try await ClipStore(path: folder.path(of: "clips.db"), author: "cli")
        let quotes = [Quote("a quoted zebra"), Quote("plain", note: "why a tapir")]
        let ids = try await store.add(
            quotes.enumerated().map { index, quote in
                var draft = ClipDraft()
                (draft.title, draft.url, draft.note) = ("\(index)", "https://a.example/\(index)", "first")
                draft.quotes = [quote]
                return draft
            })
        let words = try #require(ClipHighlight("zebra OR tapir"))
        let excerpts = try await store.excerpts([ids[0]: words, ids[1]: words], length: 30)
        #expect(excerpts == [ids[0]: "a quoted zebra", ids[1]: "why a tapir"])
    }
}
