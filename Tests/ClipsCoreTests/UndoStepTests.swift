import ClipsCore
import PersistentStore
import TestSupport
import Testing

/// Work of one command or key that takes several transactions is one step of undo.
@Suite struct UndoStepTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func open(_ author: String = "cli") async throws -> ClipStore {
        try await ClipStore(path: folder.path(of: "clips.db"), author: author)
    }

    private static func drafts(_ range: Range<Int>) -> [ClipDraft] {
        range.map { number in
            var draft = ClipDraft()
            (draft.title, draft.url) = ("title \(number)", "https://example.org/\(number)")
            return draft
        }
    }

    /// The clips as lines, to compare states.
    private func lines(_ store: ClipStore) async throws -> [String] {
        let objects = try await store.container.fetch(FetchRequest(ClipModel.entity))
        return objects.map { "\($0.id.key) \($0["title"]) \($0["tags"]) \($0["starred"]) \($0["unread"])" }
    }

    @Test func `an import in several transactions is undone and redone as one step`() async throws {
        let store = try await open()
        _ = try await store.add(Self.drafts(0..<3))
        let before = try await lines(store)
        let importer = try await store.asOneStep()
        for start in stride(from: 100, to: 1300, by: 300) {
            _ = try await importer.add(Self.drafts(start..<start + 300), duplicates: .keepBoth)
        }
        let after = try await lines(store)
        #expect(after.count == 1203)
        // A later process undoes it.
        let next = try await open()
        let history = try await next.undoHistory()
        let step = try #require(history.undoable.last)
        #expect(history.undoable.count == 2)
        #expect(try await next.changeDescription(of: step.token) == "saved 1,200 clips")
        let undo = try #require(try await next.undo(step.token).saved)
        #expect(undo.count == 1200 && undo.clips.count == 1200)
        let token = undo.token
        #expect(try await lines(next) == before)
        let undone = try await open().undoHistory(isRedoing: true)
        #expect(undone.undoable.count == 1 && undone.redoable.map(\.token) == [token])
        #expect(
            try await next.changeDescription(of: #require(token), isRedoing: true) == "saved 1,200 clips")
        _ = try await next.undo(#require(token), isRedoing: true)
        #expect(try await lines(next) == after)
        #expect(try await open().undoHistory().undoable.count == 2)
    }

    @Test func `a change of many clips is divided, and undone as one step`() async throws {
        let store = try await open()
        let ids = try await store.add(Self.drafts(0..<1200))
        let before = try await lines(store)
        let tagged = try await store.tag(ids, adding: ["x"], removing: [])
        #expect(tagged.value.clips.count == 1200)
        let deleted = try await store.delete(ids)
        #expect(deleted.value.count == 1200)
        #expect(try await store.count() == 0)
        let sizes = try await store.container.transactions().map(\.changes.count)
        #expect(sizes.max() == 1200 && sizes.filter { $0 == 500 }.count == 4)
        _ = try await store.undo(#require(deleted.token))
        _ = try await store.undo(#require(tagged.token))
        #expect(try await lines(store) == before)
    }

    @Test func `an undo that is interrupted can be repeated`() async throws {
        let store = try await open()
        let ids = try await store.add(Self.drafts(0..<1200))
        let before = try await lines(store)
        let deleted = try #require(try await store.delete(ids).token)
        // What the first part of an interrupted undo leaves.
        let last = try #require(
            try await store.container.transactions(HistoryFetchRequest(.newest, limit: 1)).last)
        let context = store.container.makeContext(
            author: "cli", name: "undo \(deleted.number) #\(deleted.number)+")
        for change in last.changes { try await context.restore(change) }
        try await context.save()
        let history = try await open().undoHistory()
        #expect(history.undoable.last?.token == deleted && history.redoable.isEmpty)
        _ = try await store.undo(deleted)
        #expect(try await lines(store) == before)
        #expect(try await open().undoHistory().undoable.count == 1)
    }

    @Test func `one transaction of another program with many changes is undone in parts`() async throws {
        let store = try await open()
        let ids = try await store.add(Self.drafts(0..<1200))
        let before = try await lines(store)
        var request = BatchRequest.update(ClipModel.entity, set: ["title": "same"])
        request.returnsObjectIDs = true
        let batch = try await store.container.execute(request, author: "cli")
        _ = try await store.container.execute(
            .update(ClipModel.entity, where: .keys([ids[700]]), set: ["title": "theirs"]),
            author: "other")
        guard case .contested(let conflict) = try await store.undo(#require(batch.token)) else {
            Issue.record("not contested")
            return
        }
        #expect(conflict.count == 1 && conflict.clips.map(\.id) == [ids[700]])
        #expect(try await store.clip(ids[0]).title == "same")
        _ = try await store.undo(#require(batch.token), contested: .keepTheirs)
        #expect(try await store.clip(ids[700]).title == "theirs")
        _ = try await store.update(ids[700], [.title: .text("title 700")])
        #expect(try await lines(store) == before)
    }

    @Test func `clips that a step inserted and changed in several parts are undone`() async throws {
        let store = try await open()
        let step = try await store.asOneStep()
        let ids = try await step.add(Self.drafts(0..<600))
        _ = try await step.tag(ids, adding: ["x"], removing: [])
        let last = try #require(try await store.undoHistory().undoable.last)
        let undo = try #require(try await store.undo(last.token).saved)
        #expect(undo.count == 600 && undo.clips.count == 600)
        #expect(try await store.count() == 0)
    }

    /// Another writer changes a clip of a later part while an earlier part of the undo is saved.
    @Test func `a change by another writer between the parts of an undo is kept`() async throws {
        let store = try await open()
        let ids = try await store.add(Self.drafts(0..<1200))
        let tagged = try await store.tag(ids, adding: ["x"], removing: [])
        let other = try await ClipStore(path: folder.path(of: "clips.db"), author: "other")
        let theirs = Task {
            // The undo begins with its last part.
            while try await other.clip(ids[1199]).tags.contains("x") { await Task.yield() }
            _ = try await other.tag([ids[0]], adding: ["theirs"], removing: [])
        }
        _ = try await store.undo(#require(tagged.token), contested: .keepTheirs)
        try await theirs.value
        #expect(try await store.clip(ids[0]).tags == ["theirs"])
        #expect(try await store.clip(ids[1]).tags == [])
    }
}
