import PersistentStore
import TestSupport
import Testing

@testable import ClipsCore

/// Messages about a change name the clip and the direction of the change.
@Suite struct ChangeWordsTests {
    private let folder: TemporaryFolder
    private let store: ClipStore
    private let id: Int64

    init() async throws {
        folder = try TemporaryFolder()
        store = try await ClipStore(path: folder.path(of: "clips.db"), author: "cli")
        id = try #require(try await store.add([Self.draft("A")]).first)
    }

    private static func draft(_ title: String) -> ClipDraft {
        var draft = ClipDraft()
        (draft.title, draft.tags) = (title, ["old"])
        return draft
    }

    private func last() async throws -> HistoryTransaction {
        var feed = try await TransactionFeed(of: store, from: .newest, limit: 1)
        return try #require(try await feed.next()?.last)
    }

    /// The sentence of the newest transaction, in `clips history` and after its undo and redo.
    private func sentences() async throws -> [String] {
        let transaction = try await last()
        let change = try #require(transaction.changes.first)
        let history = try await store.context(of: [change]).sentence(change) ?? ""
        let undo = try await store.changeDescription(of: transaction.token) ?? ""
        _ = try await store.undo(transaction.token)
        let redo = try await store.changeDescription(of: last().token, isRedoing: true) ?? ""
        return [history, undo, redo]
    }

    @Test(arguments: [
        (ClipAttribute.starred, true, "starred", ""), (.starred, false, "unstarred", ""),
        (.archived, true, "archived", ""), (.archived, false, "unarchived", ""),
        (.unread, true, "marked", " as unread"), (.unread, false, "marked", " as read"),
    ])
    func `a flag is named with its direction`(
        flag: ClipAttribute, isOn: Bool, verb: String, state: String
    ) async throws {
        try await store.set(flag, !isOn, of: [id])
        try await store.set(flag, isOn, of: [id])
        #expect(
            try await sentences() == [
                "\(verb) clip \(id) “A”\(state)", "\(verb) “A”\(state)", "\(verb) “A”\(state)",
            ])
    }

    /// The sentence of the newest transaction as the history has it.
    private func sentence() async throws -> String {
        let transaction = try await last()
        let change = try #require(transaction.changes.first)
        let role = UndoHistory.Role(contextName: transaction.contextName)
        return try await store.context(of: [change]).sentence(change, role: role) ?? ""
    }

    @Test func `an undo is named by the work that it undid, and a chosen return by the restored object`()
        async throws
    {
        _ = try await store.tag([id], adding: ["new"], removing: [])
        _ = try await store.undo(try await last().token)
        #expect(try await sentence() == "undid: tagged clip \(id) “A” +new")
        _ = try await store.undo(try await last().token, isRedoing: true)
        #expect(try await sentence() == "redid: tagged clip \(id) “A” +new")
        try await store.set(.starred, true, of: [id])
        _ = try await store.undo(try await last().token)
        #expect(try await sentence() == "undid: starred clip \(id) “A”")
        _ = try await store.delete([id])
        _ = try await store.undo(try await last().token)
        #expect(try await sentence() == "undid: deleted clip \(id) “A”")
        let undo = TransactionSummary(try await last(), ownSession: nil)
        #expect(undo.lines.first?.words.phrase == "undone: deleted")
        _ = try await store.delete([id])
        _ = try await store.restore([id])
        #expect(try await sentence() == "restored clip \(id) “A”")
        #expect(try await store.changeDescription(of: last().token) == "restored “A”")
        let clip = try await store.clip(id)
        _ = try await store.delete([id])
        try await store.restore(clip, with: [:])
        #expect(try await sentence() == "restored clip \(id) “A”")
        _ = try await store.undo(try await last().token)
        #expect(try await store.changeDescription(of: last().token, isRedoing: true) == "restored “A”")
        #expect(try await sentence() == "undid: restored clip \(id) “A”")
        _ = try await store.undo(try await last().token, isRedoing: true)
        #expect(try await store.changeDescription(of: last().token) == "restored “A”")
        #expect(try await sentence() == "redid: restored clip \(id) “A”")
        let other = try #require(try await store.add([Self.draft("B")]).first)
        _ = try await store.undo(try await last().token)
        #expect(try await sentence() == "undid: saved clip \(other) “B”")
        let summary = TransactionSummary(try await last(), ownSession: nil)
        #expect(summary.role.isUndo && summary.lines.first?.words.phrase == "undone: saved")
    }

    @Test func `tags are named with their signs, even after later changes`() async throws {
        _ = try await store.tag([id], adding: ["new", "more"], removing: ["old"])
        let change = try #require(try await last().changes.first)
        #expect(
            try await sentences() == [
                "tagged clip \(id) “A” +new +more -old", "tagged “A” +new +more -old",
                "tagged “A” +new +more -old",
            ])
        _ = try await store.tag([id], adding: ["later"], removing: [])
        #expect(
            try await store.context(of: [change]).sentence(change) == "tagged clip \(id) “A” +new +more -old")
        _ = try await store.delete([id])
        #expect(
            try await store.context(of: [change]).sentence(change) == "tagged clip \(id) “A” +new +more -old")
    }

    @Test func `an edit names its attributes, and clips that changed alike are counted`() async throws {
        try await store.update(id, [.url: .text("https://a.c")])
        #expect(
            try await sentences() == [
                "added the URL of clip \(id) “A”", "added the URL of “A”",
                "added the URL of “A”",
            ])
        try await store.update(id, [.url: .text("https://a.c")])
        try await store.update(id, [.title: .text("B"), .url: .text("https://b.c")])
        #expect(
            try await sentences()
                == ["changed the URL and title of clip \(id) “B”", "changed the URL and title of “B”"]
                + ["changed the URL and title of “A”"])
        let ids = try await store.add(["C", "D"].map(Self.draft))
        try await store.set(.archived, true, of: ids)
        #expect(try await store.changeDescription(of: last().token) == "archived 2 clips")
        _ = try await store.container.write(author: "test") { transaction throws(StoreError) in
            try transaction.update(ClipModel.objectID(ids[0]), ["title": .text("E")])
            try transaction.delete(ClipModel.objectID(ids[1]))
        }
        #expect(
            try await store.changeDescription(of: last().token) == "changed “E” (title changed), deleted “D”")
        // A merge gives the title of one clip to the other, which had none.
        let urls = try await store.add(["", "F"].map(Self.draft))
        try await store.update(urls[0], [.url: .text("https://f.example")])
        _ = try await store.container.write(author: "test") { transaction throws(StoreError) in
            try transaction.update(ClipModel.objectID(urls[0]), ["title": .text("F")])
            try transaction.delete(ClipModel.objectID(urls[1]))
        }
        #expect(
            try await store.changeDescription(of: last().token)
                == "changed “https://f.example” (title added), deleted “F”")
        _ = try await store.container.write(author: "test") { transaction throws(StoreError) in
            try transaction.update(ClipModel.objectID(ids[0]), ["title": .text("A")])
            try transaction.delete(ClipModel.objectID(id))
        }
        let merge = try await store.changeDescription(of: last().token)
        #expect(merge == "changed “E” (title changed), deleted “A”")
    }

    /// The phrase of the newest transaction in the row of the app, and in its detail.
    private func phrases() async throws -> [String] {
        let transaction = try await last()
        let line = try #require(TransactionSummary(transaction, ownSession: nil).lines.first)
        let (row, detail) = try await store.container.read { snapshot throws(StoreError) in
            let values = try snapshot.values(line.words.lacking, after: [(line.number, line.clip)])
            return (
                values[line.number].map(line.words.with) ?? line.words,
                try TransactionDetail(transaction.token, in: snapshot)
            )
        }
        return [row.phrase, detail?.changes.first?.words.phrase ?? ""]
    }

    @Test(arguments: [ClipAttribute.note, .url, .text])
    func `a text is added, changed, or deleted, and so are its undo and redo`(
        attribute: ClipAttribute
    ) async throws {
        let values = ["https://a.example", "https://b.example", ""]
        for (value, verb) in zip(values, ["added", "changed", "deleted"]) {
            try await store.update(id, [attribute: .text(value)])
            let words = "\(verb) the \(attribute.words) of clip \(id) “A”"
            let phrase = "\(attribute.words) \(verb)"
            #expect(try await sentence() == words)
            #expect(try await phrases() == [phrase, phrase])
            _ = try await store.undo(try await last().token)
            #expect(try await sentence() == "undid: \(words)")
            #expect(try await phrases() == ["undone: \(phrase)", "undone: \(phrase)"])
            _ = try await store.undo(try await last().token, isRedoing: true)
            #expect(try await sentence() == "redid: \(words)")
            #expect(try await phrases() == ["redone: \(phrase)", "redone: \(phrase)"])
        }
    }

    @Test(arguments: [ClipAttribute.updated, .created])
    func `a time that changed alone is no change of quotes`(attribute: ClipAttribute) async throws {
        let object = ClipModel.objectID(id)
        let values = [attribute.rawValue: AttributeValue.integer(5)]
        _ = try await store.write { transaction throws(StoreError) in
            try transaction.set(values, of: object)
        }
        #expect(try await sentence() == "changed the \(attribute.words) of clip \(id) “A”")
        let phrase = "\(attribute.words) changed"
        #expect(try await phrases() == [phrase, phrase])
        #expect(
            try await store.changeDescription(of: last().token) == "changed the \(attribute.words) of “A”")
    }

    @Test func `undo of an author as the history shows it is limited to the window`() async throws {
        let (first, second) = (store.acting(asWindow: 1), store.acting(asWindow: 2))
        try await second.set(.starred, true, of: [id])
        try await first.set(.archived, true, of: [id])
        let undoing = try await store.undoing(shownAs: "cli 2")
        let step = try #require(try await undoing.undoHistory().undoable.last)
        #expect(try await store.changeDescription(of: step.token) == "starred “A”")
        #expect(try await undoing.undoable(since: .beginning).count == 1)
        _ = try await undoing.undo(step.token)
        #expect(TransactionSummary(try await last(), ownSession: nil).isBy("cli 2"))
        #expect(try await undoing.undoHistory().undoable.isEmpty)
        #expect(try await undoing.undoHistory(isRedoing: true).redoable.count == 1)
    }

    @Test func `all work of a window or a client has its name, and undo skips what is no edit`() async throws
    {
        for (store, name) in [(store.acting(asWindow: 2), "cli 2"), (store.acting(for: "helper"), "helper")] {
            func check(_ work: String) async throws {
                let transaction = try await last()
                let isNamed = name == "cli 2" && TransactionSummary(transaction, ownSession: nil).isBy(name)
                #expect(
                    isNamed || transaction.contextName?.hasPrefix(name) == true, "\(work): \(transaction)")
            }
            let id = try #require(try await store.add([Self.draft("B"), Self.draft("B")]).first)
            let steps = try await store.undoHistory().undoable.count
            _ = try await store.markAsOpened([id])
            try await check("opened")
            #expect(try await store.undoHistory().undoable.count == steps)
            _ = try await store.delete([id])
            _ = try await store.restore([id])
            try await check("restored")
            _ = try await store.mergeDuplicates(try await store.duplicates(), .merge)
            try await check("merged")
        }
    }
}
