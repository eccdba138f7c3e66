import ClipsCore
import LiveQuery
import Terminal
import Testing

@testable import ClipsTerminal

/// Filters without a match, and the names of orders.
@Suite(.serialized) struct EmptyFilterTests {
    private static func filtered(by filter: String, _ size: Size = Size(rows: 24, columns: 80)) throws
        -> AppState
    {
        var state = AppState.showing(3, size)
        try state.press("/\(filter)<Enter>")
        state.take(
            .window(
                LiveList.Window(rows: [], lowerIndex: 0, count: 0, reachesStart: true, reachesEnd: true),
                generation: state.list.feed.generation))
        return state
    }

    @Test(arguments: [
        ("word", "contains"), ("one two", "contains"), ("foo:bar", "contains"), ("word*", "contains"),
        ("is:dead", "matches"), ("before:2020", "matches"), ("word tag:x", "matches"), ("-word", "matches"),
        ("title:word", "matches"), ("one OR two", "matches"),
    ])
    func `a clip contains words, and matches conditions`(filter: String, verb: String) throws {
        var state = try Self.filtered(by: filter)
        #expect(state.lines.contains { $0.contains("No clip \(verb) “\(filter)”") }, "\(state.lines)")
        state.answer(
            .findMatch(state.list.query, from: nil, isForward: true), Int64?.none as Any)
        #expect(state.message?.text == "No clip \(verb) “\(filter)”.")
    }

    @Test func `an unknown field is explained`() throws {
        for columns in [40, 80] {
            let state = try Self.filtered(by: "foo:bar", Size(rows: 14, columns: columns))
            let shown = state.lines.joined(separator: " ").split(separator: " ").joined(separator: " ")
            #expect(shown.contains("'foo:' is searched as text. The fields are title: "), "\(state.lines)")
            #expect(shown.contains("shows all clips."), "\(state.lines)")
        }
    }

    @Test func `the order of a mark is named by it`() throws {
        var state = AppState.showing(3)
        func sort(_ keys: String) throws -> String? {
            try state.press(keys)
            let shown = state.message?.text
            state.take(window(0..<3, generation: state.list.feed.generation))
            return shown
        }
        #expect(try sort("sr") == "Sorted: unread first")
        try state.press("j")
        #expect(state.statusLine.contains(" · unread first"), "\(state.statusLine)")
        #expect(try sort("sr") == "Sorted: unread last")
        #expect(try sort("ss") == "Sorted: starred first")
        #expect(try sort("st") == "Sorted by title")
    }
}
