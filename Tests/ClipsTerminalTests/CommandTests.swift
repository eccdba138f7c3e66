import ClipsCore
import Foundation
import LiveQuery
import PersistentStore
import Terminal
import Testing

@testable import ClipsTerminal

@Suite struct CommandTests {
    @Test func `a query is completed by one of the spellings of a tag, that of the typed letters first`() {
        let names = KnownNames(tags: ["Rust", "go", "rust", "rüst", "rusty"])
        #expect(names.distinctTags == ["Rust", "go", "rusty"])
        #expect(names.candidates(for: "tag:r") == ["tag:rust", "tag:rusty"])
        #expect(names.candidates(for: "tag:R") == ["tag:Rust", "tag:rusty"])
        #expect(names.candidates(for: "tag:RUS") == ["tag:Rust", "tag:rusty"])
        #expect(names.candidates(for: "tag:rust") == ["tag:rusty"])
    }

    @Test func `Tab completes the fields of a filter, and their tags and authors`() throws {
        var state = AppState.showing(3)
        try state.press("/")
        state.answer(.loadNames, KnownNames(tags: ["swift", "server side"], authors: ["browser"]))
        try state.press("words<Space>-ta<Tab>sw<Tab>")
        #expect(state.prompt?.editor.text == "words -tag:swift")
        try state.press("<Space>tag:se<Tab><Space>aut<Tab>b<Tab>")
        #expect(state.prompt?.editor.text == "words -tag:swift tag:\"server side\" author:browser")
    }

    @Test func `a command is found by its name or a unique prefix`() throws {
        var state = AppState.showing(30)
        let filters = try state.press(":filter two words<Enter>").compactMap {
            if case .show(let query, _, _) = $0 { query.filter } else { nil }
        }
        #expect(filters == ["two words"])
        state = .showing(30)
        try state.press(":12<Enter>")
        #expect(state.list.clips.selectedIndex == 11)
        guard case .showAround(18, let sorted, _, _)? = try state.press(":so title reverse<Enter>").last
        else {
            Issue.record("not sorted")
            return
        }
        #expect(sorted.sort == SortKey("title", isAscending: false))
    }

    @Test(arguments: [
        (":bind x star<Enter>", "'bind' is a line of the config file"),
        (":frobnicate<Enter>", "Unknown command ':frobnicate'"), (":delte<Enter>", "Did you mean ':delete'?"),
        (":re<Enter>", "ambiguous: read, redo, restore, redraw"), (":delete it<Enter>", "has no argument"),
        (":sort colour<Enter>", "Use one of created"), (":sort titel<Enter>", "Did you mean 'title'?"),
        (":set speed on<Enter>", "Unknown option 'speed'"),
        (":set wrap maybe<Enter>", "Use on or off"),
        (":copy all<Enter>", "Use one of url"), (":errors<Enter>", "has no errors"),
        (":set<Enter>", "relativenumber off"),
        (":set sort<Enter>", "sort is created · created|created reverse"),
        (":set split<Enter>", "split is 55 · 35|45|55|65"),
        (":unarchive<Enter>", "':archive' again reverses it."), (":uncopy<Enter>", "Did you mean ':copy'?"),
    ])
    func `a rejected command gives the reason`(keys: String, words: String) throws {
        var state = AppState.showing(30, Size(rows: 24, columns: 160))
        #expect(try state.press(keys).allSatisfy { if case .loadNames = $0 { true } else { false } })
        #expect(state.message?.text.contains(words) == true, "\(state.message?.text ?? "")")
    }

    @Test func `:q quits, and from another screen returns to the list`() throws {
        var state = AppState.showing(3)
        #expect(try !state.press("H:q<Enter>").contains { if case .quit = $0 { true } else { false } })
        #expect(state.screen == .list)
        #expect(try state.press(":q<Enter>").contains { if case .quit = $0 { true } else { false } })
    }

    @Test func `earlier commands are recalled`() throws {
        var state = AppState.showing(30)
        try state.press(":5<Enter>:7<Enter>:<Up>")
        #expect(state.prompt?.editor.text == "7")
        try state.press("<Up><Up>")
        #expect(state.prompt?.editor.text == "5")
        try state.press("<Down>")
        #expect(state.prompt?.editor.text == "7")
        try state.press("<Down>")
        #expect(state.prompt?.editor.text == "")
        try state.press("<Up><Up><Enter>")
        #expect(state.list.clips.selectedIndex == 4)
    }

    @Test func `Tab completes names, arguments, and tags, and then cycles through them`() throws {
        var state = AppState.showing(30)
        state.answer(.loadNames, KnownNames(tags: ["swift", "server side", "sqlite", "news"], authors: []))
        try state.press(":fi<Tab>")
        #expect(state.prompt?.editor.text == "filter ")
        try state.press("<C-u>sort ti<Tab>")
        #expect(state.prompt?.editor.text == "sort title")
        try state.press("<C-u>set rel<Tab>on")
        #expect(state.prompt?.editor.text == "set relativenumber on")
        try state.press("<C-u>set columns ti<Tab>,ag<Tab>")
        #expect(state.prompt?.editor.text == "set columns title,age")
        try state.press("<C-u>set date %d<Tab>")
        #expect(state.prompt?.editor.text == "set date %d.%m.%Y")
        try state.press("<C-u>set sort title <Tab>")
        #expect(state.prompt?.editor.text == "set sort title reverse")
        try state.press("<C-u>color unr<Tab>bol<Tab> brightye<Tab>")
        #expect(state.prompt?.editor.text == "color unread bold brightyellow")
        try state.press("<C-u>run mpv {u<Tab>")
        #expect(state.prompt?.editor.text == "run mpv {url}")
        // Of the tags to remove, only those of the clip are candidates.
        try state.press("<C-u>tag +n<Tab> -mo<Tab>")
        #expect(state.prompt?.editor.text == "tag +news -more")
        try state.press("<Esc>2<Space>:tag -sq<Tab>")
        #expect(state.prompt?.editor.text == "tag -sqlite")
        // Several match: they are shown, and selected in turn.
        try state.press("<C-u>to<BS>ag +s")
        #expect(state.lines.last?.contains("swift") == true && state.lines.last?.contains("sqlite") == true)
        try state.press("<Esc>:tag +s<Tab>")
        #expect(state.prompt?.editor.text == "tag +swift")
        try state.press("<Tab>")
        #expect(state.prompt?.editor.text == "tag +server side")
        try state.press("<S-Tab><S-Tab>")
        #expect(state.prompt?.editor.text == "tag +sqlite")
        try state.press("<C-u>xyz<Tab>")
        #expect(state.message?.text == "No completions.")
    }

    @Test func `tags have one syntax for one clip and for several`() throws {
        for keys in ["", "<Space><Space>"] {
            var state = AppState.showing(30)
            try state.press(keys + "t")
            state.answer(.loadNames, KnownNames(tags: ["more", "morning", "server side"], authors: []))
            let effects = try state.press("+ser<Tab>, mor<Tab><Tab> -more<Enter>")
            guard
                case .work(.tag(let ids, adding: ["server side", "morning"], removing: ["more"], _))? =
                    effects
                    .last
            else {
                Issue.record("not tagged: \(effects)")
                return
            }
            #expect(ids == (keys.isEmpty ? [29] : [28, 29]))
            #expect(try state.press("t<Enter>").allSatisfy { if case .work = $0 { false } else { true } })
        }
        var state = AppState.showing(30)
        try state.press("t")
        #expect(state.statusLine.contains("Tags (tag2, more):"))
        state.answer(.loadNames, KnownNames(tags: ["more", "tag9"], authors: []))
        try state.press("-ta<Tab>")
        #expect(state.prompt?.editor.text == "-tag2")
    }

    @Test func `options are set for the session`() throws {
        var state = AppState.showing(30)
        try state.press("5j:set relativenumber<Enter>")
        #expect(state.lines[1].prefix(9).contains("5") && state.lines[6].prefix(9).contains("6"))
        try state.press(":set theme light<Enter>:set wrap off<Enter>")
        #expect(state.theme == Theme(.light, .direct) && !state.reader.isWrapped)
        guard case .setMouse(false)? = try state.press(":set mouse off<Enter>").last else {
            Issue.record("the mouse was not released")
            return
        }
        guard case .setMouse(true)? = try state.press("M").last else {
            Issue.record("the mouse was not captured")
            return
        }
    }
}

@Suite struct MenuTests {
    @Test func `the sort menu sorts, and the same choice again reverses the order`() throws {
        var state = AppState.showing(30)
        try state.press("4js")
        #expect(state.lines.contains { $0.contains("c  time saved ↓") })
        guard case .showAround(25, let query, _, _)? = try state.press("t").last else {
            Issue.record("not sorted")
            return
        }
        #expect(query.sort == SortKey("title"))
        state.take(window((0..<30).reversed(), generation: state.list.feed.generation))
        guard case .showAround(_, let reversed, _, _)? = try state.press("st").last else {
            Issue.record("not reversed")
            return
        }
        #expect(reversed.sort == SortKey("title", isAscending: false))
        state.take(window((0..<30).reversed(), generation: state.list.feed.generation))
        #expect(try state.press("s<Esc>").isEmpty && state.menu == nil)
        #expect(state.statusLine.contains("by title"))
    }

    @Test func `every choice of a menu has a letter of its own`() {
        let conflicts = [true, false].map(Menu.conflict(isDeletion:))
        for menu in [Menu.sort(ClipQuery()), .copy([1]), .copy([1, 2, 3])] + conflicts {
            #expect(Set(menu.items.map(\.key)).count == menu.items.count)
        }
    }

    @Test func `the arrows move in menus, at any size`() throws {
        for size in [Size(rows: 3, columns: 10), Size(rows: 12, columns: 40), Size(rows: 60, columns: 200)] {
            var state = AppState.showing(30, size)
            try state.press("s<Down><Down><Up>")
            #expect(state.menu?.selected == 1)
            #expect(state.lines.contains { $0.contains("time c") || $0.contains("m  t") })
            guard case .showAround(_, let query, _, _)? = try state.press("<Enter>").last else {
                Issue.record("nothing chosen")
                return
            }
            #expect(query.sort.attribute == "updated")
        }
    }

    @Test func `a clip is copied in the form that was chosen`() {
        let layout = StoredObject.Layout(names: ["title", "url", "text", "tags"])
        func clip(_ id: Int64, _ title: String, _ url: String, _ text: String = "") -> Clip {
            Clip(
                StoredObject(
                    id: ClipModel.objectID(id), version: 1, layout: layout,
                    values: [.text(title), .text(url), .text(text), .text("a,b")]))
        }
        let one = clip(1, "A [b] c", "https://a.example/x_(y)", "words")
        let two = clip(2, "Note", "")
        #expect(CopyForm.url.text([one, two]) == "https://a.example/x_(y)")
        #expect(CopyForm.title.text([one, two]) == "A [b] c\nNote")
        #expect(CopyForm.text.text([one, two]) == "words")
        #expect(CopyForm.markdown.text([one]) == "[A \\[b\\] c](https://a.example/x_%28y%29)")
        #expect(CopyForm.markdown.text([one, two]).hasSuffix("\n- Note"))
        let json = CopyForm.json.text([one, two]).split(separator: "\n")
        #expect(json.count == 2 && json[0].contains("\"tags\":[\"a\",\"b\"]"))
    }
}
