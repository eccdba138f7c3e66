import ClipsCore
import Foundation
import LiveQuery
import PersistentStore
import Terminal
import TestSupport
import Testing

@testable import ClipsTerminal

@Suite struct DrawingTests {
    @Test func `a wide screen shows the clip next to the list, a tall one below, a small one alone`() throws {
        #expect(AppState.showing(50, Size(rows: 60, columns: 200)).layout.arrangement == .beside)
        #expect(AppState.showing(50, Size(rows: 50, columns: 80)).layout.arrangement == .below)
        var small = AppState.showing(50, Size(rows: 12, columns: 40))
        #expect(small.layout.arrangement == .listOnly)
        try small.press("<Enter>")
        #expect(small.layout.arrangement == .detailOnly)
    }

    @Test(arguments: [Size(rows: 24, columns: 80), Size(rows: 60, columns: 200), Size(rows: 12, columns: 40)])
    func `columns are aligned with their headings`(size: Size) throws {
        let state = AppState.showing(50, size)
        let lines = state.lines
        for (heading, text) in [("Title", "Clip 4"), ("Site", "site"), ("Tags", "#tag"), ("Author", "cli")] {
            guard let start = lines[0].range(of: heading) else { continue }
            let offset = lines[0].distance(from: lines[0].startIndex, to: start.lowerBound)
            for line in lines[1..<8] {
                #expect(line.dropFirst(offset).hasPrefix(text), "\(heading): \(line)")
            }
        }
        let order = ["Title", "Site", "Tags", "Age", "Author"].compactMap {
            lines[0].range(of: $0)?.lowerBound
        }
        #expect(order == order.sorted() && order.count == [40: 2, 80: 4][size.columns, default: 5])
        #expect(state.statusLine.contains("1/50"))
        #expect(lines.last?.contains("? help") == true)
    }

    @Test func `lines that change their rows are moved and not drawn`() throws {
        var drawn = DrawnFrame()
        var state = AppState.showing(50)
        let list = try #require(state.layout.list)
        func scroll() -> Scroll? {
            let isSame = state.draw(reusing: &drawn) == state.draw()
            #expect(isSame)
            return drawn.scroll
        }
        func rows(from first: Int) -> Rect {
            Rect(
                row: list.row + first, column: list.column, rows: list.size.rows - first,
                columns: list.size.columns)
        }
        #expect(scroll() == nil)
        state.take(arrival([50]))
        #expect(scroll() == Scroll(rows(from: 0), by: 1))
        let second = LiveList<ClipRow>.Change(id: 49, old: row(49).position, new: nil)
        state.take(.changes([second], generation: 0))
        #expect(scroll() == Scroll(rows(from: 1), by: -1))
        try state.press("25j")
        #expect(scroll() == Scroll(rows(from: 0), by: -state.list.clips.top))
        // The bar at the edge of the list disappears.
        state.take(.changes((0..<30).map { .init(id: $0, old: row($0).position, new: nil) }, generation: 0))
        _ = scroll()
    }

    @Test func `tiny screens show something and do not trap`() throws {
        for rows in 0...5 {
            for columns in 0...5 {
                var state = AppState.showing(30, Size(rows: rows, columns: columns))
                for key in [
                    "", "j", "<Enter>", "<Esc>", "H", "H", "?", "?", "/x", "<Esc>", "ahttp://x", "<Esc>", "Q",
                    "5",
                ] {
                    try state.press(key)
                    let frame = state.draw()
                    if rows > 0, columns > 0, key == "j" { #expect(frame.lines.contains { !$0.isEmpty }) }
                }
            }
        }
    }

    @Test func `the hardware cursor is on the selected row`() throws {
        var state = AppState.showing(30)
        try state.press("4j")
        #expect(state.draw().cursor == Position(row: 5, column: 0))
        try state.press("/")
        #expect(state.draw().cursor?.row == 22)
    }

    @Test func `an empty store shows how to add a clip`() {
        var state = AppState.showing(0)
        #expect(!state.lines.joined().contains("No clips"))
        state.list.hidden = HiddenClips()
        let text = state.lines.joined(separator: "\n")
        #expect(
            text.contains("No clips yet") && text.contains("clips add --fetch") && text.contains("Press a"))
    }

    @Test func `the count is not shown before it is known`() {
        var state = AppState(size: Size(rows: 24, columns: 80), now: noon)
        let rows = (0..<100).reversed().map { row($0) }
        state.take(
            .window(
                LiveList.Window(rows: rows, lowerIndex: 0, count: nil, reachesStart: true, reachesEnd: false),
                generation: 0))
        #expect(state.statusLine.contains("1/…"))
        state.take(.count(1_234_567, generation: 0))
        #expect(state.statusLine.contains("1/1,234,567"))
    }

    @Test func `control characters in untrusted text are not sent to the terminal`() {
        var state = AppState.showing(1)
        let evil = row(
            5, "a\u{1B}[31mb\u{202E}c\u{200B}\nd", author: "\u{9B}x", url: "https://h\u{1B}]0;x\u{7}/")
        state.take(.changes([LiveList.Change(id: 5, old: nil, new: evil)], generation: 0))
        for line in state.lines {
            #expect(
                line.unicodeScalars.allSatisfy {
                    $0.value >= 0x20 && ![0x202E, 0x200B, 0x9B].contains($0.value)
                })
        }
    }

    @Test func `a text of megabytes is laid out no further than shown`() throws {
        var state = AppState.showing(3)
        try state.press("<Enter>")
        let layout = StoredObject.Layout(names: ["title", "text"])
        let count = LongProof.count(35_000, of: 700_000, "repetitions of the words of a long text")
        let text = String(repeating: "words and more words of a page ", count: count)
        let clip = Clip(
            StoredObject(
                id: ClipModel.objectID(2), version: 1, layout: layout, values: [.text("Big"), .text(text)]))
        state.answer(.loadClip(2), clip)
        try state.press("<C-f><C-f>jj")
        var shown = try #require(state.reader.text)
        #expect(state.statusLine.contains("↓ more"))
        #expect(shown.count(upTo: 5000) == 5000 && state.reader.lines.count == 22)
        guard case .measure(2, var measured)? = try state.press("G").first else {
            Issue.record("the text is not measured by the worker")
            return
        }
        _ = measured.count(upTo: .max)
        state.answer(.measure(id: 2, measured), measured)
        #expect(!state.reader.hasMore && state.reader.top > count / 7)
    }

    @Test func `scrolling the help shows every action`() throws {
        var state = AppState.showing(3, Size(rows: 10, columns: 60))
        try state.press("?")
        var seen: Set<String> = []
        for _ in ActionTable.entries {
            for line in state.lines { seen.insert(String(line.dropFirst(14).prefix(19))) }
            try state.press("j")
        }
        for entry in ActionTable.entries {
            #expect(seen.contains { $0.hasPrefix(entry.help.prefix(19)) }, "\(entry.help)")
        }
    }

    @Test func `a frame is exported as SVG`() {
        let text = FrameSVG(AppState.showing(5).draw()).text
        // The colors of a theme as the terminal shows them, on the background that it is made for.
        let dark = AppState.showing(5, config: "set theme dark")
        let darkText = FrameSVG(dark.draw(), isLight: dark.theme.isLight).text
        #expect(darkText.contains("fill=\"#1e222a\"") && darkText.contains("fill=\"#2d5585\""))
        let light = AppState.showing(5, config: "set theme light")
        let lightText = FrameSVG(light.draw(), isLight: light.theme.isLight).text
        #expect(lightText.contains("fill=\"#ffffff\"") && lightText.contains("fill=\"#b5d5f5\""))
        #expect(text.hasPrefix("<svg ") && text.hasSuffix("</svg>\n"))
        #expect(text.contains(">Clip 3"))
        #expect(!FrameSVG(AppState.showing(0).draw()).text.contains("<swift"))
    }

    @Test(arguments: [
        ("tag:live site:live.example", false), ("author:cli is:unread", false),
        ("needle site:a.example", true),
    ])
    func `conditions need no reason in the rows`(filter: String, hasReason: Bool) throws {
        var state = AppState.showing(3)
        try state.press("/\(filter)<Enter>")
        let rows = (0..<3).map { row(9 - $0, "Short", url: "https://b.example/\($0)") }
        let effects = state.take(
            .window(
                LiveList.Window(rows: rows, lowerIndex: 0, count: 3, reachesStart: true, reachesEnd: true),
                generation: state.list.feed.generation))
        #expect(effects.contains { if case .loadExcerpts = $0 { true } else { false } } == hasReason)
    }

    @Test func `a row has a reason for each word that it lacks`() throws {
        var state = AppState.showing(3)
        try state.press("/rust parser -other<Enter>")
        let titles = ["Parser commit", "A rust parser", "Neither"]
        let rows = titles.enumerated().map { row(Int64(9 - $0), $1, url: "https://b.example/\($0)") }
        let effects = state.take(
            .window(
                LiveList.Window(rows: rows, lowerIndex: 0, count: 3, reachesStart: true, reachesEnd: true),
                generation: state.list.feed.generation))
        let request = try #require(
            effects.lazy.compactMap { if case .loadExcerpts(let request) = $0 { request } else { nil } }.first
        )
        #expect(request.words == [9: ClipHighlight("rust"), 7: ClipHighlight("rust parser")])
        state.answer(
            .loadExcerpts(request), [9: "a parser of the language rust and others"] as [Int64: String])
        #expect(
            state.lines[1].contains("Parser commit  …") && state.lines[1].contains("rust"),
            "\(state.lines[1])")
    }

    @Test(arguments: 40...130) func `a tag that matches is in the row`(columns: Int) throws {
        var state = AppState.showing(3, Size(rows: 12, columns: columns))
        try state.press("/more<Enter>")
        let rows = [row(9, String(repeating: "long title ", count: 9)), row(8, "Short")]
        let effects = state.take(
            .window(
                LiveList.Window(rows: rows, lowerIndex: 0, count: 2, reachesStart: true, reachesEnd: true),
                generation: state.list.feed.generation))
        #expect(!effects.contains { if case .loadExcerpts = $0 { true } else { false } })
        // A narrow row has room for the match alone.
        #expect(state.lines[1].contains("more") && state.lines[2].contains("#more"), "\(state.lines)")
    }

    @Test func `a snippet of whole words follows the title, also a long one`() throws {
        var state = AppState.showing(3)
        try state.press("/needle<Enter>")
        let generation = state.list.feed.generation
        let titles = [String(repeating: "long title ", count: 9), "A title of usual length", "Short"]
        let rows = titles.enumerated().map { row(Int64(9 - $0), $1, url: "https://a.example/\($0)") }
        let effects = state.take(
            .window(
                LiveList.Window(rows: rows, lowerIndex: 0, count: 3, reachesStart: true, reachesEnd: true),
                generation: generation))
        let request = try #require(
            effects.lazy.compactMap { if case .loadExcerpts(let request) = $0 { request } else { nil } }.first
        )
        let excerpt = "…understanding preceding sentences, the needle is between following sentences…"
        state.answer(
            .loadExcerpts(request), Dictionary(uniqueKeysWithValues: request.words.keys.map { ($0, excerpt) })
        )
        let width = state.columns(of: state.layout).title.width
        func shown(_ row: Int) -> String { String(state.lines[row].dropFirst(3).prefix(width)) }
        #expect(
            shown(1).hasPrefix("long title long") && shown(1).contains("… ") && shown(1).contains("needle"))
        let words = Set(excerpt.filter { $0 != "…" }.split(separator: " "))
        for (index, title) in titles.enumerated().dropFirst() {
            let text = shown(index + 1)
            #expect(text.hasPrefix(title + "  ") && text.contains("needle"), "\(text)")
            let part = text.dropFirst(title.count).filter { $0 != "…" }.split(separator: " ")
            #expect(part.allSatisfy(words.contains), "\(text)")
        }
    }

    @Test(arguments: [46, 60, 80], ["長", "x", "word "])
    func `the match is in the row, wherever the excerpt has spaces`(columns: Int, filler: String) throws {
        for field in ["", "url:", "note:"] {
            var state = AppState.showing(3, Size(rows: 24, columns: columns))
            try state.press("/\(field)needle<Enter>")
            let rows = (0..<3).map {
                row(
                    Int64(9 - $0), String(repeating: "title ", count: 2 + 9 * $0),
                    url: "https://a.example/\($0)")
            }
            let effects = state.take(
                .window(
                    LiveList.Window(
                        rows: rows, lowerIndex: 0, count: 3, reachesStart: true, reachesEnd: true),
                    generation: state.list.feed.generation))
            let request = try #require(
                effects.lazy.compactMap { if case .loadExcerpts(let request) = $0 { request } else { nil } }
                    .first
            )
            let part = String(repeating: filler, count: 24)
            let excerpt = "…\(part)needlework-and-more\(part)…"
            state.answer(
                .loadExcerpts(request),
                Dictionary(uniqueKeysWithValues: request.words.keys.map { ($0, excerpt) }))
            for line in state.lines[1...3] { #expect(line.contains("needle"), "\(line)") }
        }
    }

    @Test(arguments: ["zebras", "#zebras", "…two words"])
    func `a short reason for a match is shown as a whole next to a title of any length`(reason: String) throws
    {
        for columns in [46, 60, 80, 100, 130, 200] {
            var state = AppState.showing(60, Size(rows: 66, columns: columns))
            try state.press("/\(reason.hasSuffix("words") ? "words" : "zebr")<Enter>")
            let rows = (1...60).map {
                row(
                    Int64(99 - $0), String(repeating: "x", count: $0 * 7 % 61 + 5),
                    url: "https://e.example/\($0)")
            }
            let window = LiveList.Window(
                rows: rows, lowerIndex: 0, count: 60, reachesStart: true, reachesEnd: true)
            let effects = state.take(.window(window, generation: state.list.feed.generation))
            for case .loadExcerpts(let request) in effects {
                let known = request.words.keys.map { ($0, reason) }
                state.answer(.loadExcerpts(request), Dictionary(uniqueKeysWithValues: known))
            }
            let lines = state.lines.dropFirst().prefix { $0.contains("xxxxx") }
            let lacking = lines.filter { !$0.contains("  \(reason)") }
            #expect(lines.count > 20 && lacking == [], "\(columns): \(lacking)")
        }
    }

    @Test func `a title that is cut twice has one ellipsis next to the excerpt`() throws {
        let title = "Arduino queue string disk physics render image test sensor kernel review"
        for columns in 46...220 {
            var state = AppState.showing(1, Size(rows: 24, columns: columns))
            try state.press("/kernel rust<Enter>")
            let window = LiveList.Window(
                rows: [row(9, title, url: "https://e.example/1")], lowerIndex: 0, count: 1,
                reachesStart: true,
                reachesEnd: true)
            let effects = state.take(.window(window, generation: state.list.feed.generation))
            for case .loadExcerpts(let request) in effects {
                let known = request.words.keys.map { ($0, "…learning rust four…") }
                state.answer(.loadExcerpts(request), Dictionary(uniqueKeysWithValues: known))
            }
            #expect(state.lines[1].contains("rust") && !state.lines[1].contains("……"), "\(state.lines[1])")
        }
    }
}
