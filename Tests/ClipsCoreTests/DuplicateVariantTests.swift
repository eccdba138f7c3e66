import ClipsCore
import PersistentStore
import TestSupport
import Testing

/// Variants of one URL are duplicates, when they are saved and afterwards.
@Suite struct DuplicateVariantTests {
    static let variants = [
        "https://example.org/a", "http://example.org/a", "https://www.example.org/a",
        "https://example.org/a/",
        "HTTPS://EXAMPLE.org/a", "https://example.org:443/a", "https://example.org/a?utm_source=x",
        "https://example.org/a#top", "https://example.org/%61", "http://www.example.org/a/?fbclid=1#b",
    ]

    let folder: TemporaryFolder
    let store: ClipStore

    init() async throws {
        folder = try TemporaryFolder()
        store = try await ClipStore(path: folder.path(of: "clips.db"), author: "app")
    }

    private func draft(_ url: String) -> ClipDraft {
        var draft = ClipDraft()
        (draft.url, draft.title, draft.note) = (url, "title", "from \(url)")
        return draft
    }

    private func clips() async throws -> [Clip] {
        var clips: [Clip] = []
        try await store.forEachClip(ClipQuery()) { clips.append($0) }
        return clips
    }

    @Test(arguments: variants, [DuplicatePolicy.skip, .merge, .replace])
    func `variants that are saved one by one are one clip`(first: String, policy: DuplicatePolicy)
        async throws
    {
        for url in [first] + Self.variants { _ = try await store.add([draft(url)], duplicates: policy) }
        let clips = try await clips()
        #expect(clips.count == 1)
        guard policy == .merge else { return }
        #expect(clips[0].url == "https://example.org/a")
        #expect(Self.variants.allSatisfy { clips[0].note.contains("from \($0)") })
    }

    @Test(arguments: [
        "https://b.org/%7Ex", "https://b.org/a%2Db", "https://b.org:443/c", "HTTPS://B.org/d",
        "ftp://b.org/e",
        "mailto:a@b.org",
    ])
    func `a page with an unusual spelling, and any other address, is noticed in its usual one`(url: String)
        async throws
    {
        _ = try await store.add(draft(url))
        let usual = url.replacing("%7E", with: "~").replacing("%2D", with: "-").replacing(":443", with: "")
            .replacing("HTTPS://B", with: "https://b")
        #expect(try await store.addUnlessSaved(draft(usual)).earlier.map(\.id) == [1])
    }

    @Test func `a page is merged into its oldest clip, and its other copies remain`() async throws {
        _ = try await store.add([draft("https://b.org/a"), draft("https://b.org/a#part")])
        let outcome = try await store.add([draft("https://b.org/a/")], duplicates: .merge).outcome
        #expect(outcome.merged == 1 && outcome.deleted == 0)
        let notes = try await clips().map(\.note)
        #expect(notes.count == 2 && notes.contains("from https://b.org/a#part"))
    }

    @Test func `variants in one import are one clip, and other pages remain`() async throws {
        let others = ["https://example.org/a?b=1", "https://example.org/ab", "https://example.org/b", ""]
        let saved = try await store.add((others + Self.variants).map(draft), duplicates: .skip)
        #expect(saved.outcome.saved == 5 && saved.outcome.skipped == 9)
        #expect(try await clips().count == 5)
    }

    @Test func `a clip is merged into that of its very URL, not into an older variant`() async throws {
        let urls = ["http://n.example/1", "https://www.n.example/1/"]
        for url in urls { _ = try await store.add([draft(url)]) }
        let saved = try await store.add([draft(urls[1])], duplicates: .merge)
        #expect(saved.ids == [2])
        #expect(try await store.existing([draft(urls[1])]).first?.id == 2)
        #expect(try await clips().map(\.url).sorted() == urls)
    }

    @Test func `deduplication does not change a clip that gets nothing from the others`() async throws {
        for url in ["https://example.org/a", Self.variants[3]] {
            var draft = draft(url)
            draft.note = ""
            _ = try await store.add([draft])
        }
        let groups = try await store.duplicates()
        let before = try await store.clip(1)
        let token = try #require(try await store.mergeDuplicates(groups, .merge).token)
        #expect(try await store.clip(1) == before)
        #expect(try await store.changeDescription(of: token) == "deleted “title”")
    }

    @Test(arguments: [DuplicatePolicy.merge, .skip, .replace])
    func `deduplication is one transaction, and undo restores every clip`(policy: DuplicatePolicy)
        async throws
    {
        _ = try await store.add(
            (Self.variants + ["https://example.org/b", "https://example.org/c#x"]).map(draft))
        let before = try await clips()
        let groups = try await store.duplicates()
        #expect(groups.map { $0.clips.map(\.id) } == [Array(1...10)])
        let (remaining, deleted, token) = try await store.mergeDuplicates(groups, policy)
        #expect(remaining == [1] && deleted == 9)
        let clip = try await store.clip(1)
        switch policy {
        case .merge: #expect(clip.note.contains("from http://www.example.org/a/?fbclid=1#b"))
        case .skip: #expect(clip.note == "from https://example.org/a")
        default: #expect(clip.note == "from \(Self.variants[9])" && clip.url == Self.variants[9])
        }
        #expect(try await store.duplicates() == [])
        let description = try await store.changeDescription(of: try #require(token))
        if policy == .merge { #expect(description == "changed “title” (note changed), deleted 9 clips") }
        _ = try await store.undo(try #require(token))
        let after = try await clips()
        #expect(Set(after.map(\.note)) == Set(before.map(\.note)) && after.count == 12)
    }
}
