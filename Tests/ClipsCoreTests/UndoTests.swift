import ClipsCore
import PersistentStore
import TestSupport
import Testing

struct UndoTests {
    let folder: TemporaryFolder
    let store: ClipStore

    init() async throws {
        folder = try TemporaryFolder()
        store = try await ClipStore(path: folder.path(of: "clips.db"), author: "app")
    }

    @Test func `a whole chain can be undone, with the deleted clip under its ID`() async throws {
        var draft = ClipDraft()
        draft.title = "first"
        draft.text = "text"
        let (id, _, added) = try await store.add(draft)
        let starred = try await store.update(id, [.starred: .boolean(true)])
        let deleted = try await store.delete([id])
        _ = try await store.undo(#require(deleted.token))
        let restored = try await store.clip(id)
        #expect(restored.title == "first" && restored.text == "text" && restored.isStarred)
        _ = try await store.undo(#require(starred.token))
        #expect(try await !store.clip(id).isStarred)
        let removed = try await store.undo(#require(added))
        await #expect(throws: ClipError.noSuchClip("\(id)")) { try await store.clip(id) }
        _ = try await store.undo(#require(removed.token))
        #expect(try await store.clip(id).title == "first")
    }

    @Test func `undoing a deletion twice changes nothing`() async throws {
        var draft = ClipDraft()
        draft.title = "first"
        let id = try await store.add(draft).id
        let deleted = try #require(try await store.delete([id]).token)
        _ = try await store.undo(deleted)
        #expect(try await store.undo(deleted).token == nil)
        #expect(try await store.clip(id).title == "first")
    }

    @Test func `a clip whose ID another program has taken is restored under a new one`() async throws {
        var draft = ClipDraft()
        draft.title = "first"
        let id = try await store.add(draft).id
        let deleted = try #require(try await store.delete([id]).token)
        let insert = "INSERT INTO Clip (id, title) VALUES (\(id), 'other')"
        #expect(try Shell.run("sqlite3", [folder.path(of: "clips.db"), insert]).errors == "")
        let undone = try #require(try await store.undo(deleted).saved)
        let (token, restored) = (try #require(undone.token), undone.restored)
        #expect(restored.count == 1 && restored != [id])
        #expect(try await store.clip(restored[0]).title == "first")
        #expect(try await store.clip(id).title == "other")
        _ = try await store.undo(token)
        #expect(try await !store.isStored(restored[0]))
    }

    @Test(arguments: [false, true])
    func `a change is undone in its clip, though another one has its ID now`(isRestored: Bool) async throws {
        var draft = ClipDraft()
        draft.title = "first"
        let (id, _, added) = try await store.add(draft)
        let tagged = try #require(try await store.update(id, [.tags: .text("c")]).token)
        let starred = try #require(try await store.update(id, [.starred: .boolean(true)]).token)
        let deleted = try #require(try await store.delete([id]).token)
        let insert = "INSERT INTO Clip (id, title, tags) VALUES (\(id), 'other', 'c')"
        #expect(try Shell.run("sqlite3", [folder.path(of: "clips.db"), insert]).errors == "")
        let other = try await store.clip(id)
        #expect(try await store.changeDescription(of: tagged) == "tagged “first” +c")
        guard isRestored else {
            let saved = try await store.undo(tagged).saved
            #expect(saved?.token == nil && saved?.deleted == 1)
            #expect(try await store.isVoid(starred, isRedoing: false, orDeleted: true))
            #expect(try await store.undo(#require(added)).token == nil)
            #expect(try await store.clip(id).version == other.version)
            return
        }
        let new = try #require(try await store.undo(deleted).saved?.restored.first)
        for step in [starred, tagged] { #expect(try await store.undo(step).saved?.clips == [new]) }
        let clip = try await store.clip(new)
        #expect(clip.tags == [] && !clip.isStarred)
        _ = try await store.undo(#require(added))
        #expect(try await !store.isStored(new))
        #expect(try await store.clip(id).version == other.version)
    }

    @Test func `a change is undone in a clip that returned with a new UUID`() async throws {
        var draft = ClipDraft()
        draft.title = "first"
        let id = try await store.add(draft).id
        let starred = try #require(try await store.update(id, [.starred: .boolean(true)]).token)
        let uuid = try await store.clip(id).uuid
        let deleted = try #require(try await store.delete([id]).token)
        let insert = "INSERT INTO Clip (uuid, title, starred) VALUES ('\(uuid)', 'other', 1)"
        #expect(try Shell.run("sqlite3", [folder.path(of: "clips.db"), insert]).errors == "")
        #expect(try await store.undo(deleted).saved?.restored == [id])
        #expect(try await store.undo(starred).saved?.clips == [id])
        #expect(try await !store.clip(id).isStarred)
    }

    @Test func `a clip that was restored and edited is not restored again`() async throws {
        var draft = ClipDraft()
        draft.title = "first"
        let id = try await store.add(draft).id
        let deleted = try #require(try await store.delete([id]).token)
        _ = try await store.undo(deleted)
        _ = try await store.update(id, [.note: .text("new"), .title: .text("second")])
        let again = try await store.restore([id])
        #expect(again.restored == [] && again.problems == [.notDeleted(id)])
        #expect(try await store.restore(id, deletedBy: deleted).value == [])
    }

    @Test func `a description has the number of clips that a part of the work concerned`() async throws {
        let words = try await store.description("deleted 15,754 clips", ofClips: [1, 2, 3], of: 3)
        #expect(words == "deleted 3 clips")
        let mixed = try await store.description("saved 2 clips, changed 3", ofClips: [1, 2, 3, 4, 5], of: 5)
        #expect(mixed == "saved 2 clips, changed 3")
    }

    @Test func `a replaced clip is restored once, with its quotes, in each way`() async throws {
        var draft = ClipDraft()
        (draft.title, draft.text) = ("first", "some words")
        for way in 0..<3 {
            let id = try await store.add(draft).id
            _ = try await store.add(Quote("words"), to: id)
            let saved = try await store.container.currentToken()
            let replace = "INSERT OR REPLACE INTO Clip (id, title) VALUES (\(id), 'other')"
            #expect(try Shell.run("sqlite3", [folder.path(of: "clips.db"), replace]).errors == "")
            let new = try await store.container.transactions(HistoryFetchRequest(.after(saved)))
            let deletion = try #require(new.first { $0.changes.contains { $0.kind == .delete } }).token
            let end = try #require(new.last).token
            func restore() async throws -> [Int64] {
                switch way {
                case 0: try await store.restore([id]).restored
                case 1: try await store.restore(id, deletedBy: deletion).value
                default: try await store.restore(rowEndingAt: end).value
                }
            }
            let restored = try await restore()
            #expect(restored.count == 1 && restored != [id])
            let clip = try await store.clip(restored[0])
            #expect(clip.title == "first" && clip.quotes.map(\.text) == ["words"])
            #expect(try await store.clip(id).title == "other")
            #expect(try await restore() == [])
            if way == 0 { #expect(try await store.restore([id]).problems == [.notDeleted(id)]) }
        }
    }

    @Test func `a row restores the clips that it deleted, and each once`() async throws {
        let path = folder.path(of: "clips.db")
        var created = 0
        func replace(_ titles: String...) async throws -> HistoryToken {
            // Clips that have had one ID differ in the time of saving.
            let lines = titles.map { title in
                created += 1
                return "INSERT OR REPLACE INTO Clip (id, title, created) VALUES (1, '\(title)', \(created));"
            }
            // A row ends at a pause, so no commit waits for the disk within it.
            let script = "BEGIN IMMEDIATE; \(lines.joined()) COMMIT;"
            #expect(try Shell.run("sqlite3", [path, script]).errors == "")
            return try await store.container.currentToken()
        }
        func titles(_ ids: [Int64]) async throws -> [String] {
            var titles: [String] = []
            for id in ids { titles.append(try await store.clip(id).title) }
            return titles.sorted()
        }
        var draft = ClipDraft()
        draft.title = "first"
        _ = try await store.add(draft)
        let second = try await replace("second")
        draft.title = "between"
        _ = try await store.add(draft)
        let third = try await replace("third", "fourth")
        let one = try await store.restore(rowEndingAt: second).value
        #expect(try await titles(one) == ["first"])
        let two = try await store.restore(rowEndingAt: third).value
        #expect(try await titles(two) == ["second", "third"])
        #expect(try await store.restore(rowEndingAt: third).value == [])
        // The ID is free now: only the last of the clips that had it is deleted.
        _ = try await store.delete([1])
        #expect(try await titles(store.restore([1, 1]).restored) == ["fourth"])
        #expect(try await store.restore([1, 1]).problems == [.notDeleted(1)])
        _ = try await store.delete([1])
        #expect(try await store.restore(rowEndingAt: second).value == [])
    }

    @Test(arguments: [false, true])
    func `a clip that others deleted and restored is as it was`(isRedoing: Bool) async throws {
        let (id, token) = try await edited()
        let undone = isRedoing ? try #require(try await store.undo(token).token) : token
        for _ in 0..<2 {
            _ = try await other().delete([id])
            _ = try await other().restore([id])
        }
        let again = try #require(try await store.undo(undone, isRedoing: isRedoing).saved)
        #expect(again.token != nil && again.repeated == 0)
        #expect(try await store.clip(id).isStarred == isRedoing)
        #expect(try await store.clip(id).title == (isRedoing ? "mine" : "before"))
    }

    @Test func `a deleted clip that returned under another ID is not restored a second time`() async throws {
        var draft = ClipDraft()
        draft.title = "first"
        let id = try await store.add(draft).id
        let uuid = try await store.clip(id).uuid
        let deleted = try #require(try await store.delete([id]).token)
        let insert = "INSERT INTO Clip (uuid, title) VALUES ('\(uuid)', 'first')"
        #expect(try Shell.run("sqlite3", [folder.path(of: "clips.db"), insert]).errors == "")
        #expect(try await store.undo(deleted).token == nil)
        #expect(try await !store.isStored(id))
    }

    @Test func `undoing leaves later changes of other writers as they are`() async throws {
        let extensionStore = try await ClipStore(path: folder.path(of: "clips.db"), author: "extension")
        var draft = ClipDraft()
        draft.title = "mine"
        let id = try await store.add(draft).id
        let starred = try #require(try await store.update(id, [.starred: .boolean(true)]).token)
        draft.title = "another"
        let other = try await extensionStore.add(draft).id
        _ = try await extensionStore.update(id, [.title: .text("theirs")])
        let foreign = try await store.container.transactions(HistoryFetchRequest(.after(starred)))
        #expect(foreign.map(\.author) == ["extension", "extension"])
        _ = try await store.undo(starred)
        let clip = try await store.clip(id)
        #expect(!clip.isStarred && clip.title == "theirs")
        #expect(try await store.clip(other).title == "another")
    }

    /// A clip that this store saved, starred, and titled "mine", with the tokens of its transactions.
    private func edited() async throws -> (id: Int64, token: HistoryToken) {
        var draft = ClipDraft()
        (draft.title, draft.note, draft.tags) = ("before", "before", ["old"])
        let id = try await store.add(draft).id
        let changes: [ClipAttribute: AttributeValue] = [
            .title: .text("mine"), .note: .text("mine"), .tags: .text("new"), .starred: .boolean(true),
        ]
        return (id, try #require(try await store.update(id, changes).token))
    }

    private func other() async throws -> ClipStore {
        try await ClipStore(path: folder.path(of: "clips.db"), author: "extension")
    }

    @Test func `a later change of another writer is a conflict with both values`() async throws {
        let (id, token) = try await edited()
        _ = try await other().update(id, [.title: .text("theirs")])
        guard case .contested(let conflict) = try await store.undo(token) else {
            Issue.record("was not asked")
            return
        }
        #expect(conflict.authors == ["extension"] && conflict.count == 1 && conflict.hasRest)
        let fields = try #require(conflict.clips.first).fields
        #expect(fields.map(\.attribute) == ["title"])
        #expect(fields.first?.theirs == .text("theirs") && fields.first?.mine == .text("before"))
        let clip = try await store.clip(id)
        #expect(clip.title == "theirs" && clip.note == "mine")
    }

    @Test(arguments: [(ContestedUndo.keepTheirs, "theirs"), (.overwrite, "before")])
    func `the rest is undone either way, and the history has the overwritten values`(
        answer: ContestedUndo, title: String
    ) async throws {
        let (id, token) = try await edited()
        _ = try await other().update(id, [.title: .text("theirs")])
        let undone = try #require(try await store.undo(token, contested: answer).token)
        let clip = try await store.clip(id)
        #expect(clip.title == title && clip.note == "before" && clip.tags == ["old"] && !clip.isStarred)
        // Redoing restores the other writer's value.
        _ = try #require(try await store.undo(undone, isRedoing: true).token)
        let again = try await store.clip(id)
        #expect(again.title == "theirs" && again.note == "mine")
    }

    @Test func `tags of other writers remain without a conflict`() async throws {
        let (id, token) = try await edited()
        _ = try await other().tag([id], adding: ["theirs"], removing: [])
        _ = try #require(try await store.undo(token).token)
        #expect(try await Set(store.clip(id).tags) == ["theirs", "old"])
    }

    @Test func `a value that another writer has reset is not a conflict`() async throws {
        let (id, token) = try await edited()
        _ = try await other().update(id, [.title: .text("before"), .starred: .boolean(false)])
        _ = try #require(try await store.undo(token).token)
        let clip = try await store.clip(id)
        #expect(clip.title == "before" && clip.note == "before")
    }

    @Test func `a clip that others restored and deleted again, and a value that they set again, are theirs`()
        async throws
    {
        var draft = ClipDraft()
        (draft.title, draft.text) = ("mine", "some words")
        let ids = try await store.add([draft, draft])
        _ = try await store.add(Quote("words"), to: ids[0])
        let deleted = try #require(try await store.delete(ids).token)
        let window = try await ClipStore(path: folder.path(of: "clips.db"), author: "app")
        #expect(try await other().restore([ids[0]]).restored == [ids[0]])
        _ = try await window.delete([ids[0]])
        #expect(try await !store.isVoid(deleted, isRedoing: false))
        let undone = try #require(try await store.undo(deleted).token)
        #expect(try await !store.isStored(ids[0]))
        #expect(try await store.isStored(ids[1]))
        let quotes = try await store.container.fetch(FetchRequest(Quote.entity))
        #expect(quotes.isEmpty)
        _ = try #require(try await store.undo(undone, isRedoing: true).token)
        // Of another session, the user chose the deletion.
        #expect(try await window.undo(deleted).token != nil)
        #expect(try await window.isStored(ids[0]))

        let starred = try #require(try await store.update(ids[0], [.starred: .boolean(true)]).token)
        _ = try await other().update(ids[0], [.starred: .boolean(false)])
        _ = try await window.update(ids[0], [.starred: .boolean(true)])
        #expect(try await store.isVoid(starred, isRedoing: false))
        let still = try #require(try await store.undo(starred).saved)
        #expect(still.token == nil && still.repeated == 1)
        #expect(try await store.clip(ids[0]).isStarred)
        // Another tag that others added and removed, and a text that they undid, are not theirs.
        let token = try #require(try await store.tag(ids, adding: ["mine"], removing: []).token)
        _ = try await other().tag(ids, adding: ["theirs"], removing: [])
        _ = try await other().tag(ids, adding: [], removing: ["theirs"])
        let edited = try #require(try await store.update(ids[1], [.title: .text("new")]).token)
        let edit = try #require(try await window.update(ids[1], [.title: .text("newer")]).token)
        _ = try #require(try await window.undo(edit).token)
        _ = try #require(try await store.undo(edited).token)
        _ = try #require(try await store.undo(token).token)
        let clip = try await store.clip(ids[1])
        #expect(clip.title == "mine" && clip.tags.isEmpty)
        // A chain of one session is undone up to its start.
        let unstarred = try #require(try await window.update(ids[0], [.starred: .boolean(false)]).token)
        let again = try #require(try await window.undo(unstarred).token)
        _ = try #require(try await window.undo(again, isRedoing: true).token)
        #expect(try await !store.clip(ids[0]).isStarred)
    }

    @Test func `deleting a clip that another writer has edited is a conflict`() async throws {
        var draft = ClipDraft()
        draft.title = "mine"
        let (id, _, token) = try await store.add(draft)
        // Its own later work is not in conflict, even on the same clip.
        let own = try #require(
            try await store.update(id, [.note: .text("own"), .starred: .boolean(true)]).token)
        _ = try await store.undo(own)
        _ = try await other().update(id, [.note: .text("theirs")])
        let saved = try #require(token)
        guard case .contested(let conflict) = try await store.undo(saved) else {
            Issue.record("was not asked")
            return
        }
        #expect(conflict.clips.first?.isDeletion == true && !conflict.hasRest)
        #expect(conflict.authors == ["extension"])
        #expect(conflict.clips.first?.fields.map(\.theirs) == [.text("theirs")])
        #expect(try await store.undo(saved, contested: .keepTheirs).token == nil)
        #expect(try await store.clip(id).note == "theirs")
        let deleted = try #require(try await store.undo(saved, contested: .overwrite).token)
        #expect(try await !store.isStored(id))
        _ = try await store.undo(deleted, isRedoing: true)
        #expect(try await store.clip(id).note == "theirs")
    }

    @Test func `of clips that were deleted together, only those not yet restored are restored`() async throws
    {
        var draft = ClipDraft()
        draft.title = "a"
        let ids = try await store.add([draft, draft])
        let deleted = try #require(try await store.delete(ids).token)
        #expect(try await other().restore([ids[0]]).restored == [ids[0]])
        _ = try await other().update(ids[0], [.title: .text("theirs")])
        _ = try #require(try await store.undo(deleted).token)
        let (first, second) = (try await store.clip(ids[0]), try await store.clip(ids[1]))
        #expect(first.title == "theirs" && second.title == "a")
    }
}

extension UndoOutcome {
    /// The saved part; nil if there was a conflict.
    var saved: Saved? { if case .saved(let saved) = self { saved } else { nil } }
    /// The token of the saved transaction; nil if nothing was saved, or there was a conflict.
    var token: HistoryToken? { saved?.token }
}

extension ClipStore {
    fileprivate func isStored(_ id: Int64) async throws -> Bool {
        do {
            _ = try await clip(id)
            return true
        } catch ClipError.noSuchClip {
            return false
        }
    }
}
