import ClipsCore
import LiveQuery
import PersistentStore
import Terminal
import Testing

@testable import ClipsTerminal

@Suite struct KeySequenceTests {
    private static let config = "bind gg first\nbind ge last\nbind ,a archive\nbind ,tw tag +work\n"

    @Test func `a key with several actions reports them together, and one undo undoes all`() async throws {
        let config = "bind X star ; archive ; next-unread\nbind Y unread ; star ; tag +x"
        try await RunningApp.open(config: config, clips: 3) { app in
            let ids = app.state.list.clips.rows.map(\.id)
            try app.run("j*\n:wait text=Starred “Clip 1”\nkX\n:wait count=2")
            try app.run(":wait text=Starred “Clip 2”, archived it · u to undo\nu\n:wait count=3")
            try app.run(":wait text=Undone: archived “Clip 2”, starred it · ^R to redo")
            #expect(try !app.other { try await $0.clip(ids[0]) }.isStarred)
            try app.run("<C-r>\n:wait count=2\n:wait text=Redone: starred “Clip 2”, archived it · u")
            try app.run("u\n:wait count=3\n:wait idle\nu\n:wait text=Undone: starred “Clip 1” ·")
            // What did not change is not reported next to what did.
            try app.run("G\n:wait idle\nY\n:wait text= Starred “Clip 0”, tagged it +x · u to undo")
        }
    }

    @Test func `a key with actions on several clips names each, and what is undone apart`() async throws {
        let config = "bind X star ; down ; archive\nbind U undo ; star"
        try await RunningApp.open(config: config) { app in
            _ = try app.other { store in try await store.add((0..<3).map { _ in RunningApp.draft("Same") }) }
            try app.run(
                ":wait count=3\nX\n:wait text=Starred “Same”, archived “Same” · u to undo\nu\n:wait count=3")
            try app.run(
                ":wait text=Undone: archived “Same”, starred “Same”\n*\n:wait text=Starred “Same”\njU")
            try app.run(":wait text=Undone: starred “Same” · Starred “Same” · u to undo")
        }
    }

    @Test func `a count before a key with several actions is the number of clips of each`() async throws {
        let config = "bind X read ; archive ; next-unread"
        try await RunningApp.open(config: config, clips: 6) { app in
            let ids = app.state.list.clips.rows.map(\.id)
            try app.run("j3X\n:wait count=3\n:wait idle")
            #expect(app.state.list.clips.rows.map(\.id) == [ids[0], ids[4], ids[5]])
            #expect(app.state.message?.text.contains("3 clips as read, archived 3 clips") == true)
            #expect(app.state.list.marks.isEmpty && app.state.list.clips.selectedID == ids[4])
            try app.run("u\n:wait count=6")
        }
    }

    @Test func `what a later action reports first follows the changes of the key`() throws {
        var state = AppState.showing(3, config: "bind X star ; archive ; next-unread")
        let works = try state.press("X").compactMap { if case .work(let work) = $0 { work } else { nil } }
        func finish(_ index: Int, _ summary: String) {
            let done = Work.Outcome.done(
                token: transaction(Int64(index) + 1).token, clips: [], summary: summary)
            state.answer(.work(works[index]), done, at: noon)
        }
        finish(0, "starred “Clip 2”")
        // The search may end before the outcome of the save.
        state.report("No unread clips here.")
        finish(1, "archived “Clip 2”")
        #expect(
            state.message?.text == "Starred “Clip 2”, archived it · u to undo · No unread clips here.",
            "\(state.message?.text ?? "")")
    }

    @Test func `a move after a change of the clip is not undone by its outcome`() async throws {
        try await RunningApp.open(config: "bind X star ; down\nbind Y read ; next-unread", clips: 4) { app in
            try app.run(
                "X\n:wait text=Starred “Clip 3”\n:wait idle\nX\n:wait text=Starred “Clip 2”\n:wait idle")
            #expect(app.state.list.clips.selectedIndex == 2)
            try app.run("Y\n:wait text=Marked “Clip 1” as read\n:wait idle")
            #expect(app.state.list.clips.selectedIndex == 3)
        }
    }

    @Test func `a key that undoes several changes names each`() async throws {
        try await RunningApp.open(config: "bind X undo ; undo\nbind Y redo;redo", clips: 3) { app in
            try app.run("*\n:wait text=Starred “Clip 2”\nj*\n:wait text=Starred “Clip 1”\n:wait idle")
            try app.run("X\n:wait text=Undone: starred “Clip 1”, starred “Clip 2” · ^R to redo\n:wait idle")
            try app.run("Y\n:wait text=Redone: starred “Clip 2”, starred “Clip 1” · u to undo\n:wait idle")
        }
    }

    @Test func `semicolons divide actions with or without spaces, except in a program's words`() throws {
        let config = ConfigFile("bind a star;archive\nbind b !sed 's/a/b/;p' ; star\nbind c tag '+a;b'; star")
        #expect(config.errors.isEmpty)
        let texts = "abc".map { config.keys[.character($0)]?.text }
        #expect(texts == ["star ; archive", "run sed 's/a/b/;p' ; star", "tag '+a;b' ; star"])
    }

    @Test func `a sequence performs its action, with a count before it`() throws {
        var state = AppState.showing(30, config: Self.config + "bind gj down\n")
        try state.press("12gj")
        #expect(state.list.clips.selectedIndex == 12)
        try state.press("gg")
        #expect(state.list.clips.selectedIndex == 0)
        try state.press("ge")
        #expect(state.list.clips.selectedIndex == 29)
    }

    @Test func `Esc cancels the menu of searches that is being read`() throws {
        var state = AppState.showing(3)
        try state.press("S<Esc>")
        #expect(!state.isListAwaited && state.message == nil)
        state.show(KnownNames(tags: ["a"]))
        #expect(state.menu == nil)
        try state.press("S")
        _ = state.handle(.failure("No space left."), at: noon)
        state.show(KnownNames(tags: ["a"]))
        #expect(state.menu == nil)
        try state.press("S")
        state.show(KnownNames(tags: ["a"]))
        #expect(state.menu != nil)
    }

    @Test func `a key that undoes or repeats its own work says what is left of it`() async throws {
        let config = "bind X delete ; undo\nbind Y delete ; undo ; delete\nbind Z delete ; delete"
        try await RunningApp.open(config: config, clips: 3) { app in
            try app.run("X\n:wait text=Undone: deleted “Clip 2” · ^R to redo\n:wait count=3\n:wait idle")
            try app.run("gY\n:wait count=2\n:wait idle")
            #expect(!app.state.statusLine.contains("deleted it"), "\(app.state.statusLine)")
            try app.run(
                "gZ\n:wait count=1\n:wait text=Deleted “Clip\n:wait text=is already deleted.\n:wait idle")
            #expect(!app.state.statusLine.contains("Nothing was changed"))
        }
    }

    @Test func `text typed after S finds a name, and reaches no key of the list`() throws {
        var state = AppState.showing(3)
        let letters = (1...40).map { "t\($0)" }
        try state.press("S")
        state.show(KnownNames(tags: letters + ["crunch", "rust", "Übung"], sites: ["rum.example"]))
        #expect(state.lines.contains { $0.contains("Tags and sites · type a name") })
        try state.press("ru")
        #expect(state.menu?.items.map(\.label) == ["#rust", "site:rum.example", "#crunch"])
        #expect(state.lines.contains { $0.contains("Tags and sites: ru") })
        // A letter without a match changes nothing.
        try state.press("q")
        #expect(state.menu?.items.count == 3 && state.message?.text.contains("“ruq”") == true)
        try state.press("<BS><BS><BS>1<Enter>")
        #expect(state.menu == nil && state.list.query.filter == "tag:t1")
        state = AppState.showing(3)
        try state.press("S")
        state.show(KnownNames(tags: letters + ["Übung"]))
        try state.press("ü<Enter>")
        #expect(state.menu == nil && state.list.query.filter == "tag:Übung")
        state = AppState.showing(3)
        try state.press("S")
        state.show(KnownNames(tags: letters))
        try state.press("t4<C-u>2")
        #expect(state.menu == nil && state.list.query.filter == "tag:t2")
    }

    @Test(arguments: ["", "<Enter>"])
    func `keys typed after E are the text of the note, until Esc`(opening: String) throws {
        var state = AppState.showing(3)
        try state.press(opening + "EHqo")
        #expect(state.screen == .list && state.prompt == nil && state.typing.ahead.count == 3)
        state.answer(.loadForNote(2), clip(2))
        #expect(state.prompt?.editor.text == "Hqo")
        try state.press("<Esc>E<Esc>")
        #expect(!state.isListAwaited && state.message == nil)
        state.answer(.loadForNote(2), clip(2))
        #expect(state.prompt == nil)
        try state.press("E")
        _ = state.handle(.failure("No space left."), at: noon)
        state.answer(.loadForNote(2), clip(2))
        #expect(state.prompt == nil && !state.isListAwaited)
        // The clip is deleted: "d" is not an action on the next one.
        #expect(try state.press("Ed").count == 1)
        let effects = state.answer(.loadForNote(2), Clip?.none as Any)
        #expect(effects.isEmpty && !state.isListAwaited && state.message?.isError == true)
    }

    @Test func `a note that was read replaces no other question`() throws {
        var state = AppState.showing(3)
        try state.press("Ed")
        state.menu = .copy([1])
        state.answer(.loadForNote(2), clip(2))
        #expect(state.prompt == nil && state.menu?.title == "Copy" && !state.isListAwaited)
        #expect(state.typing.ahead.isEmpty)
    }

    @Test func `keys typed before a note opens precede the later actions of its key`() throws {
        var state = AppState.showing(3, config: "bind X note ; archive\nbind L tag ; star\n")
        try state.press("XH")
        #expect(works(state.answer(.loadForNote(2), clip(2))).isEmpty)
        #expect(state.prompt?.editor.text == "H" && state.screen == .list)
        guard case .edit? = works(try state.press("i<Enter>")).first else {
            Issue.record("the note is not saved")
            return
        }
        #expect(state.typing.ahead.isEmpty && state.screen == .list)
        state = AppState.showing(3, config: "bind L tag ; star\n")
        try state.press("/clip<Enter>Lnew<Enter>j")
        let effects = state.take(window((0..<3).reversed(), generation: state.list.feed.generation))
        guard case .tag(_, ["new"], [], _)? = works(effects).first, works(effects).count == 2 else {
            Issue.record("\(works(effects))")
            return
        }
        #expect(state.list.clips.selectedIndex == 1)
    }

    @Test func `keys typed before an editor opens are not actions in the list`() throws {
        var state = AppState.showing(3, config: "bind X edit ; archive\n")
        try state.press("Xdd")
        #expect(state.typing.ahead.count == 3)
        guard case .edit? = state.answer(.loadForEdit(2), clip(2)).last else {
            Issue.record("not edited")
            return
        }
        #expect(state.typing.ahead.count == 1)
        guard case .toggle(.archived, _, [2], _)? = works(state.handle(.performed, at: noon)).first else {
            Issue.record("not archived")
            return
        }
        try state.press("e<Esc>")
        #expect(state.answer(.loadForEdit(2), clip(2)).isEmpty)
    }

    private func works(_ effects: [Effect]) -> [Work] {
        effects.compactMap { if case .work(let work) = $0 { work } else { nil } }
    }

    private func clip(_ id: Int64) -> Clip {
        let layout = StoredObject.Layout(names: ["title", "note"])
        return Clip(
            StoredObject(
                id: ClipModel.objectID(id), version: 1, layout: layout, values: [.text("Clip"), .text("")]))
    }

    @Test func `the first key shows the keys that can follow, and Esc cancels`() throws {
        var state = AppState.showing(30, config: Self.config)
        try state.press("5,")
        #expect(state.statusLine.contains("5,…"))
        let lines = state.lines
        #expect(lines.contains { $0.contains("│ a   Archive the clip") })
        #expect(lines.contains { $0.contains("│ tw  tag +work") })
        #expect(lines.last?.contains("Esc cancel") == true)
        try state.press("t")
        #expect(state.lines.contains { $0.contains("│ w  tag +work") })
        try state.press("<Esc>")
        #expect(
            state.message == nil && !state.statusLine.contains("…")
                && !state.lines.contains { $0.contains("tag +work") })
        try state.press("j")
        #expect(state.list.clips.selectedIndex == 1)
        try state.press(",q")
        #expect(state.message?.text.hasPrefix(",q is not bound") == true)
        #expect(state.lines.contains { $0.contains("│ a ") } == false)
    }

    @Test func `a key of the list is clickable, and a prompt discards the first keys`() throws {
        var state = AppState.showing(30, config: Self.config)
        try state.press("jjg")
        let row = try #require(state.lines.firstIndex { $0.contains("│ g  Go to the first") })
        try state.press("<Press:\(row),3>")
        #expect(state.list.clips.selectedIndex == 0 && state.typing.pressed.isEmpty)
        try state.press("g")
        state.menu = .copy([1])
        try state.press("<Esc>g")
        #expect(state.typing.pressed == [.character("g")])
    }

    @Test func `keys of a sequence wait together for a list that is loading`() throws {
        var state = AppState.showing(30, config: "bind gq down\n")
        try state.press("/clip<Enter>")
        #expect(state.isListAwaited)
        let effects = try state.press("gq")
        #expect(state.screen == .list && state.typing.ahead.count == 2)
        #expect(!effects.contains { if case .quit = $0 { true } else { false } })
        state.take(window((0..<9).reversed(), generation: state.list.feed.generation))
        #expect(state.list.clips.selectedIndex == 1 && state.typing.ahead.isEmpty)
    }

    @Test func `a sequence replaces the default of its first key, and the help shows it`() {
        let config = ConfigFile("bind gg first\nbind L |less\nbind ,x !mpv {url}")
        #expect(config.errors.isEmpty)
        #expect(config.keys[.character("g")] == nil && config.keys[.character(",")] == nil)
        #expect(config.keys.name(of: .first) == "Home" && config.keys.names(of: .first) == "Home gg")
        let lines = HelpScreen.lines(HelpEntry.all(config.keys), isFiltered: false, columns: 80)
        #expect(lines.contains { $0.keys == ",x" && $0.text == "run mpv {url}" })
        #expect(KeyMap.shown([.character(" "), .character("a")]) == "Space-a")
    }

    @Test func `conflicts are reported with their line`() {
        let config = ConfigFile(
            "bind ga edit\nbind g first\nbind gab last\nbind 3x edit\nbind x3 edit\nbind x<Esc> edit\nbind <no edit"
        )
        #expect(
            config.errors == [
                "config:2: Cannot bind 'g': 'ga' is bound above, and one begins with the other. Unbind it, or use "
                    + "different keys.",
                "config:3: Cannot bind 'gab': 'ga' is bound above, and one begins with the other. Unbind it, or "
                    + "use different keys.",
                "config:4: Cannot bind '3x': digits are counts.",
                "config:6: Cannot bind 'x<Esc>': <Esc> and <C-c> cancel a sequence of keys.",
                "config:7: Unknown key '<no'. Use a character, up to 3 of them such as gg, C-x or ^X, A-x or M-x, "
                    + "F1 to F12, or one of Up, Down, Left, Right, PgUp, PgDn, Home, End, Enter, Tab, S-Tab, Esc, "
                    + "BS, Del, Ins, Space.",
            ])
        #expect(config.keys[[.character("g"), .character("a")]] == Binding(.edit))
        #expect(ConfigFile("bind ga edit\nunbind ga\nbind g last").errors.isEmpty)
    }

    @Test(arguments: [
        ("F5", "<F5>"), ("f12", "<F12>"), ("^X", "<C-x>"), ("C-x", "<C-x>"), ("c-x", "<C-x>"),
        ("M-x", "<A-x>"),
        ("A-x", "<A-x>"), ("Tab", "<Tab>"), ("S-Tab", "<S-Tab>"), ("Space", "<Space>"), ("enter", "<Enter>"),
        ("Esc", "<Esc>"), ("PageUp", "<PgUp>"), ("PgDn", "<PgDn>"), ("Up", "<Up>"), ("BS", "<BS>"),
        ("Return", "<Enter>"), ("<F5>", "<F5>"), ("^^", "<C-^>"),
    ])
    func `a key is bound by its usual name`(name: String, key: String) throws {
        let config = ConfigFile("bind \(name) last")
        #expect(config.errors.isEmpty)
        #expect(config.keys[try #require(Key(named: key))] == Binding(.last))
    }

    @Test(arguments: ["Ctrl-x", "Alt+x", "Control-x", "PageBottom", "F0x1", "Hyper", "Resize"])
    func `an unknown name of a key is refused with the known ones`(name: String) {
        let error = ConfigFile("bind \(name) last").errors.first
        #expect(error?.hasPrefix("config:1: Unknown key '\(name)'. Use a character, up to 3 of them") == true)
        #expect(error?.contains("F1 to F12, or one of Up, Down") == true && error?.contains("Space.") == true)
    }

    @Test(arguments: ["gg", "gt", "lt", "up", "^g1", ",a", "x<Tab>y", "gab"])
    func `letters that are not the name of a key are a sequence`(name: String) throws {
        let config = ConfigFile("bind \(name) last")
        #expect(try config.errors.isEmpty && config.keys[KeyParser.keys(in: name)] == Binding(.last))
    }
}
