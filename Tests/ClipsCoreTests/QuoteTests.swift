import ClipsCore
import PersistentStore
import TestSupport
import Testing

/// Quotes of clips: saved, deleted and restored with their clip, undone, merged, and searched.
@Suite struct QuoteTests {
    private let folder: TemporaryFolder
    private let store: ClipStore

    init() async throws {
        folder = try TemporaryFolder()
        store = try await ClipStore(path: folder.path(of: "clips.db"), author: "test")
    }

    private func saved(_ url: String, _ quotes: Quote...) async throws -> Int64 {
        var draft = ClipDraft()
        (draft.url, draft.title, draft.quotes) = (url, "Title", quotes)
        return try await store.add([draft])[0]
    }

    private func quotes(of clip: Int64) async throws -> [String] {
        try await store.clip(clip).quotes.map(\.text)
    }

    private func stored() async throws -> Int {
        try await store.container.count(FetchRequest(Quote.entity))
    }

    @Test func `a quote is added to its clip, and undone`() async throws {
        let clip = try await saved("https://a.org")
        let token = try #require(try await store.add(Quote("Words.", note: "Why"), to: clip).token)
        #expect(try await store.clip(clip).quotes.map(\.note) == ["Why"])
        #expect(try await store.changeDescription(of: token) == "added a quote of “Title”")
        _ = try await store.undo(token)
        #expect(try await quotes(of: clip) == [])
        #expect(try await stored() == 0)
    }

    @Test func `each change of a quote is one of its clip, even within a millisecond`() async throws {
        var options = StoreOptions()
        options.clock = { 1_000_000 }
        let path = folder.path(of: "still.db")
        let still = try await ClipStore(path: path, author: "test", options: options)
        var draft = ClipDraft()
        (draft.url, draft.title) = ("https://a.org", "Title")
        let clip = try await still.add([draft])[0]
        var tokens = [try await still.add(Quote("Words"), to: clip).token]
        let quote = try await still.clip(clip).quotes[0]
        for note in ["Why", nil] { tokens.append(try await still.change(quote, of: clip, note: note).token) }
        for (token, verb) in zip(tokens, ["added", "changed", "deleted"]) {
            let change = try await still.changeDescription(of: try #require(token))
            #expect(change == "\(verb) a quote of “Title”")
        }
        #expect(try await still.add(Quote("Words"), to: 99).value == false)
        #expect(try await still.container.count(FetchRequest(Quote.entity)) == 0)
    }

    @Test func `quotes are deleted and restored with their clip, by any way`() async throws {
        let clip = try await saved("https://a.org", Quote("One"), Quote("Two"))
        let other = try await saved("https://b.org", Quote("Other"))
        for way in 0..<3 {
            let token = try #require(try await store.delete([clip, other]).token)
            #expect(try await stored() == 0)
            switch way {
            case 0: _ = try await store.restore([clip, other])
            case 1: _ = try await store.restore(nil, deletedBy: token)
            default: _ = try await store.undo(token)
            }
            #expect(try await quotes(of: clip) == ["One", "Two"], "way \(way)")
            #expect(try await quotes(of: other) == ["Other"], "way \(way)")
        }
        let token = try #require(try await store.delete([clip, other]).token)
        _ = try await store.restore(clip, deletedBy: token)
        #expect(try await quotes(of: clip) == ["One", "Two"])
        #expect(try await stored() == 2)
    }

    @Test func `a clip that another program deletes leaves quotes and checks, which a repair deletes`()
        async throws
    {
        let clip = try await saved("https://a.org", Quote("One"))
        let other = try await saved("https://b.org", Quote("Other"))
        _ = try await store.record(["https://a.org": .live, "https://b.org": .live])
        _ = try Shell.run("sqlite3", [store.path, "DELETE FROM Clip WHERE id = \(clip)"])
        #expect(try await store.orphanCount() == 2)
        #expect(try await store.check().findings == [])
        // Its quote returns with it.
        #expect(try await store.restore([clip]).restored == [clip])
        #expect(try await quotes(of: clip) == ["One"])
        _ = try Shell.run("sqlite3", [store.path, "DELETE FROM Clip WHERE id = \(clip)"])
        let steps = try await store.undoHistory().undoable.count
        try await store.repair()
        #expect(try await store.orphanCount() == 0)
        // Undo does not restore it.
        #expect(try await store.undoHistory().undoable.count == steps)
        #expect(try await stored() == 1)
        #expect(try await quotes(of: other) == ["Other"])
        // The clip does.
        #expect(try await store.restore([clip]).restored == [clip])
        #expect(try await quotes(of: clip) == ["One"])
    }

    @Test func `a window deletes the quotes of a clip that another program deletes`() async throws {
        let clip = try await saved("https://a.org", Quote("One"), Quote("Two"))
        let other = try await saved("https://b.org", Quote("Other"))
        let session = try await ClipsSession(path: store.path, author: "window") { _ in }
        try await session.start()
        _ = try Shell.run("sqlite3", [store.path, "DELETE FROM Clip WHERE id = \(clip)"])
        #expect(try await soon { try await stored() == 1 })
        #expect(try await quotes(of: other) == ["Other"])
        #expect(try await store.restore([clip]).restored == [clip])
        #expect(Set(try await quotes(of: clip)) == ["One", "Two"])
        await session.stop()
    }

    @Test func `a window deletes the quotes of clips that are more than it merges one by one`() async throws {
        let session = try await ClipsSession(path: store.path, author: "window") { _ in }
        try await session.start()
        _ = try await saved("https://a.org", Quote("One"))
        _ = try Shell.run(
            "sqlite3",
            [
                store.path,
                """
                WITH RECURSIVE n (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
                INSERT INTO Clip (url) SELECT 'https://b.org/' || i FROM n; DELETE FROM Clip;
                """,
            ])
        #expect(try await soon { try await stored() == 0 })
        await session.stop()
    }

    @Test(arguments: 0..<3) func `a clip returns with its quotes after an import has used their UUIDs`(
        way: Int
    )
        async throws
    {
        let quote = Quote("One")
        let clip = try await saved("https://a.org", quote)
        var copy = ClipDraft()
        (copy.url, copy.uuid, copy.quotes) = ("https://a.org", try await store.clip(clip).uuid, [quote])
        let token = try #require(try await store.delete([clip]).token)
        let imported = try await store.add([copy])[0]
        switch way {
        case 0: _ = try await store.restore([clip])
        case 1: _ = try await store.restore(nil, deletedBy: token)
        default: _ = try await store.undo(token)
        }
        let found = (try await quotes(of: clip), try await quotes(of: imported))
        #expect(found == (["One"], ["One"]))
    }

    @Test func `a file without UUIDs adds its quotes once`() async throws {
        func merge(_ quote: Quote) async throws -> DuplicateOutcome {
            var draft = ClipDraft()
            (draft.url, draft.title, draft.quotes) = ("https://a.org", "Title", [quote])
            return try await store.add([draft], duplicates: .merge).outcome
        }
        for created: Int64? in [nil, 1] {
            _ = try await merge(Quote("One", created: created))
            #expect(try await merge(Quote("One", created: created)).unchanged == 1)
        }
        #expect(try await stored() == 2)
    }

    @Test func `a change of a quote is one sentence, and remains one after its undo`() async throws {
        let clip = try await saved("https://a.org")
        let token = try #require(try await store.add(Quote("Words"), to: clip).token)
        func sentences(_ token: HistoryToken) async throws -> [String] {
            let request = HistoryFetchRequest(.ending(at: token), limit: 1)
            let transactions = try await store.container.transactions(request)
            let changes = transactions.flatMap(\.changes)
            let context = try await store.context(of: changes)
            let role = UndoHistory.Role(contextName: transactions.first?.contextName)
            return changes.compactMap { context.sentence($0, of: changes, role: role) }
        }
        let sentence = "quoted “Words” from clip \(clip) “Title”"
        #expect(try await sentences(token) == [sentence])
        let undone = try #require(try await store.undo(token).token)
        #expect(try await sentences(token) == ["added a quote of clip \(clip) “Title”"])
        #expect(try await sentences(undone) == ["undid: " + sentence])
        let redone = try #require(try await store.undo(undone, isRedoing: true).token)
        #expect(try await sentences(redone) == ["redid: " + sentence])
    }

    @Test func `a quote of a clip that others deleted is not redone`() async throws {
        let clip = try await saved("https://a.org")
        let token = try #require(try await store.add(Quote("Words"), to: clip).token)
        let undone = try #require(try await store.undo(token).token)
        _ = try await store.delete([clip])
        guard case .saved(let redone) = try await store.undo(undone, isRedoing: true) else {
            Issue.record("contested")
            return
        }
        #expect(redone.token == nil && redone.deleted == 1)
        #expect(try await store.container.fetch(FetchRequest(Quote.entity)).isEmpty)
    }

    @Test func `a known quote does not stand for the change of another clip`() async throws {
        let clips = [try await saved("https://a.org"), try await saved("https://b.org")]
        var changes: [HistoryChange] = []
        for clip in clips {
            let token = try #require(try await store.add(Quote("Words"), to: clip).token)
            let request = HistoryFetchRequest(.ending(at: token), limit: 1)
            changes += try await store.container.transactions(request).flatMap(\.changes)
            if clip == clips[1] { _ = try await store.undo(token) }
        }
        let context = try await store.context(of: changes)
        let sentences = changes.compactMap { context.sentence($0, of: changes) }
        #expect(sentences.count == 2 && sentences[1].contains("clip \(clips[1])"), "\(sentences)")
    }

    @Test func `the history names the words and the clip of a quote`() async throws {
        let clip = try await saved("https://a.org")
        let long = String(repeating: "word ", count: 20)
        let token = try #require(try await store.add(Quote(long), to: clip).token)
        func sentences(_ token: HistoryToken) async throws -> [String] {
            let changes = try await store.container.transactions(
                HistoryFetchRequest(.ending(at: token), limit: 1)
            )
            .flatMap(\.changes)
            let context = try await store.context(of: changes)
            return changes.filter { $0.objectID.entity == Quote.entity }.compactMap { context.sentence($0) }
        }
        let words = "“\(long.prefix(40))…” from clip \(clip) “Title”"
        #expect(try await sentences(token) == ["quoted \(words)"])
        let quote = try await store.clip(clip).quotes[0]
        let deletion = try #require(try await store.change(quote, of: clip, note: nil).token)
        #expect(try await sentences(deletion) == ["deleted the quote \(words)"])
        try await store.delete([clip])
        #expect(
            try await sentences(deletion) == ["deleted the quote “\(long.prefix(40))…” from a deleted clip"])
    }

    @Test func `undo of a save deletes the quotes that were added since`() async throws {
        var draft = ClipDraft()
        draft.url = "https://a.org"
        let (clip, _, token) = try await store.add(draft)
        _ = try await store.add(Quote("Later"), to: clip)
        _ = try await store.undo(try #require(token), contested: .overwrite)
        #expect(try await stored() == 0)
    }

    @Test func `a deleted quote returns by undo`() async throws {
        let clip = try await saved("https://a.org", Quote("One"), Quote("Two"))
        let first = try #require(try await store.clip(clip).quotes.first)
        let token = try #require(try await store.change(first, of: clip, note: nil).token)
        #expect(try await quotes(of: clip) == ["Two"])
        _ = try await store.undo(token)
        #expect(Set(try await quotes(of: clip)) == ["One", "Two"])
    }

    @Test func `merged clips have the quotes of all`() async throws {
        let clip = try await saved("https://a.org/page", Quote("One"))
        _ = try await saved("https://a.org/page?utm_source=x", Quote("Two"))
        let merged = try await store.mergeDuplicates(try await store.duplicates(), .merge)
        #expect(merged.remaining == [clip] && merged.deleted == 1)
        #expect(Set(try await quotes(of: clip)) == ["One", "Two"])
        _ = try await store.undo(try #require(merged.token))
        #expect(try await quotes(of: clip) == ["One"])

        var draft = ClipDraft()
        (draft.url, draft.quotes) = ("https://a.org/page", [Quote("Three")])
        _ = try await store.add([draft], duplicates: .merge)
        #expect(try await stored() == 3)
    }

    @Test(arguments: [DuplicatePolicy.keepBoth, .merge, .skip, .replace])
    func `a repeated import adds no quote twice to a clip`(policy: DuplicatePolicy) async throws {
        var draft = ClipDraft()
        (draft.url, draft.title, draft.created) = ("https://a.org", "T", 1000)
        (draft.uuid, draft.quotes) = ("00000000-0000-4000-8000-00000000000a", [Quote("One")])
        for _ in 0..<2 { _ = try await store.add([draft], duplicates: policy) }
        #expect(try await quotes(of: 1) == ["One"])
        #expect(try await stored() == 1)
    }

    @Test func `a search finds the words and the note of a quote, until it is deleted`() async throws {
        let clip = try await saved("https://a.org", Quote("A serendipitous thought", note: "remarkable"))
        _ = try await saved("https://b.org")
        for word in ["serendipitous", "remarkable"] {
            #expect(try await store.ids(matching: ClipQuery(filter: word)) == [clip], "\(word)")
        }
        let quote = try #require(try await store.clip(clip).quotes.first)
        _ = try await store.change(quote, of: clip, note: nil)
        #expect(try await store.ids(matching: ClipQuery(filter: "serendipitous")) == [])
    }

    @Test func `a quote as JSON is read unchanged`() async throws {
        let quote = Quote(
            "“Ä” <b>\n\u{1}", prefix: "before", suffix: "after", note: "n", author: "me", created: 5)
        let clip = try await saved("https://a.org", quote)
        let line = ClipRecord(try await store.clip(clip)).json()
        let object = try #require(JSONParser.parse(Array(line.utf8)).value)
        var read = ClipDraft()
        try ClipRecord.apply(object, to: &read)
        #expect(read.quotes == [quote])
    }
}
