import ClipsCore
import Foundation
import LiveQuery
import Terminal
import Testing

@testable import ClipsTerminal

/// Filters of the history by author.
@Suite struct HistoryFilterTests {
    @Test(
        arguments: [
            "author:\"another program\"", "\"another program\"", "author:(unknown)",
            "author:cli author:\"another program\"",
        ])
    func `a filter selects the changes of external writers`(text: String) throws {
        let filter = try HistoryFilter(text, now: noon)
        #expect(filter.admits(transaction(1, author: nil)) && filter.admits(transaction(1, author: "")))
        #expect(!filter.admits(transaction(1, author: "extension")))
        #expect("\(try #require(filter.predicate))".contains("nil"))
    }

    @Test func `a name with a space is one author, and others remain several`() throws {
        #expect(try HistoryFilter("author:\"one two\" since:2h", now: noon).authors == ["one two"])
        #expect(try HistoryFilter("author:one  two", now: noon).authors == ["one", "two"])
        #expect(throws: ClipsAppError.self) { try HistoryFilter("autor:\"one two\"", now: noon) }
    }

    @Test func `a time without a field is that of the oldest transaction`() throws {
        #expect(try HistoryFilter("cli 5m", now: noon).authors == ["cli"])
        #expect(try HistoryFilter("cli 5m", now: noon).since == noon - 300)
        let today = try HistoryFilter("today", now: noon)
        let yesterday = try HistoryFilter("yesterday", now: noon)
        // The status line says what the filter means.
        #expect(yesterday.text == "since:yesterday")
        let start = try #require(today.since)
        #expect(today.authors.isEmpty && start <= noon && start > noon - 86_400)
        #expect(try #require(yesterday.since) < start)
        #expect(try HistoryFilter("5things", now: noon).authors == ["5things"])
    }

    @Test func `a filter may have capital letters`() throws {
        let filter = try HistoryFilter("Author:Extension Before:TODAY", now: noon)
        #expect(filter.authors == ["Extension", "extension"] && filter.before != nil)
    }

    @Test func `Enter waits for the changes of the selected transaction`() throws {
        var state = AppState.showing(3)
        let transaction = transaction(1, inserting: [1, 2])
        try state.press("H")
        state.answer(.loadHistory(HistoryFilter(), after: 0), ([transaction], Int64(0)))
        try state.press("<Enter>")
        #expect(state.history.opensWhenLoaded && !state.history.isInChanges)
        state.answer(.loadChanges(transaction.token), TransactionDetail?.none as Any)
        #expect(state.history.isInChanges && !state.history.opensWhenLoaded)
    }

    @Test(arguments: ["author:an", "author:\"an", "author:\"another pr"])
    func `Tab completes the name of external writers`(typed: String) throws {
        var state = AppState.showing(3, config: "")
        state.take(.transactions([transaction(1, inserting: [1], author: nil)]))
        try state.press("H/\(typed)<Tab>")
        #expect(state.prompt?.editor.text == "author:\"another program\"")
    }

    @Test func `one name stands for external writers everywhere`() throws {
        var state = AppState.showing(3, Size(rows: 24, columns: 100))
        let change = external(4, inserting: 1)
        state.take(.transactions([change]))
        #expect(state.statusLine.contains("another program saved 1 clip"), "\(state.statusLine)")
        try state.press("H")
        #expect(state.lines.count { $0.contains(" another program ") } == 3, "\(state.lines)")
        _ = state.handle(.resized(Size(rows: 24, columns: 40)), at: noon)
        #expect(state.lines.count { $0.contains("another program") } == 1, "\(state.lines)")
        #expect(state.lines.allSatisfy { $0.components(separatedBy: "another program").count <= 2 })
    }
}
