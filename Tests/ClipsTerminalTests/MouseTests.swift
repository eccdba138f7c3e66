import ClipsCore
import LiveQuery
import PersistentStore
import Terminal
import Testing

@testable import ClipsTerminal

@Suite struct MouseTests {
    private static func column(of words: String, in line: String) throws -> Int {
        let start = try #require(line.firstRange(of: words)?.lowerBound)
        return line.distance(from: line.startIndex, to: start)
    }

    /// Clicks the first occurrence of words in a row, counted from the bottom if negative.
    private static func click(_ words: String, row: Int, _ state: inout AppState) throws -> [Effect] {
        let row = row < 0 ? state.size.rows + row : row
        return try state.press("<Press:\(row),\(column(of: words, in: state.lines[row]))>")
    }

    @Test func `a click selects, a second one opens, and the wheel moves`() throws {
        var state = AppState.showing(30, Size(rows: 24, columns: 160))
        try state.press("<Press:5,3>")
        #expect(state.list.clips.selectedIndex == 4 && !state.reader.hasFocus)
        try state.press("<Press:5,3>")
        #expect(state.reader.hasFocus)
        try state.press("<Press:8,3>")
        #expect(state.list.clips.selectedIndex == 7 && !state.reader.hasFocus)
        try state.press("<Press:3,120>")
        #expect(state.reader.hasFocus)
        try state.press("<Esc><WheelDown:1,1>")
        #expect(state.list.clips.selectedIndex == 10)
        // Clicks outside the rows have no effect.
        try state.press("<Press:0,0><Press:22,5>")
        #expect(state.list.clips.selectedIndex == 10 && state.menu == nil)
    }

    @Test func `the keys at the bottom are buttons, in the list, in a prompt, and for completions`() throws {
        var state = AppState.showing(9, Size(rows: 24, columns: 200))
        _ = try Self.click("filter", row: -1, &state)
        #expect(state.prompt?.kind == .filter)
        _ = try Self.click("cancel", row: -1, &state)
        #expect(state.prompt == nil)
        _ = try Self.click("command", row: -1, &state)
        #expect(state.prompt?.kind == .command)
        try state.press("col")
        _ = try Self.click("color", row: -1, &state)
        #expect(state.prompt?.editor.text == "color ")
        try state.press("<Esc>")
        _ = try Self.click("help", row: -1, &state)
        #expect(state.screen == .help)
    }

    @Test func `a header sorts by its column, and again in reverse`() throws {
        var state = AppState.showing(9)
        _ = try Self.click("Site", row: 0, &state)
        #expect(state.list.query.sort == ClipQuery.sort(named: "url"))
        _ = try Self.click("Site", row: 0, &state)
        #expect(state.list.query.sort == ClipQuery.sort(named: "url"))
        state.take(window(0..<9, generation: state.list.feed.generation))
        #expect(state.list.query.sort == ClipQuery.sort(named: "url")?.reversed)
    }

    @Test func `a click on a header waits for a range, and retains its marks`() throws {
        var state = AppState(size: Size(rows: 24, columns: 80), now: noon)
        let rows = (900..<1000).reversed().map { row($0) }
        let first = LiveList<ClipRow>.Window(
            rows: rows, lowerIndex: 0, count: 1000, reachesStart: true, reachesEnd: false)
        state.take(.window(first, generation: 0))
        let requests = try state.press("vG").compactMap {
            if case .answer(let request, _, _) = $0 { request } else { nil }
        }
        #expect(state.list.marks.isGathering)
        let sort = state.list.query.sort
        _ = try Self.click("Title", row: 0, &state)
        #expect(state.list.query.sort == sort && state.typing.ahead.count == 1)
        var last = LiveList<ClipRow>.Window(
            rows: (0..<100).reversed().map { row($0) }, lowerIndex: 900, count: 1000, reachesStart: false,
            reachesEnd: true)
        last.requestNumber = requests.last?.number
        let asked = state.take(.window(last, generation: 0))
        for case .gatherRange(let query, let from, let through, let end) in asked {
            state.answer(
                .gatherRange(query, from: from, through: through, end: end), (0..<1000).map { Int64($0) })
        }
        #expect(state.list.marks.count == 1000)
        #expect(state.list.query.sort == ClipQuery.sort(named: "title"))
    }

    @Test func `a click on a row waits for the list, and selects the clip that it was on`() throws {
        var state = AppState.showing(30)
        _ = try Self.click("Site", row: 0, &state)
        #expect(state.isListAwaited)
        try state.press("<Press:3,3>d")
        #expect(state.list.clips.selectedIndex == 0 && state.typing.ahead.count == 2)
        let effects = state.take(window(0..<30, generation: state.list.feed.generation))
        let works = effects.compactMap { if case .work(let work) = $0 { work } else { nil } }
        guard case .delete([27], _)? = works.first else {
            Issue.record("\(effects)")
            return
        }
    }

    @Test func `a click that ends a filter waits for its list`() throws {
        var state = AppState.showing(30)
        try state.press("/clip<Press:3,3>")
        #expect(state.prompt == nil && state.list.clips.selectedIndex == 0 && state.typing.ahead.count == 1)
        state.take(window((0..<29).reversed(), generation: state.list.feed.generation))
        #expect(state.list.clips.selectedID == 27)
    }

    @Test func `clicks during the read of a note wait, and a note that opens discards them`() throws {
        var state = AppState.showing(9, Size(rows: 24, columns: 200))
        for click in ["filter", "history", "help"] {
            try state.press("E")
            _ = try Self.click(click, row: -1, &state)
            #expect(state.prompt == nil && state.screen == .list && state.typing.ahead.count == 1)
            try state.press("<Press:3,3>x")
            let layout = StoredObject.Layout(names: ["title", "note"])
            let object = StoredObject(
                id: ClipModel.objectID(8), version: 1, layout: layout, values: [.text("A"), .text("")])
            state.answer(.loadForNote(8), Clip(object))
            #expect(state.prompt?.editor.text == "x" && state.list.clips.selectedIndex == 0)
            try state.press("<Esc>")
        }
    }

    @Test func `an item of a menu is clickable, and a click outside closes the menu`() throws {
        var state = AppState.showing(9)
        try state.press("s<WheelDown:1,1>")
        #expect(state.menu?.selected == 1)
        let row = try #require(state.lines.firstIndex { $0.contains("│ t  ") })
        _ = try state.press("<Press:\(row),5>")
        #expect(state.menu == nil && state.list.query.sort == ClipQuery.sort(named: "title"))
        try state.press("s<Press:2,60>")
        #expect(state.menu == nil)
    }

    @Test func `a click on any line of a URL opens it`() throws {
        var state = AppState.showing(9, Size(rows: 24, columns: 122))
        let id = try #require(state.list.clips.selectedID)
        let object = StoredObject(
            id: ClipModel.objectID(id), version: 1,
            layout: StoredObject.Layout(names: ["title", "url", "text"]),
            values: [
                .text("Page"), .text("https://page.example/start"),
                .text("See https://one.example/a, and https://two.example/of/a/long/path/in/lines for it."),
            ])
        state.answer(.loadClip(id), Clip(object))
        func opened(_ words: String) throws -> [String] {
            let row = try #require(
                state.lines.firstIndex { $0.contains(words) }, "\(words) in \(state.lines)")
            return try Self.click(words, row: row, &state).flatMap {
                if case .open(let urls, _) = $0 { urls } else { [String]() }
            }
        }
        #expect(try opened("page.example") == ["https://page.example/start"])
        #expect(try opened("one.example/a [") == ["https://one.example/a"])
        #expect(try opened("two.example/of") == ["https://two.example/of/a/long/path/in/lines"])
        #expect(try opened("[2] for") == ["https://two.example/of/a/long/path/in/lines"])
        #expect(!state.reader.hasFocus)
        #expect(try opened("See") == [])
        #expect(state.reader.hasFocus)
    }

    @Test func `the wheel scrolls the pane under it`() throws {
        var state = AppState.showing(30, Size(rows: 24, columns: 160))
        let id = try #require(state.list.clips.selectedID)
        let object = StoredObject(
            id: ClipModel.objectID(id), version: 1, layout: StoredObject.Layout(names: ["title", "text"]),
            values: [.text("Long"), .text((1...99).map { "line \($0)" }.joined(separator: "\n"))])
        state.answer(.loadClip(id), Clip(object))
        try state.press("<WheelDown:5,120>")
        #expect(state.reader.index == 3 && state.list.clips.selectedIndex == 0)
        try state.press("<WheelUp:5,120><WheelDown:5,9>")
        #expect(state.reader.index == 0 && state.list.clips.selectedIndex == 3)
    }

    @Test func `rows of the history and of the help are clickable`() throws {
        var state = AppState.showing(9)
        state.take(.transactions([transaction(1, inserting: [1]), transaction(2, inserting: [2])]))
        try state.press("H<Press:2,5>")
        #expect(state.history.selected == 1 && !state.history.isInChanges)
        try state.press("<Press:2,5>")
        let token = try #require(state.history.selectedTransaction).token
        state.answer(.loadChanges(token), TransactionDetail?.none as Any)
        #expect(state.history.isInChanges)
        try state.press("<Press:1,5>")
        #expect(state.history.selected == 0 && !state.history.isInChanges)
        try state.press("<WheelDown:20,5>")
        #expect(state.history.isInChanges)
        try state.press("<WheelDown:1,5>")
        #expect(state.history.selected == 1 && !state.history.isInChanges)
        try state.press("q?<Press:3,20>")
        #expect(state.help.selected == 1)
        try state.press("<Press:3,20>")
        #expect(state.screen == .list)
    }
}
