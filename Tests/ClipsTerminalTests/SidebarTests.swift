import ClipsCore
import Foundation
import HistoryTracking
import LiveQuery
import Terminal
import TestSupport
import Testing

@testable import ClipsTerminal

@Suite(.serialized) struct SidebarTests {
    @Test func `the sidebar shows saved searches with their unread clips, live`() async throws {
        try await RunningApp.open(size: Size(rows: 24, columns: 90), config: "set sidebar on", clips: 12) {
            app in
            #expect(app.lines[0].hasPrefix(" Searches"))
            #expect(app.lines.contains { $0.contains(":save NAME") })
            try app.run(
                "/clip 1<Enter>\n:wait count=3\n<C-l>:save Ones<Enter>\n:wait idle\n<Esc>\n:wait count=12")
            #expect(app.wait { _ in true })
            try app.run(":wait text=Ones")
            #expect(app.wait { $0.sidebar.counts.values.map(\.count).sorted() == [3, 12] })
            // A number that was older for a moment has a mark.
            try app.run(":wait text= 12 │\n:wait text= 3 │")
            #expect(app.lines[1].hasPrefix(" All clips") && app.lines[1].contains(" 12 │"))
            #expect(app.lines[2].hasPrefix(" Ones ") && app.lines[2].contains(" 3 │"))
            try app.other { store in _ = try await store.add([RunningApp.draft("Clip 10000")]) }
            #expect(app.wait { $0.sidebar.counts.values.map(\.count).sorted() == [4, 13] })
            // A click shows a search, and the keys go to the next and previous one.
            try app.run("<Press:2,3>\n:wait count=4")
            #expect(app.state.sidebarIndex == 1)
            try app.run("]\n:wait count=13\n[\n:wait count=4\n2]\n:wait count=4")
            try app.run("B\n:wait idle")
            #expect(app.state.layout.sidebar == nil && !app.lines[0].contains("Searches"))
        }
    }

    @Test func `the status line has the number of unread clips of the list, live`() async throws {
        try await RunningApp.open(clips: 12) { app in
            try app.run(":wait text=1/12 · 12 unread\nrj\n:wait text=2/12 · 11 unread")
            try app.other { store in _ = try await store.add([RunningApp.draft("Clip 10000")]) }
            try app.run(":wait text=3/13 · 12 unread\n/clip 1<Enter>\n:wait text=3 unread")
            try app.run("<Esc>\n:wait text=12 unread\n::mark-all-read<Enter>y\n:wait text=/13")
            #expect(app.wait { $0.unreadCount == nil })
        }
    }

    /// A list of which most rows are not loaded.
    private static func showingPart(_ size: Size = Size(rows: 24, columns: 80), config: String = "")
        -> AppState
    {
        var state = AppState(size: size, now: noon, config: ConfigFile(config))
        _ = state.handle(.message(.state(.live)), at: noon)
        _ = state.handle(.message(part()), at: noon)
        return state
    }

    private static func part(generation: Int = 0) -> LiveMessage<ClipRow> {
        let rows = (200..<300).reversed().map { row($0) }
        return .window(
            LiveList.Window(rows: rows, lowerIndex: 0, count: 300, reachesStart: true, reachesEnd: false),
            generation: generation)
    }

    @Test func `the number of unread clips stays exact without a commit, and if all rows are loaded`() throws
    {
        var state = Self.showingPart()
        let query = state.list.query
        _ = state.handle(.answer(.countUnread([]), [query: UnreadCount(150)]), at: noon)
        _ = state.handle(.answer(.loadFilters, FilterMemory()), at: noon + 1)
        _ = state.handle(.resized(state.size), at: noon + 5)
        #expect(state.unreadCount == "150")
        // Another list, and the first one again.
        state.show(ClipQuery(filter: "x"))
        state.take(Self.part(generation: state.list.feed.generation), at: noon + 6)
        state.show(query)
        state.take(Self.part(generation: state.list.feed.generation), at: noon + 7)
        #expect(state.list.query == query)
        _ = state.handle(.resized(state.size), at: noon + 9)
        #expect(state.unreadCount == "150")
        state = AppState.showing(30)
        let effects = state.take(arrival([40]), .transactions([transaction(1, inserting: [40])]))
        _ = state.handle(.resized(state.size), at: noon + 3)
        #expect(state.unreadCount == "16")
        #expect(!effects.contains { if case .countUnread = $0 { true } else { false } })
    }

    @Test func `the number of unread clips remains until the next one is known`() throws {
        var state = Self.showingPart()
        func count(_ counts: [ClipQuery: UnreadCount], at time: Double) {
            _ = state.handle(.answer(.countUnread([]), counts), at: noon + time)
        }
        let query = state.list.query
        count([query: UnreadCount(2)], at: 0)
        // A commit each second, and a count that lasts as long; one fails.
        for second in 1...8 {
            let time = Double(second)
            state.take(.transactions([transaction(Int64(second), inserting: [7])]), at: noon + time)
            for fraction in [0.3, 0.6, 0.9] {
                _ = state.handle(.tick, at: noon + time + fraction)
                #expect(state.unreadCount?.drop { $0 == "~" } == "\(max(2, second - 1))")
            }
            if second > 1 { count(second == 3 ? [:] : [query: UnreadCount(second)], at: time + 0.95) }
            if second == 3 { count([query: UnreadCount(3)], at: time + 0.96) }
        }
        // One that is counted much later is approximate until then.
        state.take(.transactions([transaction(9, inserting: [8])]), at: noon + 9)
        #expect(state.unreadCount == "~8")
        // One before many changes is not shown.
        count([query: UnreadCount(9)], at: 9.5)
        state.take(.transactions([transaction(10, inserting: Array(400..<430))]), at: noon + 9.6)
        #expect(state.unreadCount == "…")
        // It is counted soon, although the last count, which failed, delays the next one.
        #expect(try #require(state.sidebar.nextChange(at: state.now)) <= noon.addingTimeInterval(10.1))
        // One that is greater than that of the clips is not the present one.
        count([query: UnreadCount(299)], at: 10)
        state.take(.count(250, generation: state.list.feed.generation), at: noon + 10)
        #expect(state.list.clips.count == 250 && state.unreadCount == nil)
        _ = state.handle(.tick, at: noon + 13)
        count([query: UnreadCount(9)], at: 13)
        #expect(state.unreadCount == "9" && state.sidebar.nextChange(at: state.now) == nil)
    }

    @Test func `the sidebar takes its columns from the list, and none from a small screen`() throws {
        for (size, columns) in [
            (Size(rows: 24, columns: 80), 20), (Size(rows: 50, columns: 200), 28),
            (Size(rows: 24, columns: 59), 0),
        ] {
            let state = AppState.showing(30, size, config: "set sidebar on")
            let layout = state.layout
            #expect(layout.sidebar?.size.columns ?? 0 == columns)
            #expect(layout.list?.column == columns && layout.header?.column == columns)
            #expect(state.lines[1].contains("Clip 29"))
        }
        var state = AppState.showing(3, Size(rows: 24, columns: 40))
        try state.press("B")
        #expect(state.message?.text == "The screen has no room for the sidebar; a larger one shows it.")
        _ = state.handle(.resized(Size(rows: 24, columns: 100)), at: noon)
        #expect(state.message == nil && state.layout.sidebar != nil)
        state = AppState.showing(3)
        try state.press("]")
        #expect(state.message?.text.hasPrefix("There are no saved searches") == true)
    }

    @Test func `only the searches on the screen are counted, and seldom while others write`() throws {
        var state = Self.showingPart(Size(rows: 12, columns: 80), config: "set sidebar on")
        func count(_ effects: [Effect]) -> [String] {
            effects.flatMap { effect -> [String] in
                if case .countUnread(let queries) = effect { queries.map(\.filter) } else { [] }
            }
        }
        func later(_ seconds: Double) -> Date { noon.addingTimeInterval(seconds) }
        func counts(_ filters: [String]) -> AppEvent {
            .answer(
                .countUnread([]),
                Dictionary(uniqueKeysWithValues: filters.map { (ClipQuery(filter: $0), UnreadCount(1)) }))
        }
        var filters = FilterMemory()
        for number in 10..<30 {
            filters.apply(
                .saved(SavedSearch(name: "search \(number)", query: ClipQuery(filter: "w\(number)"))))
        }
        _ = state.handle(counts([""]), at: noon)
        let first = (10..<18).map { "w\($0)" }
        #expect(count(state.handle(.answer(.loadFilters, filters), at: noon)) == first)
        // While a count is under way, nothing is counted.
        state.take(.transactions([transaction(1, inserting: [7])]), at: noon)
        #expect(count(state.handle(counts(first), at: later(2))).isEmpty)
        let scrolled = ["w18", "w19", "w20"]
        #expect(count(try state.press("<WheelDown:3,3>", at: later(2))) == scrolled)
        _ = state.handle(counts(scrolled), at: later(2))
        // The first count took two seconds, after which the numbers may be as old.
        #expect(state.sidebar.nextChange(at: state.now) == later(4))
        #expect(count(state.handle(.tick, at: later(3))).isEmpty)
        // The status line shows the count of the list, which has no filter.
        #expect(count(state.handle(.tick, at: later(4))) == [""] + (12..<18).map { "w\($0)" })
        _ = state.handle(counts([""] + (12..<18).map { "w\($0)" }), at: later(4))
        #expect(state.sidebar.nextChange(at: state.now) == nil)
    }

    @Test func `many searches scroll under the wheel`() throws {
        var state = AppState.showing(3, Size(rows: 12, columns: 80), config: "set sidebar on")
        var filters = FilterMemory()
        for number in 10..<30 {
            filters.apply(
                .saved(SavedSearch(name: "search \(number)", query: ClipQuery(filter: "w\(number)"))))
        }
        _ = state.handle(.answer(.loadFilters, filters), at: noon)
        try state.press("<WheelDown:3,3>")
        #expect(state.lines[1].hasPrefix(" search 12"))
        try state.press("[")
        #expect(state.list.query.filter == "w29" && state.lines[9].hasPrefix(" search 29"))
        state.take(window(0..<3, generation: state.list.feed.generation))
        try state.press("]")
        #expect(state.list.query.filter.isEmpty && state.lines[1].hasPrefix(" All clips"))
    }
}
