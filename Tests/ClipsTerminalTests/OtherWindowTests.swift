import ClipsCore
import Foundation
import LiveQuery
import PersistentStore
import Terminal
import TestSupport
import Testing

@testable import ClipsTerminal

/// Undo next to another window of the same author.
@Suite(.serialized) struct OtherWindowTests {
    @Test func `both clips of a commit that saves one and changes another are named`() async throws {
        try await RunningApp.open(size: Size(rows: 24, columns: 200), clips: 3) { app in
            let insert = "INSERT INTO Clip (url, title) VALUES ('', 'Fourth')"
            let update = "UPDATE Clip SET starred = 1 WHERE title = 'Clip 1'"
            #expect(try Shell.run("sqlite3", [app.path, "BEGIN; \(insert); \(update); COMMIT"]).errors == "")
            try app.run(":wait text=another program saved “Fourth”, changed “Clip 1”")
        }
    }

    @Test func `a narrow line says what happened to the clip of another program`() async throws {
        try await RunningApp.open(clips: 2) { app in
            let id = try #require(app.state.list.clips.rows.first?.id)
            func lines(_ end: String) throws -> String {
                try app.run(":wait text=\(end)")
                var state = app.state
                return (24...60).map { columns in
                    _ = state.handle(.resized(Size(rows: 24, columns: columns)), at: noon)
                    return state.statusLine
                }.joined(separator: "\n")
            }
            _ = try app.other("cli") { try await $0.update(id, [.unread: .boolean(false)]) }
            let read = try lines("marked “Clip 1” as read")
            #expect(read.contains("cli: “Clip 1” read") && read.contains("· “Clip 1” read"), "\(read)")
            _ = try app.other("cli") { try await $0.tag([id], adding: ["one", "more"], removing: []) }
            let tagged = try lines("tagged “Clip 1” +one +more")
            #expect(tagged.contains("cli tagged “Clip 1”\n"), "\(tagged)")
            let removal = try app.other("cli") {
                try await $0.tag([id], adding: [], removing: ["one", "more"])
            }
            let untagged = try lines("from “Clip 1”")
            #expect(untagged.contains("cli untagged “Clip 1”\n"), "\(untagged)")
            #expect(!(read + tagged + untagged).contains("changed"))
            let token = try #require(removal.token)
            _ = try app.other("cli") { try await $0.undo(token) }
            let undone = try lines("undid: removed the tags")
            #expect(
                undone.contains("cli undid: untagged “Clip 1”\n") && !undone.contains(" cli untagged")
                    && !undone.contains("changed"), "\(undone)")
            let several = try app.other("cli") {
                try await $0.update(id, [.note: .text("a note"), .starred: .boolean(true)])
            }
            _ = try lines("starred, note added")
            let changes = try #require(several.token)
            _ = try app.other("cli") { try await $0.undo(changes) }
            let both = try lines("undid: changed")
            #expect(both.contains("cli undid: changed “Clip 1”\n"), "\(both)")
        }
    }

    @Test(arguments: [20, 60, 700]) func `the tag that another program gives to many clips is named`(
        clips: Int
    ) async throws {
        try await RunningApp.open(clips: clips) { app in
            let ids = try app.other { try await $0.ids(matching: ClipQuery()) }
            _ = try app.other("cli") { try await $0.tag(Array(ids.prefix(5)), adding: ["one"], removing: []) }
            _ = try app.other("cli") { try await $0.tag(Array(ids.suffix(5)), adding: ["two"], removing: []) }
            _ = try app.other("cli") { try await $0.tag(ids, adding: ["both"], removing: []) }
            try app.run(":wait text=cli tagged \(clips) clips +both")
            _ = try app.other("cli") { try await $0.tag(ids, adding: [], removing: ["both"]) }
            try app.run(":wait text=cli removed the tag both from \(clips) clips")
        }
    }

    @Test func `a paused list has no count of unread clips that it lacks`() async throws {
        try await RunningApp.open(clips: 2000) { app in
            let ids = try app.other { try await $0.ids(matching: ClipQuery()) }
            try app.run(":wait text=2,000 unread\np\n:wait text=paused · 2,000 unread")
            _ = try app.other("cli") { try await $0.delete(Array(ids.prefix(3))) }
            try app.run(":wait text=cli deleted 3 clips\n:wait idle")
            #expect(!app.state.statusLine.contains("unread"), "\(app.state.statusLine)")
            try app.run("p\n:wait text=1,997 unread")
        }
    }

    @Test func `undo begins with the work of this window, and asks before that of another one`() async throws
    {
        try await RunningApp.open(clips: 4) { app in
            try app.run("j*")
            let deleted = try #require(app.state.list.clips.rows.first?.id)
            _ = try app.other("app") { try await $0.delete([deleted]) }
            try app.run(":wait count=3\nu\n:wait text=Undone: starred “Clip 2”")
            #expect(app.state.list.clips.count == 3)
            try app.run("u\n:wait text=Undo “Clip 3”, deleted in another window just now?")
            #expect(app.state.list.clips.count == 3)
            for answer in ["<Esc>", "n"] {
                try app.run("\(answer)\n:wait idle")
                #expect(app.state.list.clips.count == 3 && app.state.menu == nil)
                try app.run("u\n:wait text=Undo “Clip 3”")
            }
            try app.run("n\n:wait idle")
            try app.run("uy\n:wait count=4\n:wait text=Undone: deleted “Clip 3” in another window")
            // The undo itself is the work of this window.
            try app.run("<C-r>\n:wait count=3\n:wait text=Redone: deleted “Clip 3” · u")
            try app.run("u\n:wait count=4\n:wait text=Undone: deleted “Clip 3” · ")
        }
    }

    @Test(arguments: ["", "p"])
    func `the status line shortens the words of an event, not its number`(keys: String) throws {
        var state = AppState.showing(30)
        try state.press(keys)
        let change = transaction(1, inserting: Array(100..<1300), author: "a-machine-with-a-long-name")
        state.take(.transactions([change]))
        var isShown = false
        for columns in 30...120 {
            _ = state.handle(.resized(Size(rows: 12, columns: columns)), at: noon)
            let line = state.statusLine
            #expect(line.contains("saved 1,200 clips") || !line.contains("saved") && !isShown, "\(line)")
            #expect(!line.contains("a-mach") || line.contains("saved 1,200 clips"), "\(line)")
            isShown = isShown || line.contains("1,200")
        }
        #expect(isShown)
    }

    @Test func `a change of a clip that the list lacks is named on each screen`() async throws {
        try await RunningApp.open(clips: 3) { app in
            try app.run("/Clip 2<Enter>\n:wait count=1\n?")
            let id = try app.other("cli") { try await $0.add([RunningApp.draft("Nova")])[0] }
            #expect(app.wait { $0.sync.lastChange?.title == "Nova" })
            #expect(app.state.statusLine.contains("cli saved “Nova”"), "\(app.state.statusLine)")
            _ = try app.other("cli") { try await $0.toggle(.starred, of: [id]) }
            #expect(app.wait { $0.statusLine.contains("cli starred “Nova”") })
        }
    }

    @Test func `undo asks about no change of others of which nothing is left`() async throws {
        try await RunningApp.open(clips: 3) { app in
            let ids = app.state.list.clips.rows.map(\.id)
            _ = try app.other("app") { try await $0.toggle(.starred, of: [ids[2]]) }
            _ = try app.other("app") { try await $0.delete([ids[0]]) }
            _ = try app.other("cli") { try await $0.restore([ids[0]]) }
            try app.run(":wait count=3\n:wait idle\nu\n:wait text=Undo “Clip 0”, starred")
            try app.run("y\n:wait text=Undone: starred “Clip 0”\nu\n:wait text=Nothing else to undo")
        }
    }

    @Test func `the cursor stays at the top while others fill a list that they emptied`() async throws {
        try await RunningApp.open(clips: 3) { app in
            let ids = app.state.list.clips.rows.map(\.id)
            try app.run("jg\n:wait idle")
            _ = try app.other("cli") { try await $0.delete(ids) }
            try app.run(":wait count=0")
            for number in 1...3 {
                try app.other("cli") { store in _ = try await store.add([RunningApp.draft("New \(number)")]) }
                try app.run(":wait count=\(number)")
                #expect(app.state.list.clips.selectedIndex == 0 && app.state.list.clips.top == 0)
            }
            // What the user chose is chosen again, from its first clip.
            try app.run("3d\n:wait count=0\n:wait idle\nu\n:wait count=3\n:wait idle")
            #expect(app.state.list.clips.selectedIndex == 0)
            try app.run("j2d\n:wait count=1\n:wait idle\nu\n:wait count=3\n:wait idle")
            #expect(app.state.list.clips.selectedIndex == 1)
        }
    }

    @Test func `undo of a change of clips that another process deleted says so`() async throws {
        try await RunningApp.open(clips: 4) { app in
            let ids = app.state.list.clips.rows.map(\.id)
            try app.run("x\n:wait count=3\n:wait text=Archived “Clip 3”")
            _ = try app.other("cli") { try await $0.delete([ids[0]]) }
            try app.run("u\n:wait text=Nothing to undo: archived “Clip 3” · 1 clip deleted since")
            try app.run("vjx\n:wait count=1\n:wait text=Archived 2 clips")
            _ = try app.other("cli") { try await $0.delete([ids[1]]) }
            try app.run("u\n:wait text=Undone: archived “Clip 1” · 1 clip deleted since\n:wait count=2")
        }
    }

    @Test func `tags of several clips are named if they changed alike`() async throws {
        try await RunningApp.open(size: Size(rows: 24, columns: 120), clips: 4) { app in
            let ids = app.state.list.clips.rows.map(\.id)
            _ = try app.other("cli") { try await $0.tag([ids[0], ids[1]], adding: ["bar"], removing: []) }
            try app.run(":wait text=cli tagged 2 clips +bar")
            _ = try app.other("cli") {
                try await $0.tag([ids[0], ids[2]], adding: ["bar"], removing: ["baz"])
            }
            try app.run(":wait text=cli tagged “Clip 1” +bar")
            _ = try app.other("cli") { store in
                try await store.container.write(author: "cli") { transaction throws(StoreError) in
                    try transaction.update(ClipModel.objectID(ids[0]), ["tags": .text("one")])
                    try transaction.update(ClipModel.objectID(ids[1]), ["tags": .text("two")])
                }
            }
            try app.run(":wait text=cli changed the tags of 2 clips")
        }
    }

    @Test func `rows that a pause has not loaded are read, with the changes held so far`() async throws {
        try await RunningApp.open(clips: 600) { app in
            try app.run("p")
            let new = try app.other("cli") { try await $0.add([RunningApp.draft("Nova")]) }
            try app.run(":wait text=1 new\nG\n:wait text=601/601\n:wait text=Clip 0")
            #expect(app.state.list.pause != nil)
            _ = try app.other("cli") { try await $0.delete(new) }
            try app.run(":wait text=paused\np\n:wait count=600")
        }
    }

    @Test func `a report about work that another window undoes ends`() async throws {
        try await RunningApp.open(clips: 3) { app in
            try app.run("d\n:wait text=to undo\n:wait count=2")
            let token = try #require(app.state.undoSteps.undoable.last?.token)
            _ = try app.other("app") { try await $0.undo(token) }
            try app.run(":wait count=3")
            #expect(app.state.message == nil, "\(app.state.lines)")
        }
    }

    @Test func `a window shows the searches that another one saved`() async throws {
        try await RunningApp.open(clips: 2) { app in
            _ = try app.other("app") { store in
                try store.remember(.saved(SavedSearch(name: "tees", query: ClipQuery(filter: "clip 1"))))
            }
            try app.run("S\n:wait text=tees")
            try app.run("<Esc>/clip 1<Enter>\n:wait count=1\n<C-l>:save ranked<Enter>")
            try app.run(":wait text=Saved as\n<Esc>\n:wait count=2")
            #expect(!app.state.list.query.isRanked)
            let saved = try app.other { try $0.filterMemory().searches }
            #expect(saved.map(\.query.isRanked) == [true, false], "\(saved)")
            try app.run("S\n:wait text=ranked\n<Enter>\n:wait count=1")
            #expect(app.state.list.query.isRanked)
        }
    }

    @Test func `a later action of a key begins at the clip after one that left the list`() async throws {
        try await RunningApp.open(config: "bind X star ; archive ; next-unread", clips: 4) { app in
            for number in [2, 1, 0] {
                try app.run("X\n:wait idle")
                #expect(app.state.list.clips.selectedRow?.title == "Clip \(number)", "\(app.state.lines)")
                #expect(app.state.message?.text.contains("only unread") != true)
            }
        }
    }

    @Test func `a program that cannot start ends the actions of its key, and its message remains`()
        async throws
    {
        let config = """
            bind X star ; !/no/such/program {url} ; read
            bind Y star ; !sh -c 'echo printed' {id} ; read
            bind Z star ; !true ; read
            bind W tag +w ; star ; !/no/such/program {url}
            """
        #expect(ConfigFile(config).errors.isEmpty)
        try await RunningApp.open(config: config, clips: 3) { app in
            let ids = app.state.list.clips.rows.map(\.id)
            func clip(_ id: Int64) throws -> Clip { try app.other { try await $0.clip(id) } }
            try app.run(":wait idle\nX\n:wait text=could not be started\n:wait idle")
            #expect(app.state.message?.text.contains("could not be started") == true, "\(app.lines)")
            #expect(try clip(ids[0]).isStarred && clip(ids[0]).isUnread)
            // The output is read first.
            try app.run("j\n:wait idle\nY\n:wait text=printed\n:wait idle")
            #expect(app.state.screen == .output)
            #expect(try clip(ids[1]).isUnread)
            try app.run("q\n:wait text=as read\n:wait idle")
            #expect(try clip(ids[1]).isStarred && !clip(ids[1]).isUnread)
            try app.run("j\n:wait idle\nZ\n:wait text=as read\n:wait idle")
            #expect(try clip(ids[2]).isStarred && !clip(ids[2]).isUnread)
        }
        // The failure is before, between, or after the messages of the saves.
        for _ in 0..<8 {
            try await RunningApp.open(config: config, clips: 1) { app in
                try app.run(":wait idle\nW\n:wait text=/no/such/program\n:wait idle")
                let text = try #require(app.state.message?.text)
                #expect(text.hasPrefix("Tagged “Clip 0” +w, starred it · u to undo · '/no/such"), "\(text)")
            }
        }
    }

    @Test func `the text of a note that waits for another time is in a file`() async throws {
        try await RunningApp.open(clips: 1) { app in
            let id = try #require(app.state.list.clips.selectedID)
            try app.run("E\n:wait idle\nmine")
            _ = try app.other("cli") { try await $0.update(id, [.note: .text("theirs")]) }
            try app.run("<Enter>\n:wait text=Choose what to save\nl\n:wait text=Your text is in")
            let message = try #require(app.state.message?.text)
            #expect(message.hasSuffix(". Your edit of “Clip 0” was not saved."), "\(message)")
        }
    }

    @Test func `work without a change says of a clip that was deleted meanwhile that it is`() async throws {
        for (keys, end) in [("E\n:wait idle", "<Enter>"), ("t", "+<Enter>"), ("e", "")] {
            try await RunningApp.open(size: Size(rows: 24, columns: 300), clips: 1) { app in
                let id = try #require(app.state.list.clips.selectedID)
                let delete = "sqlite3 '\(app.folder.path(of: "clips.db"))' 'DELETE FROM Clip'"
                try app.use(editor: keys == "e" ? delete : "true")
                try app.run(keys)
                if keys != "e" { _ = try app.other("cli") { try await $0.delete([id]) } }
                try app.run("\(end)\n:wait text=“Clip 0” is already deleted. Nothing was changed.")
                #expect(app.state.message?.isError == true)
            }
        }
    }

    @Test func `an edit that is not saved ends the actions of its key, one without a change does not`()
        async throws
    {
        let (wide, config) = (Size(rows: 24, columns: 300), "bind X edit ; delete")
        try await RunningApp.open(size: wide, config: config, clips: 2) { app in
            try app.use(editor: "echo words > \"$1\"")
            try app.run("X\n:wait text=Your edit of “Clip 1” was not saved. Your text is in\n:wait idle")
            #expect(app.state.list.clips.count == 2)
            try app.use(editor: "true")
            try app.run("X\n:wait text=Deleted “Clip 1” · u to undo\n:wait count=1")
        }
    }

    @Test func `J and K go to the clips around the open one, though it left the list`() async throws {
        try await RunningApp.open(clips: 5) { app in
            try app.run("/is:unread<Enter>\n:wait count=5")
            for (keys, title, unread) in [
                ("G<Enter>", "Clip 0", 4), ("J\n:wait text=This is the last clip.", "Clip 0", 4),
                ("K", "Clip 1", 3), ("<Esc>g<Enter>", "Clip 4", 2),
                ("K\n:wait text=This is the first clip.", "Clip 4", 2), ("J", "Clip 3", 1),
                ("J", "Clip 2", 0),
            ] {
                try app.run("\(keys)\n:wait count=\(unread)\n:wait idle")
                #expect(app.state.reader.clip?.displayTitle == title && app.state.list.clips.count == unread)
            }
        }
    }

    @Test func `going to a saved page that was deleted meanwhile loses no URL`() async throws {
        try await RunningApp.open(clips: 4) { app in
            let id = app.state.list.clips.rows[1].id
            try app.run("/clip<Enter>j\nahttps://clip2.example/<Enter>\n:wait text=already saved as “Clip 2”")
            _ = try app.other("cli") { try await $0.delete([id]) }
            try app.run(":wait count=3\ng\n:wait text=“Clip 2” is already deleted\n:wait idle")
            #expect(app.state.prompt?.editor.text == "https://clip2.example/")
            #expect(app.state.list.query.filter == "clip" && app.state.list.clips.count == 3)
            try app.run("<Enter>\n:wait text=Saved\n:wait idle")
        }
    }

    @Test func `undo skips a change of clips that are deleted, and can try it again`() async throws {
        try await RunningApp.open(clips: 4) { app in
            let id = app.state.list.clips.rows[0].id
            let other = app.state.list.clips.rows[1].id
            _ = try app.other("app") { try await $0.set(.starred, true, of: [other]) }
            try app.run("*\n:wait text=Starred “Clip 3”")
            _ = try app.other("cli") { try await $0.delete([id]) }
            try app.run("u\n:wait text=Nothing to undo: starred “Clip 3” · 1 clip deleted since")
            // The changes of other windows follow.
            try app.run("u\n:wait text=Undo “Clip 2”, starred\nn\n:wait idle")
            _ = try app.other("cli") { try await $0.delete([other]) }
            try app.run(
                "u\n:wait text=Undo “Clip 2”, starred\ny\n:wait text=Nothing to undo: starred “Clip 2”")
            try app.run("u\n:wait text=Nothing else to undo")
            _ = try app.other("cli") { try await $0.restore([id]) }
            try app.run("u\n:wait text=Undone: starred “Clip 3”")
        }
    }

    @Test func `a change of a clip that returns is the next one that undo tries`() async throws {
        try await RunningApp.open(clips: 4) { app in
            let id = app.state.list.clips.rows[0].id
            try app.run("*\n:wait text=Starred “Clip 3”")
            _ = try app.other("cli") { try await $0.delete([id]) }
            try app.run("u\n:wait text=Nothing to undo: starred “Clip 3” · 1 clip deleted since")
            _ = try app.other("cli") { try await $0.restore([id]) }
            try app.run(":wait count=4\n:wait idle\nu\n:wait text=Undone: starred “Clip 3”")
        }
    }

    @Test func `changes of other authors are not offered`() async throws {
        try await RunningApp.open(clips: 2) { app in
            let ids = app.state.list.clips.rows.map(\.id)
            _ = try app.other("cli") { try await $0.delete(ids) }
            try app.run(":wait count=0\nu\n:wait text=No changes of yours to undo")
        }
    }
}
