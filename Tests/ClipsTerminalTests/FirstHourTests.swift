import ClipsCore
import LiveQuery
import PersistentStore
import Terminal
import TestSupport
import Testing

@testable import ClipsTerminal

/// What a new user sees first.
@Suite struct FirstHourTests {
    @Test func `the footer of a pick says what Enter does`() {
        for (pick, label) in [(Pick(), "Tab complete"), (Pick(isSeveral: true), "Tab mark")] {
            var state = AppState.showing(3)
            _ = state.handle(.picking(pick), at: noon)
            let line = state.lines.last ?? ""
            #expect(line.contains("Enter print   Esc leave") && line.contains(label), "\(line)")
        }
    }

    @Test func `a clip that is unread and starred shows both`() {
        // The clip 10 is the second of the list.
        let line = AppState.showing(12).lines[2]
        #expect(line.hasPrefix(" •★Clip 10"))
    }

    @Test func `an unknown field of a program is an error of the config file`() {
        #expect(
            ConfigFile("bind Y !echo {zzzzzz}").errors.first?.hasPrefix(
                "config:1: Unknown field '{zzzzzz}'. Use {url}")
                == true)
        for name in ["page_url", "nope2", "no-pe"] {
            #expect(ConfigFile("bind Y !echo {\(name)}").errors.count == 1, "\(name)")
        }
        for text in [
            "copy u", "sort foo", "sort title up", "set nosuch on", "set text-width 5", "color titel bold",
            "!",
        ] {
            #expect(ConfigFile("bind A1 \(text)").errors.count == 1, "\(text)")
        }
        for text in [
            "copy url", "sort title reverse", "sort relevance", "set wrap", "set", "color title bold",
        ] {
            #expect(ConfigFile("bind A1 \(text)").errors.isEmpty, "\(text)")
        }
        #expect(ConfigFile("bind Y !echo {ulr}").errors.first?.contains("Did you mean '{url}'?") == true)
        #expect(ConfigFile("bind Y |awk '{print}'\nbind X !git show HEAD@{1} {id}").errors.isEmpty)
    }

    @Test(arguments: [("arch", Action.archive), ("del", .delete), ("quit", .quit), ("undo", .undo)])
    func `the help finds the action with the typed name first`(typed: String, action: Action) throws {
        var state = AppState.showing(3)
        try state.press("?/" + typed)
        #expect(state.help.entries(state.keys).first?.binding.action == action)
        #expect(
            state.statusLine.isEmpty == false && state.lines[1].contains(ActionTable[action].help.prefix(20)))
    }

    @Test
    func `a key with several actions performs them in turn, each on the list that the one before leaves`()
        async throws
    {
        let config =
            "bind X star ; archive ; next-unread\nbind Y sort ; delete\nbind L tag ; star\nbind Z !sh -c 'true ; true' {id}"
        #expect(ConfigFile(config).errors.isEmpty)
        #expect(ConfigFile("bind X star ; nosuch").errors.first?.contains("Unknown action 'nosuch'") == true)
        #expect(ConfigFile("bind X star ; ").errors.count == 1)
        try await RunningApp.open(config: config, clips: 4) { app in
            let (first, last) = (app.state.list.clips.rows[0].id, app.state.list.clips.rows[3].id)
            _ = try app.other { try await $0.toggle(.unread, of: [first, last]) }
            let unread = app.state.list.clips.rows.filter(\.isUnread).map(\.id)
            try app.run(":wait idle\nX\n:wait count=3")
            let rows = try app.other { try await [$0.clip(first), $0.clip(last)] }
            #expect(rows[0].isStarred && rows[0].isArchived && !rows[1].isArchived)
            #expect(app.state.list.clips.selectedRow?.isUnread == true, "\(unread)")
            // A question stays open, and no later action answers it; closing it ends the actions.
            try app.run("Y\n:wait text=Sort by\n<Esc>\n:wait count=3")
            #expect(app.state.typing.ahead.isEmpty && app.state.prompt == nil)
            try app.run("g\n:wait idle\nL\n:wait text=Tags\nnew<Esc>\n:wait idle")
            let id = try #require(app.state.list.clips.selectedID)
            #expect(try !app.other { try await $0.clip(id).isStarred })
            // After an answer, the next action is performed.
            try app.run("L\n:wait text=Tags\nnew<Enter>\n:wait text=+new, starred\n:wait idle")
            let clip = try app.other { try await $0.clip(id) }
            #expect(clip.isStarred && clip.tags == ["new"])
        }
    }

    @Test func `the actions of one key mean one clip, even if one of them removes it from the list`()
        async throws
    {
        let config = "bind X archive ; star ; tag +x\nbind Y archive ; delete\nbind Z archive ; down ; star"
        try await RunningApp.open(config: config, clips: 6) { app in
            let ids = app.state.list.clips.rows.map(\.id)
            func clip(_ id: Int64) throws -> Clip { try app.other { try await $0.clip(id) } }
            try app.run("X\n:wait count=5\n:wait idle\nY\n:wait count=4\n:wait idle")
            #expect(try clip(ids[0]).isStarred && clip(ids[0]).isArchived && clip(ids[0]).tags == ["x"])
            #expect(throws: (any Error).self) { try clip(ids[1]) }
            #expect(try app.other { try await $0.ids(matching: ClipQuery()).count } == 4)
            // A move means the clip that it reaches.
            try app.run("Z\n:wait count=3\n:wait text=, starred\n:wait idle")
            #expect(try !clip(ids[2]).isStarred && clip(ids[2]).isArchived && clip(ids[4]).isStarred)
        }
    }

    @Test func `a message names the marked clip, not the one under the cursor`() async throws {
        try await RunningApp.open(clips: 3) { app in
            try app.run("<Space>\n:wait text=1 marked\nd\n:wait text=Deleted “Clip 2”\n:wait count=2")
            try app.run("u\n:wait text=Undone: deleted “Clip 2”")
        }
    }

    @Test func `undo finds what another window has changed since it found nothing`() async throws {
        try await RunningApp.open(clips: 2) { app in
            try app.run("u\n:wait text=No changes of yours")
            let id = app.state.list.clips.rows[0].id
            _ = try app.other("app") { try await $0.set(.archived, true, of: [id]) }
            try app.run(":wait count=1\nu\n:wait text=Undo “Clip 1”, archived\ny\n:wait count=2")
            _ = try app.other("app") { try await $0.set(.archived, true, of: [id]) }
            try app.run(":wait count=1\nu\n:wait text=Undo “Clip 1”, archived\ny\n:wait count=2")
        }
    }

    @Test(arguments: ["x", "d"])
    func `the cursor returns to the first of several clips that undo restores`(key: String) async throws {
        try await RunningApp.open(size: Size(rows: 8, columns: 80), clips: 9) { app in
            try app.run(
                ":wait count=9\n<Space><Space><Space>\(key)\n:wait count=6\nu\n:wait count=9\n:wait idle")
            #expect(app.state.list.clips.selectedIndex == 0 && app.state.list.clips.top == 0)
        }
    }

    @Test func `an empty list names deleted clips only if they have not returned`() async throws {
        try await RunningApp.open(clips: 2) { app in
            try app.run(
                "d\n:wait count=1\nu\n:wait count=2\nx\n:wait count=1\nx\n:wait text=All clips are archived\n"
            )
            #expect(
                !app.lines.contains { $0.contains("deleted") && !$0.contains("u to undo") }, "\(app.lines)")
        }
    }

    @Test func `a title that another process deleted during the prompt is named`() async throws {
        try await RunningApp.open(clips: 2) { app in
            let id = app.state.list.clips.rows[0].id
            try app.run("tfoo")
            _ = try app.other("cli") { try await $0.delete([id]) }
            try app.run(":wait count=1\n<Enter>\n:wait text=“Clip 1” is already deleted.")
        }
    }

    @Test func `the parts of one step of many clips count together in the status line`() async throws {
        try await RunningApp.open(clips: 1) { app in
            let ids = try app.other("importer") { store in
                let drafts = (0..<1200).map { number in
                    var draft = ClipDraft()
                    draft.title = "Many \(number)"
                    return draft
                }
                return try await store.add(drafts)
            }
            _ = try app.other("importer") { try await $0.set(.unread, false, of: ids) }
            try app.run(":wait text=importer marked 1,200 clips as read")
        }
    }

    @Test func `one statement of another program counts its clips in the status line`() async throws {
        try await RunningApp.open(clips: 30) { app in
            let update = "UPDATE Clip SET unread = 0 WHERE id <= 20"
            #expect(try Shell.run("sqlite3", [app.path, update]).errors == "")
            try app.run(":wait text=marked 20 clips as read")
        }
    }

    @Test func `the status line names the clip of a commit next to a filter`() async throws {
        try await RunningApp.open(clips: 3) { app in
            try app.run("/clip<Enter>\n:wait idle\n:wait text=by relevance")
            let insert = "INSERT INTO Clip (url, title) VALUES ('', 'clip zed')"
            #expect(try Shell.run("sqlite3", [app.path, insert]).errors == "")
            try app.run(":wait text=another program saved “clip zed”")
        }
    }

    @Test(arguments: [true, false])
    func `best matches are first once the index of an import is complete`(isFiltered: Bool) async throws {
        try await RunningApp.open { app in
            try app.run(isFiltered ? "/needle<Enter>\n:wait idle" : "/x\n:wait idle\n<Esc>")
            _ = try app.other { store in
                let count = LongProof.count(2500, of: 15_000, "imported clips")
                let drafts = (0..<count).map { number in
                    var draft = ClipDraft()
                    draft.title = number == 0 ? "needle first" : "Page \(number)"
                    draft.text =
                        "A page about hay \(number), and a needle in it, with words of its own \(number * 7)."
                    return draft
                }
                for start in stride(from: 0, to: drafts.count, by: 500) {
                    _ = try await store.add(Array(drafts[start..<start + 500]))
                }
            }
            if !isFiltered { try app.run("/needle<Enter>\n:wait idle") }
            #expect(
                app.wait {
                    $0.list.query.isRanked && $0.list.clips.rows.first?.title == "needle first"
                },
                "\(app.lines.prefix(3)) \(app.lines.suffix(2))")
        }
    }

    @Test func `read and unread set the mark of the chosen clips`() async throws {
        let config = "bind X read ; archive ; next-unread"
        #expect(ConfigFile(config).errors.isEmpty)
        try await RunningApp.open(config: config, clips: 3) { app in
            let (first, second) = (app.state.list.clips.rows[0].id, app.state.list.clips.rows[1].id)
            try app.run("X\n:wait count=2\n:wait idle")
            let clip = try app.other { try await $0.clip(first) }
            #expect(!clip.isUnread && clip.isArchived)
            #expect(app.state.list.clips.selectedRow?.id == second)
            try app.run("x\n:wait count=1\nu\n:wait count=2\n:wait idle\nk")
            try app.run("::unread<Enter>\n:wait text=is unchanged")
            #expect(try app.other { try await $0.clip(second).isUnread })
            try app.run("::read<Enter>\n:wait text=as read")
            #expect(try app.other { try await !$0.clip(second).isUnread })
        }
    }

    @Test func `a note is written in a prompt, or in the editor if it has several lines`() async throws {
        try await RunningApp.open(clips: 2) { app in
            let id = try #require(app.state.list.clips.selectedID)
            try app.run("Ea note<Enter>\n:wait text=Added the note of “Clip\n")
            #expect(try app.other { try await $0.clip(id).note } == "a note")
            try app.run("E, longer<Enter>\n:wait text=Changed the note\nE\n:wait idle")
            #expect(app.state.prompt?.editor.text == "a note, longer")
            try app.run("<C-u><Enter>\n:wait text=Deleted the note\nu\n:wait text=Undone: deleted the note")
            #expect(try app.other { try await $0.clip(id).note } == "a note, longer")
            // Another process changes it meanwhile.
            try app.run("E!\n:wait idle")
            _ = try app.other("cli") {
                try await $0.update(id, version: $0.clip(id).version, [.note: .text("x")])
            }
            try app.run("<Enter>\n:wait text=Choose what to save")
        }
    }

    /// An app that shows the text of a clip.
    private static func reading(_ text: String, config: String = "") throws -> AppState {
        var state = AppState.showing(3, Size(rows: 24, columns: 80), config: config)
        let layout = StoredObject.Layout(names: ["title", "text"])
        try state.press("<Enter>")
        state.reader.show(
            Clip(
                StoredObject(
                    id: ClipModel.objectID(2), version: 1, layout: layout, values: [.text("A"), .text(text)]))
        )
        state.reconcile()
        return state
    }

    @Test func `the list of links omits the addresses that a text on the same screen shows`() throws {
        let state = try Self.reading("See [here][1], and https://b.example/x.\n\n[1]: https://a.example/")
        let shown = state.reader.lines.map(\.text)
        #expect(shown.contains("See here [1], and https://b.example/x [2]."), "\(shown)")
        let row = try #require(state.reader.lines.firstIndex { $0.part == .text })
        let cells = (0..<45).map {
            state.draw().cell(
                row: (state.layout.text?.row ?? 0) + row, column: (state.layout.text?.column ?? 0) + $0)
        }
        let link = state.theme[.link].foreground
        let styled = cells.indices.filter { cells[$0]?.style.foreground == link }
        #expect(styled == Array(4..<12) + Array(18..<41), "\(styled)")
        #expect(shown.contains("[1] https://a.example/"))
        #expect(shown.count { $0.contains("https://b.example/x") } == 1)
        let code = try Self.reading("x `https://a.example/code` and [l](https://a.example/2)")
        #expect(code.reader.lines.count { $0.text.contains("https://a.example/code") } == 1)
    }

    @Test func `a text width wraps the text, and the status line has the share that was read`() throws {
        var state = try Self.reading(
            String(repeating: "some words of a long text ", count: 400), config: "set text-width 40")
        #expect(state.statusLine.contains("%"))
        #expect(state.reader.lines.allSatisfy { $0.text.count <= 40 } && state.reader.lines.count == 22)
        let first = try #require(state.reader.percent)
        try state.press("<C-f>")
        #expect(try #require(state.reader.percent) > first)
        try state.press(":set text-width off<Enter>")
        #expect(state.reader.lines.contains { $0.text.count > 60 })
        #expect(ConfigFile("set text-width 5").errors.count == 1)
    }

    @Test func `lines that are not wrapped use the whole pane`() throws {
        var state = try Self.reading(
            String(repeating: "some words of a long text ", count: 400), config: "set text-width 40")
        _ = state.handle(.resized(Size(rows: 24, columns: 100)), at: noon)
        #expect(state.layout.text?.size.columns == 40)
        try state.press("w")
        #expect(try #require(state.layout.text?.size.columns) > 90)
        #expect(state.lines.contains { $0.trimmed.count > 90 }, "\(state.lines)")
        try state.press("w")
        #expect(state.layout.text?.size.columns == 40)
    }

    @Test func `a list says that it has no clips only once all are searched`() throws {
        var state = AppState.showing(3)
        try state.press("/tag:x<Enter>")
        let generation = state.list.feed.generation
        let none = LiveList<ClipRow>.Window(
            rows: [], lowerIndex: 0, count: nil, reachesStart: true, reachesEnd: false)
        state.take(.window(none, generation: generation))
        #expect(
            state.statusLine.hasPrefix(" … ") && !state.lines.contains { $0.contains("No clip ") })
        // The next key is meant for the clips that are found.
        try state.press("d")
        #expect(state.typing.ahead == [.key(.character("d"))])
        let all = LiveList<ClipRow>.Window(
            rows: [], lowerIndex: 0, count: 0, reachesStart: true, reachesEnd: true)
        state.take(.window(all, generation: generation))
        #expect(state.statusLine.hasPrefix(" 0 ") || state.message != nil)
        #expect(state.lines.contains { $0.contains("No clip matches “tag:x”") })
    }

    @Test func `a menu has a border on a small screen`() throws {
        var state = AppState.showing(3, Size(rows: 12, columns: 40))
        try state.press("s")
        #expect(state.lines.contains { $0.hasPrefix("┌─ Sort by ") })
        #expect(state.lines.contains { $0.hasPrefix("└") })
    }

    @Test func `an external writer is shown with its program`() {
        #expect(
            transaction(1, author: nil).shownAuthor == transaction(1, author: nil).program
                ?? AuthorName.unknown)
        #expect(transaction(1, author: "cli").shownAuthor == "cli")
    }

    @Test func `an empty list offers the archived and the deleted clips`() async throws {
        try await RunningApp.open(clips: 2) { app in
            let ids = app.state.list.clips.rows.map(\.id)
            _ = try app.other("cli") { try await $0.toggle(.archived, of: [ids[0]]) }
            _ = try app.other("cli") { try await $0.delete([ids[1]]) }
            try app.run(
                ":wait count=0\n:wait text=1 clip is archived\n:wait text=H shows the history; R restores")
            #expect(!app.lines.contains { $0.contains("No clips yet") })
        }
    }

    @Test func `work on a clip that another process deleted names the clip`() async throws {
        try await RunningApp.open(clips: 3) { app in
            try app.run("<C-j>p")
            let id = try #require(app.state.list.clips.selectedID)
            _ = try app.other("cli") { try await $0.delete([id]) }
            for keys in ["tx<Enter>", "*", "d"] {
                try app.run(keys + "\n:wait text=“Clip 2” is already deleted.\n:wait idle")
            }
        }
    }

    @Test func `a message names the tags that changed, not those that a clip had or lacked`() async throws {
        try await RunningApp.open(clips: 1) { app in
            try app.run("t+a<Enter>\n:wait text=Tagged “Clip 0” +a")
            try app.run("t+a,+b,-c<Enter>\n:wait text=Tagged “Clip 0” +b · no tag c to remove")
            try app.run("t-a,-c<Enter>\n:wait text=Removed the tag a from “Clip 0” ·")
        }
    }

    @Test func `the status line names the clip of the last change`() async throws {
        try await RunningApp.open(clips: 3) { app in
            let id = app.state.list.clips.rows[1].id
            for (change, text) in [
                (ClipAttribute.unread, "cli marked “Clip 1” as read"),
                (.starred, "cli starred “Clip 1”"),
                (.archived, "cli archived “Clip 1”"),
            ] {
                _ = try app.other("cli") { try await $0.toggle(change, of: [id]) }
                try app.run(":wait text=" + text)
            }
            _ = try app.other("cli") { try await $0.tag([id], adding: ["x"], removing: []) }
            try app.run(":wait text=cli tagged “Clip 1” +x")
            _ = try app.other("cli") { try await $0.tag([id], adding: [], removing: ["x"]) }
            try app.run(":wait text=cli removed the tag x from “Clip 1”")
            _ = try app.other("cli") { try await $0.delete([id]) }
            try app.run(":wait text=cli deleted “Clip 1”\nH\n:wait text=- Clip 1  deleted")
            for row in ["tags +x", "archived", "starred", "marked as read"] {
                try app.run(":wait text=~ Clip 1  " + row)
            }
        }
    }

    @Test func `Enter in the history goes to the clip of a row with one change`() async throws {
        try await RunningApp.open(size: Size(rows: 12, columns: 40), clips: 3) { app in
            let id = app.state.list.clips.rows[2].id
            _ = try app.other("cli") { try await $0.toggle(.starred, of: [id]) }
            try app.run("H\n:wait text=starred  \n:wait text=starred: no → yes\n<Enter>\n:wait idle")
            #expect(app.state.screen == .list && app.state.list.clips.selectedID == id)
            // A row of several changes shows them first.
            try app.run("HG\n:wait text=saved: Clip 0\n<Enter>")
            #expect(app.state.screen == .history && app.state.history.isInChanges)
        }
    }

    @Test func `adding a page that is saved asks, merges, or keeps both`() async throws {
        try await RunningApp.open(clips: 2) { app in
            try app.run("ahttps://swift.org/a<Enter>\n:wait count=3\nahttps://www.swift.org/a#b<Enter>")
            try app.run(":wait text=This page is already saved as “https://swift.org/a”\n<Esc>\n:wait idle")
            #expect(app.state.list.clips.count == 3)
            #expect(app.state.prompt?.editor.text == "https://www.swift.org/a#b")
            try app.run("<Esc>\n:wait idle")
            #expect(app.state.prompt == nil && app.state.list.clips.count == 3)
            try app.run("<C-l>:set duplicates merge<Enter>ahttps://swift.org/a<Enter>")
            try app.run(":wait text=as “https://swift.org/a”; the URL adds nothing new\n:wait idle")
            #expect(app.state.list.clips.count == 3)
            try app.run("<C-l>x\n:wait count=2\nahttps://swift.org/a<Enter>\n:wait count=3")
            #expect(app.state.message?.text.contains("/a” and unarchived it ·") == true)
            // A clip that the filter hides is shown, too.
            try app.run(
                "<C-l>:set duplicates ask<Enter>/nothing<Enter>\n:wait count=0\nahttps://swift.org/a<Enter>")
            try app.run(":wait text=This URL is already saved\ng\n:wait count=3\n:wait idle")
            #expect(app.state.list.clips.selectedRow?.url == "https://swift.org/a")
            try app.run("<C-l>ahttps://swift.org/a<Enter>")
            try app.run(":wait text=This URL is already saved as “https://swift.org/a”\nb\n:wait count=4")
            try app.run(
                "<C-l>:set duplicates keep<Enter>ahttps://swift.org/a<Enter>\n:wait count=5\nu\n:wait count=4"
            )
        }
    }

    @Test func `stars around bold and italic words are not shown, but those in code and formulas are`() throws
    {
        let text =
            "# **T**\n**Bold [x][1]** and *it* [y][1], `*p*` 2 * 3 * 4 https://b.example/*c*\n\n[1]: https://a.example/"
        let state = try Self.reading(text)
        let line = try #require(state.reader.lines.first { $0.text.hasPrefix("Bold") })
        #expect(line.text == "Bold x [1] and it y [1], *p* 2 * 3 * 4 https://b.example/*c [2]*")
        let marks = line.emphasis.filter { !$0.isLink }
        #expect(marks.map(\.columns) == [0..<10, 15..<17, 25..<28])
        #expect(marks.map(\.attributes) == [.bold, .italic, .bold])
        #expect(line.emphasis.filter(\.isLink).map(\.columns) == [5..<10, 18..<23, 39..<63])
    }

    @Test func `a tab in a text is as wide as in a terminal`() throws {
        let state = try Self.reading("a\tb\nlonger text\tc")
        #expect(state.reader.lines.suffix(2).map(\.text) == ["a       b", "longer text     c"])
    }
}
