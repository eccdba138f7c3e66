import ClipsCore
import PersistentStore
import TestSupport
import Testing

/// Clips with UUIDs of their own, which are saved at most once.
@Suite struct SavingOnceTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func open(_ author: String = "a") async throws -> ClipStore {
        try await ClipStore(path: folder.path(of: "clips.db"), author: author)
    }

    private static func draft(_ uuid: String?, url: String = "https://a.org", title: String = "") -> ClipDraft
    {
        var draft = ClipDraft()
        (draft.uuid, draft.url, draft.title) = (uuid, url, title)
        return draft
    }

    @Test func `the same drafts are saved once, in any number of calls and processes`() async throws {
        let drafts = ["u1", "u2", nil, "u1"].map { Self.draft($0) }
        let store = try await open()
        let first = try await store.addOnce(drafts)
        #expect(first.map(\.id) == [1, 2, 3, 1] && first.map(\.isNew) == [true, true, true, false])
        let second = try await open("b").addOnce(drafts)
        #expect(second.map(\.id) == [1, 2, 4, 1] && second.map(\.isNew) == [false, false, true, false])
        #expect(try await store.count() == 4)
    }

    @Test func `writers that save the same drafts concurrently save each once`() async throws {
        let stores = [try await open("a"), try await open("b"), try await open("c")]
        for round in 0..<10 {
            let drafts = (0..<5).map { Self.draft("\(round) \($0)", url: "https://a.org/\($0)") }
            let results = try await withThrowingTaskGroup(of: [SavedClip].self) { group in
                for store in stores { group.addTask { try await store.addOnce(drafts) } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(Set(results.map { $0.map(\.id) }).count == 1)
            #expect(results.joined().count { $0.isNew } == 5)
        }
        #expect(try await stores[0].count() == 50)
    }

    @Test func `a page that is saved under a variant of its URL is not saved again`() async throws {
        let store = try await open()
        _ = try await store.add([Self.draft("u", url: "https://a.org/page")])
        let variants = ["http://www.a.org/page/", "https://a.org/page?utm_source=x"]
        let saved = try await store.addOnce(
            variants.enumerated().map { Self.draft("v\($0)", url: $1) } + [
                Self.draft("w", url: "https://a.org/other")
            ],
            unlessURLExists: [0, 1, 2])
        #expect(saved.map(\.id) == [1, 1, 2] && saved.map(\.isNew) == [false, false, true])
    }

    @Test(arguments: DuplicatePolicy.allCases)
    func `an import of the same UUID adds no clip, for every policy`(policy: DuplicatePolicy) async throws {
        let store = try await open()
        let (ids, first) = try await store.add(
            [Self.draft("u", title: "old"), Self.draft("v", url: "")].map {
                var draft = $0
                draft.text = "text"
                return draft
            }, duplicates: policy)
        #expect(ids == [1, 2] && first.saved == 2)
        let (again, outcome) = try await store.add([Self.draft("u", title: "new")], duplicates: policy)
        #expect(again == [1] && outcome.saved == 0)
        #expect(try await store.count() == 2)
        let title = try await store.clip(1).title
        #expect(title == (policy == .replace ? "new" : "old"))
    }

    @Test func `an undone deletion restores a clip with a new UUID if another clip has its own`() async throws
    {
        let store = try await open()
        _ = try await store.addOnce([Self.draft("u"), Self.draft("v")])
        let token = try #require(try await store.delete([1, 2]).token)
        _ = try await store.addOnce([Self.draft("u", title: "another")])
        guard case .saved = try await store.undo(token) else {
            Issue.record("the undo is contested")
            return
        }
        let (first, second) = (try await store.clip(1), try await store.clip(2))
        #expect(second.uuid == "v" && first.uuid != "u" && first.uuid.count == 36)
        #expect(try await store.clip(3).uuid == "u")
    }

    @Test func `a page ends at its size, and the next one begins after it`() async throws {
        let store = try await open()
        _ = try await store.addOnce((0..<20).map { Self.draft(nil, title: "\($0)") })
        var ids: [Int64] = []
        var cursor: ClipCursor?
        repeat {
            let page = try await store.page(after: cursor, limit: 7, maxBytes: 1000)
            #expect(!page.clips.isEmpty && page.clips.reduce(0) { $0 + $1.json.utf8.count } <= 1000)
            ids += page.clips.map(\.id)
            cursor = page.next.flatMap { ClipCursor($0.description) }
        } while cursor != nil
        #expect(ids == (1...20).reversed())
    }
}
