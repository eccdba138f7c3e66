import ClipsCore
import Foundation
import LiveQuery
import PersistentStore
import Terminal
import TestSupport
import Testing

@testable import ClipsTerminal

@Suite(.serialized) struct ReadingTests {
    private static func unread(_ app: borrowing RunningApp) throws -> Int {
        try app.other { store in
            try await store.container.count(
                FetchRequest("Clip", where: .compare("unread", .notEqual, .integer(0))))
        }
    }

    @Test func `opening marks as read, which undo skips, and J reads the next clip`() async throws {
        try await RunningApp.open(clips: 5) { app in
            try app.run("Gd\n:wait count=4\ng<Enter>\n:wait idle")
            #expect(try Self.unread(app) == 3)
            try app.run("J\n:wait idle")
            #expect(app.state.reader.hasFocus && app.state.reader.clip?.title == "Clip 3")
            #expect(try Self.unread(app) == 2)
            try app.run("K\n:wait text=Clip 4\n<Esc>u\n:wait count=5")
            #expect(app.state.list.clips.selectedRow?.title == "Clip 0")
        }
        try await RunningApp.open(config: "set read-on-open off", clips: 2) { app in
            try app.run("<Enter>\n:wait idle\n<Esc>o\n:wait idle")
            #expect(try Self.unread(app) == 2)
        }
        try await RunningApp.open(clips: 3) { app in
            try app.run("o\n:wait idle\njO\n:wait idle")
            #expect(try Self.unread(app) == 1)
        }
    }

    @Test func `Space scrolls an open clip by a page, and marks nothing`() async throws {
        try await RunningApp.open { app in
            try app.other { store in
                var draft = RunningApp.draft("Long")
                draft.text = (1...100).map { "line \($0)" }.joined(separator: "\n")
                _ = try await store.add([draft])
            }
            try app.run(":wait count=1\n<Enter>\n:wait text=line 5\n2<Space>")
            #expect(app.state.list.marks.isEmpty && app.lines.contains { $0.contains("line 40") })
            try app.run("<Esc><Space>")
            #expect(app.state.list.marks.count == 1)
            try app.run("?<Space>")
            #expect(app.state.help.index > 0 && app.state.list.marks.count == 1)
        }
    }

    @Test(arguments: [("", "", true), ("https://example.org", "", true), ("", "\n```\nls\n```", false)])
    func `the stars and number signs of a snippet remain, and those of Markdown are looks`(
        url: String, end: String, isSnippet: Bool
    ) async throws {
        try await RunningApp.open { app in
            try app.other { store in
                var draft = RunningApp.draft("Script")
                draft.url = url
                draft.text = "in /bin/sh\n\n# all files\ncall(*a*b*, `date`)\nlate *c* | tee" + end
                _ = try await store.add([draft])
            }
            try app.run(":wait count=1\n<Enter>\n:wait text=bin/sh")
            for line in ["# all files", "late *c* | tee"] {
                #expect(app.lines.contains { $0.contains(line) } == isSnippet, "\(line)")
            }
        }
    }

    @Test func `the lines on the screen remain there when another process adds some above them`() async throws
    {
        try await RunningApp.open { app in
            let id = try app.other { store in
                var draft = RunningApp.draft("Long")
                draft.text = (1...100).map { "line \($0)." }.joined(separator: "\n")
                return try await store.add([draft])[0]
            }
            try app.run(":wait count=1\n<Enter>\n:wait text=line 5.\n2<Space>\n:wait text=line 40.")
            let first = try #require(app.lines.first { $0.contains("line ") })
            let changed = "two\nlines\n" + (1...100).map { "line \($0)." }.joined(separator: "\n") + "\nend"
            _ = try app.other { try await $0.update(id, [.text: .text(String(changed.dropLast(4)))]) }
            #expect(app.wait { $0.reader.clip?.text.hasPrefix("two") == true })
            #expect(app.lines.first { $0.contains("line ") } == first)
            _ = try app.other { try await $0.update(id, [.tags: .text("a, b"), .note: .text("a note")]) }
            #expect(app.wait { $0.reader.clip?.note == "a note" })
            #expect(app.lines.first { $0.contains("line ") } == first)
        }
    }

    @Test
    func `v selects lines, which become a quote, marked, listed, noted, and deleted, and undo works`()
        async throws
    {
        try await RunningApp.open { app in
            try app.other { store in
                var draft = RunningApp.draft("Long")
                draft.text = (1...9).map { "line \($0)" }.joined(separator: "\n")
                _ = try await store.add([draft])
            }
            try app.run(":wait count=1\n<Enter>\n:wait text=line 5\nvjj\"\n:wait text=Quote 1")
            #expect(
                app.lines.contains { $0.contains("❝line 1") } && app.lines.contains { $0.contains("line 3❞") }
            )
            let quote = try #require(app.state.reader.clip?.quotes.first)
            #expect(quote.text == "line 1\nline 2\nline 3" && quote.suffix.hasPrefix("\nline 4"))
            try app.run("\"n\n:wait text=Note: \nwhy<Enter>\n:wait text=why\n\"n?<Enter>\n:wait text=why?")
            #expect(app.state.reader.clip?.quotes.map(\.note) == ["why?"])
            try app.run("uu\n:wait text=Undone: added the note of “line 1")
            #expect(app.state.reader.clip?.quotes == [quote])
            try app.run("1\"\n:wait idle")
            #expect(app.state.reader.clip?.quotes == [])
            try app.run("u\n:wait text=Quote 1\n\"d\n:wait idle")
            #expect(app.state.reader.clip?.quotes == [])
            try app.run("u\n:wait text=Quote 1")
            try app.run("gvjjy\n:wait text=Copied the selected lines")
            #expect(app.state.reader.range == nil && app.state.menu == nil)
            // Without lines, and with a number that no quote has, nothing changes.
            try app.run("\"\n9\"\n:wait idle\nvj<Esc>")
            #expect(app.state.reader.range == nil && app.state.reader.hasFocus)
            #expect(app.state.reader.clip?.quotes == [quote])
        }
    }

    @Test func `. and , go to unread clips, in the reader, too`() async throws {
        try await RunningApp.open(clips: 6) { app in
            try app.run("jr\n:wait idle\njr\n:wait idle\ng.\n:wait idle")
            #expect(app.state.list.clips.selectedRow?.title == "Clip 2")
            try app.run("<Enter>\n:wait idle\n.\n:wait idle")
            #expect(app.state.reader.hasFocus && app.state.reader.clip?.title == "Clip 1")
            try app.run(",\n:wait idle")
            #expect(app.state.reader.clip?.title == "Clip 5")
        }
    }

    @Test func `an archived clip leaves the list; the reader continues with the next one`() async throws {
        try await RunningApp.open(clips: 4) { app in
            try app.run("j<Enter>\n:wait idle\nx\n:wait count=3")
            #expect(app.state.reader.hasFocus && app.state.reader.clip?.title == "Clip 2")
            try app.run("J\n:wait idle")
            #expect(app.state.reader.clip?.title == "Clip 1")
            try app.run("<Esc>/is:archived<Enter>\n:wait count=1\nx\n:wait count=0\n<Esc>\n:wait count=4")
        }
    }

    @Test func `all clips of a list become read, and unread again by one undo`() async throws {
        try await RunningApp.open(clips: 12) { app in
            try app.run("/clip 1<Enter>\n:wait count=3\nA\n:wait text=Marked 3 clips as read")
            #expect(try Self.unread(app) == 9)
            try app.run("u\n:wait text=Undone")
            #expect(try Self.unread(app) == 12)
        }
    }

    @Test func `marks are inverted, and a count takes clips from the cursor on`() async throws {
        try await RunningApp.open(clips: 8) { app in
            try app.run("<Space><Space>V\n:wait idle")
            #expect(app.state.list.marks.count == 6)
            try app.run("<Esc>g3d\n:wait count=5")
            #expect(app.state.list.clips.selectedRow?.title == "Clip 4" && app.state.list.marks.isEmpty)
            try app.run("u\n:wait count=8")
        }
    }

    @Test func `filters are remembered, recalled, and saved under a name`() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path(of: "clips.db")
        try await RunningApp.open(clips: 12, at: path) { app in
            try app.run(
                "/clip 11<Enter>\n:wait count=1\n::save newest<Enter>\n:wait idle\n<Esc>\n:wait count=12")
        }
        try await RunningApp.open(at: path) { app in
            try app.run(":wait idle\n/<Up>\n:wait count=1")
            #expect(app.state.prompt?.editor.text == "clip 11")
            try app.run("<Enter>/0")
            #expect(app.state.prompt?.editor.text == "clip 11 0")
            try app.run("<Esc><Esc>\n:wait count=12\nS1\n:wait count=1\n::unsave newest<Enter>\n:wait idle")
            #expect(app.state.typing.filters.searches.isEmpty)
        }
    }

    @Test func `the links that a page lists have its numbers, and their brackets are left out`() {
        let body = "See [the manual][1] and [x [y]][2], [3], [no][9] and https://c.example/.\n\n[z][1]"
        var text = body + "\n\n[1]: https://a.example/\n[2]: mailto:b@b.example"
        var links = ClipLinks(takingListOf: &text)
        #expect(text == body && links.listed == 2)
        #expect(links.numbered("note https://a.example/") == "note https://a.example/ [1]")
        #expect(
            links.numbered(text)
                == "See the manual [1] and x [y] [2], [3], [no][9] and https://c.example/ [3].\n\nz [1]")
        #expect(links.urls == ["https://a.example/", "mailto:b@b.example", "https://c.example/"])
        for other in ["[2]: https://a.example/", "a\n[1]: a b", "[1]:x", "[x]: y", "", "[1]: https://a/\n"] {
            var text = other
            #expect(ClipLinks(takingListOf: &text).listed == 0 && text == other)
        }
    }

    @Test func `the links of merged texts lead to the page of each, with the numbers of their list`() {
        let drafts = ["mon", "on tue"].map { day in
            var draft = ClipDraft()
            draft.url = "https://s.example/"
            draft.text = "\(day): [report][1]\n\n[1]: https://\(day.suffix(3)).example/"
            return draft
        }
        var text = ClipMerge.merged(drafts[0], drafts[1]).text
        var links = ClipLinks(takingListOf: &text)
        #expect(links.numbered("https://mon.example/") == "https://mon.example/ [2]")
        #expect(links.numbered(text) == "on tue: report [1]\n\n----------\n\nmon: report [2]")
        #expect(links.urls == ["https://tue.example/", "https://mon.example/"])
    }

    @Test func `links of five digits are numbered, and more are reported`() throws {
        let urls = (1...99_999).map { "https://a.example/\($0)" }
        let list = urls.enumerated().map { "[\($0 + 1)]: \($1)" }.joined(separator: "\n")
        var text = "See [x][99999].\n\n" + list
        var links = ClipLinks(takingListOf: &text)
        #expect(links.numbered(text) == "See x [99999]." && links.urls == urls && !links.isCut)
        #expect(links.numbered("https://b.example/") == "https://b.example/" && links.isCut)
    }

    @Test func `code remains as it is, and links with their addresses get numbers`() {
        var links = ClipLinks()
        let code = "```\nprint(a[1](https://c.example/))\n```"
        #expect(
            links.numbered("[A](https://a.example/) and `x[0][1] https://b.example/`\n\(code)\nend [n](x)")
                == "A [1] and `x[0][1] https://b.example/` [2]\n```\nprint(a[1](https://c.example/)) [3]\n```\nend [n](x)"
        )
        #expect(links.urls == ["https://a.example/", "https://b.example/", "https://c.example/"])
        #expect(
            links.numbered("no") == "no" && links.numbered(#"\[A](https://a.example/)"#).contains("](http"))
    }

    @Test func `a bracket that is not a link's is shown, and takes no link that follows`() {
        var links = ClipLinks()
        func shown(_ text: String) -> String { links.numbered(text) }
        #expect(shown(#"in [0, 1) \[a](x) b"#) == #"in [0, 1) \[a](x) b"#)
        #expect(
            shown(#"in [0, 1) \[a](https://a.example/) [b](https://b.example/)"#)
                == #"in [0, 1) \[a](https://a.example/ [1]) b [2]"#)
        #expect(shown(#"C:\\[b](https://b.example/)"#) == #"C:\\b [2]"#)
    }

    @Test func `links have numbers in the order of reading, after their brackets`() {
        var links = ClipLinks()
        let text = "https://a.example/, [B](https://b.example/), <https://c.example/>, `https://d.example/`, "
        #expect(
            links.numbered(text + "[x [E](https://e.example/) https://f.example/](https://g.example/)")
                == "https://a.example/ [1], B [2], https://c.example/ [3], `https://d.example/` [4], "
                + "x E [5] https://f.example/ [6] [7]")
        #expect(links.urls == "abcdefg".map { "https://\($0).example/" })
        #expect(links.ranges.map(\.lowerBound) == [0, 24, 31, 81])
    }

    @Test(arguments: [
        (
            "[a][1] [B](https://b.example/) [c][2] [1]\n\n[1]: https://a.example/\n[2]: https://c.example/",
            "a [1] B [3] c [2] [1]", "acb"
        ),
        (
            "see [y][3], [Zed], [z][ZED], [zed][] [no]\n\n[zed]: <https://z.example/> \"Z\"\n[3]: https://y.example/",
            "see y [1], Zed [2], z [2], zed [2] [no]", "yz"
        ),
        (
            "[x][d] (https://e.example/)\n[d]: https://d.example/\nend `[d]`",
            "x [1] (https://e.example/ [2])\n[d]: https://d.example/ [1]\nend `[d]`", "de"
        ),
        ("[https://a.example/](https://a.example/) b", "https://a.example/ [1] b", "a"),
        (
            "```\nsee https://a.example/ x\n```\n[b][1]\n\n[1]: https://b.example/\n[2]: https://c.example/",
            "```\nsee https://a.example/ x [3]\n```\nb [1]", "bca"
        ),
        (
            "https://a.example/ [b][2]\n\n[1]: https://c.example/\n[2]: https://b.example/",
            "https://a.example/ [3] b [2]", "cba"
        ),
    ])
    func `the numbers in a text are those of its list`(text: String, shown: String, hosts: String) {
        var text = text
        var links = ClipLinks(takingListOf: &text)
        #expect(links.numbered(text) == shown)
        links.addRest()
        #expect(links.urls == hosts.map { "https://\($0).example/" })
    }

    @Test(arguments: [
        ("![a](x)![b](https://b.example/y)", "(image: a) (image: b) [1]", ["https://b.example/y"]),
        (
            "[![a](https://a.example/s \"t\")](https://a.example/l)", "(image: a) [1] [2]",
            ["https://a.example/s", "https://a.example/l"]
        ),
        (
            "<https://a.example/> <b@c.example>, <std::string> [w](<https://d.example/(>)",
            "https://a.example/ [1] b@c.example [2], <std::string> w [3]",
            ["https://a.example/", "mailto:b@c.example", "https://d.example/("]
        ),
        (
            "[t](tel:123) [x](https://a.example/x_(y)) ftp://f.example/ 见https://z.example/",
            "t [1] x [2] ftp://f.example/ [3] 见https://z.example/ [4]",
            ["tel:123", "https://a.example/x_(y)", "ftp://f.example/", "https://z.example/"]
        ),
        (
            "[(image: A) [1]][2]\n\n[1]: https://s.example/\n[2]: https://l.example/", "(image: A) [1] [2]",
            ["https://s.example/", "https://l.example/"]
        ),
        (
            "Ann <[a@b.example][1]> <[7.GA1@c.example][2]>\n\n[1]: mailto:a@b.example\n[2]: https://d.example/",
            "Ann <a@b.example [1]> <7.GA1@c.example [2]>", ["mailto:a@b.example", "https://d.example/"]
        ),
    ])
    func `images and addresses in angle brackets have numbers`(text: String, shown: String, urls: [String]) {
        var text = text
        var links = ClipLinks(takingListOf: &text)
        #expect(links.numbered(text) == shown && links.urls == urls, "\(links.numbered(text)) \(links.urls)")
    }

    @Test(arguments: [120, 34]) func `a click on the words of a link, its address, or its number opens it`(
        columns: Int
    ) throws {
        var state = AppState.showing(3, Size(rows: 24, columns: columns))
        let text = "Alpha [first link][1] then [the second][2]. See https://c.example/ 長 x [é][4]"
        let list = ["a", "b", "c", "d"].enumerated().map { "[\($0 + 1)]: https://\($1).example/" }
        let layout = StoredObject.Layout(names: ["title", "url", "text"])
        let object = StoredObject(
            id: ClipModel.objectID(2), version: 1, layout: layout,
            values: [.text("T"), .text(""), .text(text + "\n\n" + list.joined(separator: "\n"))])
        try state.press("<Enter>")
        state.answer(.loadClip(2), Clip(object))
        var clicked: [String: String] = [:]
        for (index, line) in state.reader.lines.enumerated() where line.part == .text {
            for column in 0..<columns {
                guard let url = state.reader.link(line: index, column: column) else { continue }
                var used = 0
                let character = line.text.first {
                    used += DisplayWidth.columns(of: $0)
                    return used > column
                }
                clicked[url, default: ""].append(character ?? "?")
            }
        }
        let words = clicked.mapValues { $0.filter { $0 != " " } }
        #expect(
            words == [
                "https://a.example/": "firstlink[1]", "https://b.example/": "thesecond[2]",
                "https://c.example/": "https://c.example/[3]", "https://d.example/": "é[4]",
            ], "\(clicked) \(state.reader.lines.map(\.text))")
    }

    @Test func `links are chosen by their numbers, also by those of two digits`() throws {
        var state = AppState.showing(3)
        let urls = (1...12).map { "https://a.example/\($0)" }
        state.menu = .links(urls)
        for label in ["1   https://a.example/1 ", "12  https://a.example/12"] {
            #expect(state.lines.contains { $0.contains(label) }, "\(state.lines)")
        }
        #expect(try state.press("1").isEmpty && state.menu?.selected == 0)
        #expect(try state.press("3").isEmpty && state.message?.text == "There is no link 13.")
        _ = try state.press("12")
        #expect(state.menu == nil)
        state.menu = .links(urls)
        // No other number begins with 2.
        #expect(try !state.press("2").isEmpty && state.menu == nil)
        state.menu = .links(urls)
        _ = try state.press("1<Down>")
        #expect(state.menu?.selected == 1 && state.menu?.number == 0)
        _ = try state.press("<PageDown>")
        #expect(state.menu?.selected == 11)
        _ = try state.press("<PageUp>")
        #expect(state.menu?.selected == 0)
        // A text narrows them, by which they retain their numbers.
        _ = try state.press("e/11")
        #expect(state.lines.contains { $0.contains("11  https://a.example/11 ") }, "\(state.lines)")
        #expect(state.menu?.items.map(\.number) == [11])
        _ = try state.press("<C-u>q")
        #expect(state.menu?.items.count == 12 && state.message?.text.contains("contains “q”") == true)
    }

    @Test func `marks in a line whose characters are replaced are not shown`() {
        var state = AppState.showing(3)
        let layout = StoredObject.Layout(names: ["url", "text"])
        let text = "\u{1}\u{1}e\u{301}\u{301} *a*\n*b*"
        let values: [AttributeValue] = [.text("https://a.example/"), .text(text)]
        let clip = Clip(
            StoredObject(id: ClipModel.objectID(2), version: 1, layout: layout, values: values))
        state.reader.hasFocus = true
        state.reader.show(clip)
        state.reconcile()
        let runs = state.reader.lines.filter { $0.part == .text }.map(\.emphasis.count)
        #expect(runs == [0, 1])
    }

    @Test func `links are numbered, and opened by number`() throws {
        var state = AppState.showing(3, Size(rows: 24, columns: 70))
        let layout = StoredObject.Layout(names: ["title", "url", "text"])
        let text = "See https://a.example/x_(y), (http://b.example) and https://a.example/x_(y)."
        let clip = Clip(
            StoredObject(
                id: ClipModel.objectID(2), version: 1, layout: layout,
                values: [.text("T"), .text(""), .text(text)]))
        try state.press("<Enter>")
        state.answer(.loadClip(2), clip)
        #expect(state.reader.links == ["https://a.example/x_(y)", "http://b.example"])
        let lines = state.lines.joined(separator: " ")
        #expect(
            lines.contains("x_(y) [1],") && lines.contains("b.example [2])"))
        // A text is followed by those links only that it does not show, at any length.
        #expect(!lines.contains("[2] http"))
        var longClip = clip
        longClip.text = text + String(repeating: " more", count: 500) + " [named](https://c.example)"
        var long = ReaderText(width: 60, isWrapped: true)
        long.add(NumberedClip(longClip))
        #expect(long.lines(0..<200).map(\.text).filter { $0.hasPrefix("[") } == ["[3] https://c.example"])
        guard case .open(urls: ["http://b.example"], clips: [2])? = try state.press("2").last,
            case .open(urls: ["https://a.example/x_(y)"], clips: [2])? = try state.press("f1").last
        else {
            Issue.record("not opened")
            return
        }
        try state.press("7o")
        #expect(state.message?.text.contains("no link 7") == true)
        // With more links, a digit may begin another number, until Enter.
        var manyLinks = clip
        manyLinks.text = (1...30).map { "https://a.example/\($0)" }.joined(separator: "\n")
        state.answer(.loadClip(2), manyLinks)
        #expect(try state.press("2").isEmpty)
        guard case .open(urls: ["https://a.example/2"], clips: [2])? = try state.press("<Enter>").last else {
            Issue.record("not opened")
            return
        }
        // After a pause, no other digit follows.
        #expect(try state.press("3").isEmpty)
        #expect(state.lines.joined().contains("3… opens link 3"), "\(state.lines) \(state.typing)")
        let due = state.now + 1
        #expect(try #require(state.nextDeadline) <= due)
        func opened(at time: Date) -> [[String]] {
            state.handle(.tick, at: time).compactMap {
                if case .open(let urls, _) = $0 { urls } else { nil }
            }
        }
        #expect(opened(at: due - 0.1).isEmpty && opened(at: due) == [["https://a.example/3"]])
        #expect(state.typing.count == nil && opened(at: due + 2).isEmpty)
        #expect(try state.press("3<Esc>").isEmpty && state.typing.linkDue == nil)
        try state.press("<Enter>")
        // No link has a number that begins with 9 but the ninth; a number beyond the last link opens none.
        for keys in ["9", "f9"] {
            guard case .open(urls: ["https://a.example/9"], clips: [2])? = try state.press(keys).last else {
                Issue.record("not opened")
                return
            }
        }
        #expect(try state.press("39").isEmpty)
        #expect(state.message?.text == "There is no link 39; the clip has 30.")
        #expect(try state.press("<Enter>").isEmpty && state.message?.text.contains("no link 39") == true)
        try state.press("f")
        #expect(try state.press("39").isEmpty && state.menu != nil)
    }

    @Test func `no clip is left out on the way through a list of unread clips`() async throws {
        try await RunningApp.open(clips: 4) { app in
            try app.run("/is:unread<Enter>\n:wait count=4\n:wait idle\n<Enter>\n:wait count=3\n:wait idle")
            for (title, count) in [("Clip 2", 2), ("Clip 1", 1)] {
                try app.run(".\n:wait count=\(count)\n:wait idle")
                #expect(app.state.reader.clip?.title == title)
            }
        }
    }

    @Test func `the text of a clip is searched as it is typed, also far down`() async throws {
        try await RunningApp.open { app in
            let text = (1...9000).map { "row \($0)\($0 % 4000 == 0 ? " tag:x needle" : "")\n" }.joined()
            _ = try app.other { store in
                var draft = RunningApp.draft("Long")
                draft.text = text
                return try await store.add([draft])
            }
            try app.run(":wait count=1\n<Enter>\n:wait text=row 5\n/tag:x need\n:wait text=row 4000")
            try app.run(
                "<Enter>n\n:wait text=row 8000\nN\n:wait text=row 4000\nnn\n:wait text=No match below; this is the"
            )
            // The key that ends the prompt does not remove the message.
            try app.run("/nowhere<Enter>")
            #expect(app.wait { $0.message?.text == "No “nowhere” below." && $0.prompt == nil })
            try app.run("<Esc>J")
            #expect(app.state.searchedText.isEmpty)
        }
    }

    @Test
    func `a search in a text of megabytes ends with its own result, continues at the start, and is counted`()
        async throws
    {
        try await RunningApp.open { app in
            let lines = (1...60_000).map {
                "row \($0) of a long text\($0 % 25_000 == 0 ? " with a needle" : "")\n"
            }
            _ = try app.other { store in
                var draft = RunningApp.draft("Long")
                draft.text = lines.joined()
                return try await store.add([draft])
            }
            // Each letter begins a search of the whole text.
            try app.run(":wait count=1\n<Enter>\n:wait text=row 5\n/zzzz<Enter>/needle<Enter>")
            try app.run(":wait text=row 25000\n:wait text=2 matches\n:wait idle")
            #expect(app.state.message?.text.contains("No ") != true)
            try app.run("n\n:wait text=row 50000\nn\n:wait text=No match below; this is the")
            try app.run("G\n:wait text=row 60000\n/row 25000<Enter>\n:wait text=No match below; this is the")
            try app.run(":wait text=row 25000")
            // Next to the list, it is not counted, and then it is.
            _ = try app.other { try await $0.add([RunningApp.draft("Short")]) }
            try app.run(
                "<Esc>\n:wait count=2\ng\n:wait text=Short\nj\n:wait idle\n<Enter>\n:wait text=row 5\nn")
            try app.run(":wait text=1 match")
        }
    }
}
