import ClipsCore
import Foundation
import LiveQuery
import PersistentStore
import Terminal
import TestSupport
import Testing

@testable import ClipsTerminal

/// Undo, restore, and edit conflicts on a real store.
@Suite(.serialized) struct HistoryScriptTests {
    @Test func `changes are undone after a restart, and redone after another`() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path(of: "clips.db")
        try await RunningApp.open(clips: 4, at: path) { app in
            try app.run("d\n:wait count=3\n*")
            #expect(app.wait { $0.list.clips.rows[0].isStarred })
        }
        try await RunningApp.open(at: path) { app in
            // The change of another author is not undone.
            _ = try app.other { try await $0.add([RunningApp.draft("Theirs")]) }
            try app.run(":wait count=4\nuy\n:wait text=Undone")
            #expect(app.wait { !$0.list.clips.rows.contains(where: \.isStarred) && $0.list.clips.count == 4 })
            try app.run("uy\n:wait count=5\n:wait text=deleted “Clip 3”")
        }
        try await RunningApp.open(at: path) { app in
            try app.run("<C-r>y\n:wait count=4\n<C-r>y")
            #expect(app.wait { $0.list.clips.rows.contains(where: \.isStarred) })
            try app.run("<C-r>\n:wait text=Nothing to redo.\nu")
            #expect(app.wait { !$0.list.clips.rows.contains(where: \.isStarred) })
        }
        try await RunningApp.open(at: path) { app in
            try app.run("uy\n:wait count=5\nu\n:wait text=No changes of yours to undo")
            // After a new change, undone ones cannot be redone.
            try app.run("gd\n:wait count=4")
        }
        try await RunningApp.open(at: path) { app in
            try app.run("<C-r>\n:wait text=Nothing to redo.")
        }
    }

    @Test func `the history screen restores clips that any process deleted`() async throws {
        try await RunningApp.open(size: Size(rows: 30, columns: 90), clips: 4) { app in
            let ids = app.state.list.clips.rows.map(\.id)
            _ = try app.other { try await $0.delete([ids[1], ids[2]]) }
            try app.run(":wait count=2\nH\n:wait text=title: “Clip 1”")
            #expect(app.lines.contains { $0.contains("deleted: Clip 2") })
            // One of the two, then the rest.
            try app.run("<Tab>jR\n:wait text=Restored “Clip 1”")
            try app.run("<Esc><Esc>\n:wait count=3")
            #expect(app.state.list.clips.rows.map(\.id).contains(ids[2]))
            try app.run("H\n:wait idle\ngjR\n:wait text=Restored “Clip 2”\nq\n:wait count=4")
            #expect(app.state.list.clips.rows.map(\.id) == ids)
            try app.run("u\n:wait count=3\nu\n:wait count=2")
        }
    }

    @Test func `the history shows that the keys move among the changes, and what is restored`() async throws {
        try await RunningApp.open(size: Size(rows: 24, columns: 80), clips: 4) { app in
            let ids = app.state.list.clips.rows.map(\.id)
            _ = try app.other { try await $0.delete(Array(ids[0..<3])) }
            try app.run(":wait count=1\nH\n:wait text=deleted: Clip 1\n:wait text=R restore the row")
            #expect(!app.lines.contains { $0.contains("hange 1/3") })
            try app.run("<Enter>\n:wait text=─ Change 1/3 · \n:wait text=R restore this clip")
            try app.run("j\n:wait text=─ Change 2/3 · \nR\n:wait text=, 1 of 3 deleted clips\n:wait idle")
            try app.run("<Esc>\n:wait text=R restore the row\ngj\n:wait idle\nR")
            try app.run(":wait text=Restored 2 clips\n:wait idle")
            #expect(!app.lines.contains { $0.contains("hange 2/3") })
        }
    }

    @Test func `Enter in the history goes to a clip that a filter or the archive hides`() async throws {
        try await RunningApp.open(size: Size(rows: 30, columns: 90), clips: 4) { app in
            let archived = app.state.list.clips.rows[0].id
            try app.run("x\n:wait count=3\nj*\n:wait idle\n/Clip 0<Enter>\n:wait count=1\nH\n:wait idle")
            try app.run("<Enter>\n:wait count=3")
            #expect(app.state.screen == .list && app.state.list.query.filter.isEmpty)
            #expect(app.wait { $0.list.clips.selectedRow?.title == "Clip 1" })
            try app.run(":wait text=“Clip 0” does not find “Clip 1”; this is the list of all clips.")
            try app.run("H\n:wait idle\nj<Enter>\n:wait count=1")
            try app.run(":wait text=“Clip 3” is archived; this is the archive.")
            #expect(app.wait { $0.list.clips.selectedID == archived })
        }
    }

    @Test func `the rows of the history show the change, its author, and its age`() async throws {
        try await RunningApp.open(size: Size(rows: 30, columns: 90), clips: 3) { app in
            let ids = app.state.list.clips.rows.map(\.id)
            _ = try app.other("anna") { try await $0.update(ids[0], [.title: .text("First")]) }
            _ = try app.other("berta") { try await $0.delete([ids[1]]) }
            try app.run("H\n:wait text=- Clip 1  deleted\n:wait text=~ First  title changed")
            let rows = app.lines.dropFirst().prefix(3).map {
                $0.split(separator: " ").joined(separator: " ")
            }
            #expect(rows[0].hasPrefix("- Clip 1 deleted berta"))
            #expect(rows[1].hasPrefix("~ First title changed anna"))
            #expect(rows[2].hasPrefix("+ Clip 0 and 2 more seed"))
            _ = try app.other("carl") { store in
                try await store.container.write(author: "carl") { transaction throws(StoreError) in
                    _ = try transaction.insert("Clip", ["title": .text("New")])
                    _ = try transaction.insert("Clip", ["title": .text("Newer")])
                    try transaction.delete(ClipModel.objectID(ids[2]))
                }
            }
            try app.run(":wait text=+ New  and 1 saved, 1 deleted")
            // A later change of the title is shown in earlier rows.
            _ = try app.other("anna") { try await $0.update(ids[0], [.title: .text("Second")]) }
            try app.run(":wait text=~ Second  title changed")
            #expect(app.wait { _ in true } && app.lines.count { $0.contains("~ Second") } == 2)
        }
    }

    @Test func `a clip that another program replaced has its title in the history, and can be restored`()
        async throws
    {
        try await RunningApp.open(size: Size(rows: 30, columns: 90), clips: 0) { app in
            var draft = ClipDraft()
            draft.title = "The lost clip"
            let id = try app.other("cli") { [draft] in try await $0.add(draft).id }
            let insert = "INSERT OR REPLACE INTO Clip (id, title) VALUES (\(id), 'Another')"
            #expect(try Shell.run("sqlite3", [app.path, insert]).errors == "")
            try app.run(":wait text=saved “Another”\nH\n:wait text=+ Another  and 1 deleted")
            try app.run(":wait text=+ The lost clip")
            try app.run(":wait text=clip 1 deleted: The lost clip")
            #expect(!app.lines.contains { $0.contains("restored since") })
            try app.run("R\n:wait text=Restored “The lost clip”\n:wait text=+ The lost clip  restored")
            try app.run("j\n:wait text=restored since\nj\n:wait text=clip 1 saved: The lost")
            try app.run("<Tab><Enter>")
            // Its first row leads to its new ID.
            #expect(app.wait { $0.screen == .list && $0.list.clips.selectedID.map { $0 != id } == true })
        }
    }

    @Test func `the status line has the words of a quote that another program deleted`() async throws {
        try await RunningApp.open(size: Size(rows: 30, columns: 90), clips: 2) { app in
            let id = app.state.list.clips.rows[0].id
            let words = "Some words of a quote that are too many for the status line of the app"
            try app.other("anna") { _ = try await $0.add(Quote(words), to: id) }
            try app.run(":wait text=anna added a quote of “Clip 1”")
            _ = try Shell.run("sqlite3", [app.path, "DELETE FROM Quote"])
            try app.run(":wait text=deleted a quote of a clip: “Some words of\n:wait text=…”")
        }
    }

    @Test func `the history names changes of quotes, and leads to their clip`() async throws {
        try await RunningApp.open(size: Size(rows: 30, columns: 90), clips: 3) { app in
            let ids = app.state.list.clips.rows.map(\.id)
            try app.other("anna") { store in
                _ = try await store.add(Quote("Marked words"), to: ids[2])
                let quote = try await store.clip(ids[2]).quotes[0]
                _ = try await store.change(quote, of: ids[2], note: "why")
                _ = try await store.change(quote, of: ids[2], note: nil)
            }
            try app.run(":wait idle\nH\n:wait text=quote: “Marked words” → nothing")
            let rows = app.lines.dropFirst().prefix(3).map { $0.split(separator: " ").joined(separator: " ") }
            #expect(
                zip(rows, ["deleted", "changed", "added"]).allSatisfy {
                    $0.hasPrefix("~ Clip 0 quote \($1) anna")
                },
                "\(rows)")
            try app.run("j\n:wait text=note of the quote “Marked words”: (empty) → “why”")
            try app.run("j\n:wait text=quote: nothing → “Marked words”\n<Enter>\n:wait idle")
            #expect(app.state.screen == .list && app.state.list.clips.selectedID == ids[2])
        }
    }

    @Test func `the history shows old and new values, and is filtered by author and time`() async throws {
        try await RunningApp.open(size: Size(rows: 30, columns: 90), clips: 3) { app in
            let id = try #require(app.state.list.clips.rows.first?.id)
            _ = try app.other("anna") {
                try await $0.update(id, [.title: .text("First"), .tags: .text("x")])
            }
            _ = try app.other("berta") { try await $0.update(id, [.title: .text("Second")]) }
            try app.run("H\n:wait text=title: “First” → “Second”\nj\n:wait text=title: “Clip 2” → “First”")
            #expect(app.lines.contains { $0.contains("tags: (empty) → “x”") })
            try app.run("/author:anna since:1h<Enter>\n:wait text=/author:anna since:1h\n:wait idle")
            #expect(app.state.history.transactions.map(\.author) == ["anna"])
            // Live transactions of other authors are left out.
            _ = try app.other("berta") { try await $0.update(id, [.title: .text("Third")]) }
            _ = try app.other("anna") { try await $0.update(id, [.title: .text("Fourth")]) }
            #expect(app.wait { $0.history.transactions.count == 2 })
            try app.run("/<C-u>before:1d<Enter>\n:wait text=No transactions match “before:1d”")
            try app.run("/<C-u>since:soon<Enter>\n:wait text=Invalid time 'soon'")
            try app.run("<Esc><Esc>\n:wait text=seed")
        }
    }

    @Test func `consumers and the next purge are shown`() async throws {
        try await RunningApp.open(size: Size(rows: 30, columns: 90), clips: 3) { app in
            _ = try app.other { store in
                let start = try await store.container.currentToken()
                _ = try await store.container.registerConsumer("mirror", startingAt: start)
                _ = try await store.container.registerConsumer("app#2", author: "app", startingAt: start)
                return try await store.add([RunningApp.draft("One more")])
            }
            try app.run("HC\n:wait text=mirror\n:wait text=has not confirmed the last change")
            #expect(app.lines.contains { $0.contains("Deletes 0 of 2 commits in the history.") })
            #expect(app.lines.contains { $0.hasSuffix(" app 2") }, "\(app.lines)")
            #expect(!app.lines.contains { $0.contains("saves as") })
            try app.run("<Esc>\n:wait text=Author")
        }
    }

    @Test(arguments: [("t", "Theirs", "", true), ("m", "Clip 0", "", true), ("l", "Theirs", "mine", false)])
    func `undo of a clip that another process changed asks, and follows the answer`(
        key: String, title: String, note: String, isTaken: Bool
    ) async throws {
        try await RunningApp.open(clips: 1) { app in
            let id = try #require(app.state.list.clips.selectedID)
            try app.use(
                editor: """
                    sed -i 's/^title: .*/title: Mine/; s/^note: .*/note: mine/' "$1"
                    """)
            try app.run("e\n:wait text=Edited “Mine”")
            _ = try app.other { try await $0.update(id, [.title: .text("Theirs")]) }
            try app.run(":wait text=Theirs\nu\n:wait text=Changed since by extension: “Theirs”")
            for words in ["theirs  Theirs", "before  Clip 0", "Undo anyway?"] {
                #expect(app.lines.contains { $0.contains(words) }, "\(words)")
            }
            try app.run(key + "\n:wait idle")
            #expect(app.state.screen == .list && app.state.questions.isEmpty)
            let clip = try app.other { try await $0.clip(id) }
            #expect(clip.title == title && clip.note == note)
            // A postponed question is asked again; redo includes their change.
            try app.run(isTaken ? "<C-r>\n:wait text=Redone" : "u\n:wait text=Undo anyway")
            guard isTaken else { return }
            let again = try app.other { try await $0.clip(id) }
            #expect(again.title == "Theirs" && again.note == "mine")
        }
    }

    /// Sets an editor that changes title and note while another process changes title and tags.
    private static func makeConflict(in app: borrowing RunningApp, id: Int64, sql: String? = nil) throws {
        let theirs = sql ?? "UPDATE Clip SET title = 'Theirs', tags = 'theirs' WHERE id = \(id)"
        try app.use(
            editor: """
                sed -i 's/^title: .*/title: Mine/; s/^note: .*/note: my note/' "$1"
                sqlite3 '\(app.path)' "PRAGMA busy_timeout=5000; \(theirs)"
                """)
    }

    @Test(arguments: [
        ("b", "Mine", "theirs", "my note"), ("m", "Mine", "", "my note"), ("t", "Theirs", "theirs", ""),
    ])
    func `an edit conflict shows both versions, and follows the answer`(
        key: String, title: String, tags: String, note: String
    ) async throws {
        try await RunningApp.open(clips: 1) { app in
            let id = try #require(app.state.list.clips.selectedID)
            try Self.makeConflict(in: app, id: id)
            try app.run("e\n:wait text=Changed during the edit")
            for words in ["both changed it", "yours   Mine", "theirs  Theirs", "you changed it"] {
                #expect(app.lines.contains { $0.contains(words) }, "\(words)")
            }
            try app.run(key + "\n:wait idle")
            #expect(app.state.screen == .list && app.state.questions.isEmpty)
            let clip = try app.other { try await $0.clip(id) }
            #expect(clip.title == title && clip.tags.joined() == tags && clip.note == note)
            guard key == "t" else { return }
            let kept = try #require(
                app.state.message?.text.split(separator: " ").last.map { String($0.dropLast()) })
            #expect(try String(contentsOfFile: kept, encoding: .utf8).contains("title: Mine"))
            unlink(kept)
        }
    }

    @Test func `both versions can be merged in the editor, and a clip deleted during the edit is restored`()
        async throws
    {
        try await RunningApp.open(clips: 1) { app in
            let id = try #require(app.state.list.clips.selectedID)
            try Self.makeConflict(in: app, id: id)
            try app.run("e\n:wait text=Changed during the edit")
            let copy = app.folder.path(of: "seen")
            try app.use(editor: "cp \"$1\" '\(copy)'; sed -i 's/^title: .*/title: Merged/' \"$1\"")
            try app.run("e\n:wait text=Merged")
            let seen = try String(contentsOfFile: copy, encoding: .utf8)
            #expect(seen.contains("Mine") && seen.contains("Theirs") && seen.contains("tags: theirs"))
            #expect(try app.other { try await $0.clip(id).note } == "my note")

            try Self.makeConflict(in: app, id: id, sql: "DELETE FROM Clip WHERE id = \(id)")
            try app.run("e\n:wait text=Deleted during the edit\nm\n:wait count=1\n:wait text=Mine")
            let back = try app.other { try await $0.clip(id) }
            #expect(back.title == "Mine" && back.tags == ["theirs"] && back.url == "https://clip0.example/")
            try app.run("u\n:wait count=0")
        }
    }

    @Test func `R restores all clips that a row of many transactions deleted, as one step of undo`()
        async throws
    {
        try await RunningApp.open(clips: 1200) { app in
            _ = try Shell.run("sqlite3", [app.path, "DELETE FROM Clip WHERE id > 5"])
            try app.run(":wait count=5\nH\n:wait text=more\nR\n:wait text=Restored 1,195 clips\n:wait idle")
            try app.run("<Esc>\n:wait count=1200\nu\n:wait count=5\n<C-r>\n:wait count=1200")
            // Those that exist are not changed.
            try app.run("HjjjR\n:wait text=The clips exist")
        }
    }

    @Test func `Enter on a change of a deleted clip says which change can be reverted`() async throws {
        try await RunningApp.open(clips: 1) { app in
            try app.run("d\n:wait count=0\nH\n:wait text=deleted:\n<Enter>\n:wait idle\n<Enter>")
            try app.run(":wait text=“Clip 0” is deleted; R restores it.")
            try app.run("<Esc>j\n:wait text=+ clip 1\n<Enter>\n:wait idle\n<Enter>")
            try app.run(":wait text=“Clip 0” is deleted; R on the change that deleted it restores it.")
        }
    }

    @Test func `a row of many changes names their clips`() async throws {
        try await RunningApp.open(clips: 60) { app in
            _ = try Shell.run("sqlite3", [app.path, "UPDATE Clip SET starred = 1"])
            try app.run("H\n:wait text=and 59 more\n:wait text=clip 1 starred: Clip 0")
        }
    }

    @Test(arguments: [Size(rows: 24, columns: 80), Size(rows: 12, columns: 40), Size(rows: 16, columns: 80)])
    func `changes below the screen are counted without the one of which a part is shown`(size: Size)
        async throws
    {
        try await RunningApp.open(size: size) { app in
            _ = try app.other("seed") { try await $0.add((1...50).map { RunningApp.draft("Many \($0)") }) }
            try app.run(":wait count=50\nH\n:wait text=title:\n:wait idle")
            let begun = app.state.lines.count { $0.hasPrefix(" + clip") }
            #expect(begun > 0 && app.state.lines.contains { $0.contains("… and \(50 - begun) more") })
            // The selected change is above that line.
            try app.run("<Tab>" + String(repeating: "j", count: 9) + "\n:wait text=Change 10/50")
            #expect(app.state.lines.contains { $0.hasPrefix(" + clip 10") })
        }
    }

    @Test func `a narrow row says what happened to several clips, and to how many`() async throws {
        try await RunningApp.open(size: Size(rows: 12, columns: 40), clips: 60) { app in
            let ids = app.state.list.clips.rows.map(\.id)
            _ = try app.other("cli") { try await $0.set(.starred, true, of: Array(ids.prefix(5))) }
            try app.run("H\n:wait text=~ Clip 55  starred, 4 more")
            let long = "a tag with a very long name of many words"
            _ = try app.other("cli") { try await $0.tag(Array(ids.prefix(5)), adding: [long], removing: []) }
            try app.run(":wait text=~ Clip 55  tags +“\n:wait text=…, 4 more")
            _ = try app.other("carl") { store in
                try await store.container.write(author: "carl") { transaction throws(StoreError) in
                    _ = try transaction.insert("Clip", ["title": .text("New")])
                    try transaction.update(ClipModel.objectID(ids[1]), ["title": .text("Other")])
                    for id in ids[2...4] { try transaction.delete(ClipModel.objectID(id)) }
                }
            }
            try app.run(":wait text=+ New  ~1 -3")
            let rest = app.state.list.clips.rows.map(\.id).filter { !ids.prefix(5).contains($0) }
            for isSet in [true, false] {
                _ = try app.other("cli") { try await $0.set(.archived, isSet, of: rest) }
                try app.run(":wait text=\(isSet ? "" : "un")archived, \(rest.count - 1) more")
            }
            try app.run("H\nA\n:wait text=as read\nu\n:wait text=Undone\n:wait idle\nH")
            try app.run(":wait text=~ undone: read, \(rest.count + 2) clips")
        }
    }
}
