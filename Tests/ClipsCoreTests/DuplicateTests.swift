import ClipsCore
import PersistentStore
import TestSupport
import Testing

struct DuplicateTests {
    let folder: TemporaryFolder
    let store: ClipStore

    init() async throws {
        folder = try TemporaryFolder()
        store = try await ClipStore(path: folder.path(of: "clips.db"), author: "app")
    }

    private static func draft(_ url: String, _ change: (inout ClipDraft) -> Void = { _ in }) -> ClipDraft {
        var draft = ClipDraft()
        draft.url = url
        draft.title = "title"
        change(&draft)
        return draft
    }

    private func clips(of store: ClipStore) async throws -> [Clip] {
        var clips: [Clip] = []
        try await store.forEachClip(ClipQuery(sort: SortKey("url"))) { clips.append($0) }
        return clips
    }

    @Test(arguments: DuplicatePolicy.allCases)
    func `the same URL is saved again`(policy: DuplicatePolicy) async throws {
        let first = try await store.add([
            Self.draft("http://x.org") { ($0.note, $0.tags) = ("one", ["b", "a"]) }
        ])[0]
        let again = Self.draft("http://x.org") { ($0.note, $0.tags, $0.isStarred) = ("two", ["c"], true) }
        let (ids, outcome) = try await store.add([again], duplicates: policy)
        let clips = try await clips(of: store)
        switch policy {
        case .keepBoth:
            #expect(clips.map(\.note) == ["one", "two"] && outcome.addedAsDuplicate == 1 && ids != [first])
        case .merge:
            #expect(
                clips.map(\.note) == ["one\n\ntwo"] && clips[0].tags == ["a", "b", "c"] && clips[0].isStarred)
            #expect(outcome.merged == 1 && ids == [first])
        case .replace:
            #expect(clips.map(\.note) == ["two"] && clips[0].tags == ["c"] && ids == [first])
            #expect(outcome.replaced == 1 && clips[0].id == first)
        case .skip:
            #expect(clips.map(\.note) == ["one"] && outcome.skipped == 1 && ids == [first])
        }
    }

    @Test(arguments: DuplicatePolicy.allCases)
    func `a clip without new contents changes nothing`(policy: DuplicatePolicy) async throws {
        let draft = Self.draft("http://x.org") { ($0.note, $0.created) = ("one", 5000) }
        _ = try await store.add([draft, draft], duplicates: policy)
        let before = try await clips(of: store)
        let outcome = try await store.add([draft], duplicates: policy).outcome
        #expect(outcome.unchanged == 1 && outcome.saved == 0)
        #expect(try await clips(of: store) == before && before.count == 1)
    }

    @Test func `a batch of new clips is saved like each of them`() async throws {
        let drafts = (0..<25).map { number in
            Self.draft("http://x.org/\(number)") { draft in
                (draft.title, draft.note) = (number == 3 ? "a\nb" : "t\(number)", number == 4 ? "n" : "")
                (draft.tags, draft.created) = (["a b", "c,d", "a b"], Int64(1000 + number))
                (draft.isStarred, draft.isUnread, draft.isArchived) = (number == 5, number != 6, number == 7)
                if number == 8 { (draft.uuid, draft.author, draft.updated) = ("u8", "elsewhere", 5000) }
            }
        }
        let other = try await ClipStore(path: folder.path(of: "other.db"), author: "app")
        for draft in drafts { _ = try await other.add([draft], duplicates: .keepBoth) }
        let (ids, outcome) = try await store.add(drafts, duplicates: .keepBoth)
        func contents(_ clip: Clip) -> ClipDraft {
            var draft = ClipDraft(clip)
            draft.uuid = clip.uuid == "u8" ? clip.uuid : nil
            return draft
        }
        #expect(try await clips(of: store).map(contents) == clips(of: other).map(contents))
        #expect(ids == Array(1...25) && outcome.saved == 25)
        let transactions = try await store.container.transactions()
        #expect(transactions.count == 1 && transactions[0].author == "app")
        #expect(transactions[0].changes.map(\.objectID.key) == ids)

        // With clips that exist, each draft still has its own result.
        let more = (20..<50).map { number in
            Self.draft("http://x.org/\(number)") { draft in
                (draft.title, draft.tags, draft.created) = (
                    "t\(number)", ["a b", "c,d"], Int64(1000 + number)
                )
            }
        }
        let second = try await store.add(more, duplicates: .keepBoth)
        #expect(second.ids == Array(21...50) && second.outcome.unchanged == 5 && second.outcome.saved == 25)
    }

    @Test func `merging is the same in any order, grouping and repetition`() throws {
        let seed: UInt64 = .random(in: 0...1_000_000)
        var random = SeededRandom(seed: seed)
        let urls = ["https://x.org/p#b", "https://x.org/p#a", "http://x.org/p#a", "https://x.org/p/", "u"]
        func any(_ url: String) -> ClipDraft {
            Self.draft(url) { draft in
                func some(_ words: [String]) -> [String] {
                    words.filter { _ in Bool.random(using: &random) }.shuffled(using: &random)
                }
                draft.title = some(["a", "b", "ccc"]).joined()
                // Texts that are part of others, and texts that were merged before.
                draft.text = some(["x", "xx y", "z", "yy"]).joined(
                    separator: Bool.random(using: &random) ? "\n\n----------\n\n" : " ")
                draft.note = some(["one", "two", "three"]).joined(separator: "\n\n")
                draft.tags = some(["p", "q", "r"])
                draft.isStarred = .random(using: &random)
                draft.isUnread = .random(using: &random)
                draft.isArchived = .random(using: &random)
                draft.created = .random(in: 1...3, using: &random)
                draft.updated = .random(in: 1...3, using: &random)
                draft.author = some(["m", "n"]).joined()
            }
        }
        for _ in 0..<3000 {
            // Clips of one page are merged, and its sections have the same key.
            let isPage = Bool.random(using: &random)
            func url() -> String { isPage ? urls[.random(in: 0..<4, using: &random)] : urls[4] }
            let (a, b, c) = (any(url()), any(url()), any(url()))
            let ab = ClipMerge.merged(a, b)
            #expect(ab == ClipMerge.merged(b, a), "seed \(seed)")
            #expect(ClipMerge.merged(ab, c) == ClipMerge.merged(a, ClipMerge.merged(b, c)), "seed \(seed)")
            #expect(ClipMerge.merged(ab, b) == ab && ClipMerge.merged(a, a) == a, "seed \(seed)")
        }
    }

    @Test func `merging retains the address of another section of the page`() async throws {
        let urls = ["#intro", "#advanced", "#:~:text=hello", "", "#advanced", "?utm_source=x#intro", "#top"]
            .map { "https://doc.example/p\($0)" }
        var outcomes: [DuplicateOutcome] = []
        for url in urls {
            let draft = Self.draft(url) { $0.title = "P" }
            outcomes.append(try await store.add([draft], duplicates: .merge).outcome)
        }
        #expect(outcomes.map(\.merged) == [0, 1, 1, 1, 0, 0, 0])
        #expect(outcomes.map(\.unchanged) == [0, 0, 0, 0, 1, 1, 1])
        let clips = try await clips(of: store)
        #expect(clips.map(\.url) == ["https://doc.example/p"])
        let sections = ["#:~:text=hello", "#advanced", "#intro"]
        #expect(
            clips.map(\.note)
                == [sections.map { "url: https://doc.example/p\($0)" }.joined(separator: "\n\n")])
    }

    @Test func `merging loses no text and no title`() throws {
        let one = Self.draft("u") { ($0.title, $0.text, $0.created) = ("short", "a long text of one", 1) }
        let other = Self.draft("u") { ($0.title, $0.text, $0.created) = ("a longer title", "another", 2) }
        let merged = ClipMerge.merged(one, other)
        #expect(merged.title == "a longer title" && merged.note == "title: short")
        #expect(merged.text == "a long text of one\n\n----------\n\nanother")
        let part = Self.draft("u") { ($0.title, $0.text, $0.created) = ("short", "long text", 3) }
        #expect(ClipMerge.merged(merged, part) == merged)
    }

    @Test func `a merge marks a clip as read only if the draft says it`() async throws {
        for (saved, isUnread, isSaid) in [
            (true, false, false), (false, true, false), (true, false, true), (false, true, true),
            (true, true, true),
        ] {
            let url = "http://x.org/\(saved)/\(isUnread)/\(isSaid)"
            _ = try await store.add([Self.draft(url) { $0.isUnread = saved }])
            let draft = Self.draft(url) { draft in
                (draft.note, draft.isUnread, draft.hasReadState) = ("more", isUnread, isSaid)
            }
            // A later draft of the same page that does not say it changes nothing either.
            let later = Self.draft(url) { ($0.note, $0.isUnread) = ("most", !isUnread) }
            let outcome = try await store.add([draft, later], duplicates: .merge).outcome
            #expect(outcome.merged == 2)
            let clip = try #require(try await clips(of: store).first { $0.url == url })
            #expect(clip.isUnread == (saved && (isUnread || !isSaid)), "\(url)")
            #expect(clip.note == "more\n\nmost")
        }
    }

    @Test func `a draft that only assumes to be read leaves a saved clip unchanged`() async throws {
        let draft = Self.draft("http://x.org") { $0.created = 5000 }
        _ = try await store.add([draft])
        var again = draft
        again.isUnread = false
        #expect(try await store.add([again], duplicates: .merge).outcome.unchanged == 1)
        again.hasReadState = true
        #expect(try await store.add([again], duplicates: .merge).outcome.merged == 1)
        #expect(try await store.add([again], duplicates: .merge).outcome.unchanged == 1)
    }

    @Test func `clips that are too large together remain separate`() async throws {
        let half = ClipDraft.largestText / 2
        let drafts = ["a", "b"].map { letter in
            let part = String(repeating: letter, count: 1024)
            return Self.draft("http://x.org") { $0.text = String(repeating: part, count: half / 1024) }
        }
        let outcome = try await store.add(drafts, duplicates: .merge).outcome
        #expect(outcome.saved == 2 && outcome.addedAsDuplicate == 1)
    }

    @Test func `two processes that merge the same URLs concurrently leave one clip for each`() async throws {
        let other = try await ClipStore(path: folder.path(of: "clips.db"), author: "extension")
        let rounds = LongProof.count(5, of: 20, "rounds of concurrent merges")
        for round in 0..<rounds {
            let urls = (0..<30).map { "http://x.org/\(round)/\($0)" }
            async let left = store.add(
                urls.map { Self.draft($0) { ($0.tags, $0.created) = (["left"], 1000) } }, duplicates: .merge)
            async let right = other.add(
                urls.map { Self.draft($0) { ($0.tags, $0.created) = (["right"], 2000) } }, duplicates: .merge)
            let ids = try await (left.ids, right.ids)
            #expect(Set(ids.1).isSubset(of: Set(try await clips(of: store).map(\.id))))
        }
        let clips = try await clips(of: store)
        #expect(clips.count == 30 * rounds)
        #expect(clips.allSatisfy { $0.tags == ["left", "right"] && $0.created.milliseconds == 1000 })
    }
}
