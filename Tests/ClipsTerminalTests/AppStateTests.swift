import ClipsCore
import Foundation
import PersistentStore
import Terminal
import Testing

@testable import ClipsTerminal

@Suite struct AppStateTests {
    @Test func `numbers before a key count`() throws {
        var state = AppState.showing(100)
        try state.press("5j")
        #expect(state.list.selectedIndex == 5)
        try state.press("20G")
        #expect(state.list.selectedIndex == 19)
        try state.press("10k")
        #expect(state.list.selectedIndex == 9)
        try state.press("7<Esc>j")
        #expect(state.list.selectedIndex == 10)
        try state.press("999999999999999999999j")
        #expect(state.list.selectedIndex == 99)
        try state.press("g")
        #expect(state.list.selectedIndex == 0)
    }

    @Test func `a key without an action gives a hint`() throws {
        var state = AppState.showing(3)
        try state.press("Q")
        #expect(state.statusLine.contains("Q does nothing here · ? lists the keys"))
        try state.press("j")
        #expect(!state.statusLine.contains("does nothing"))
    }

    @Test func `at the top new clips come into view and the selected one stays`() throws {
        var state = AppState.showing(10)
        state.take(arrival([10, 11]), .transactions([transaction(1, inserting: [10, 11])]))
        #expect(state.list.selectedID == 9)
        #expect(state.list.top == 0 && state.screenRow == 2)
        #expect(state.arrivals.isMarked(11) && state.arrivals.aboveCount == 0)
        #expect(state.lines[1].hasPrefix("▌"))
        #expect(state.statusLine.contains("live · extension saved 2, now"))
    }

    @Test func `without following nothing moves, and what came is counted`() throws {
        var state = AppState.showing(100)
        #expect(state.list.follows)
        try state.press("F")
        #expect(!state.list.follows)
        try state.press("3j")
        #expect(state.list.selectedIndex == 3)
        let (id, row) = (state.list.selectedID, state.screenRow)
        state.take(arrival([100, 101, 102]), .transactions([transaction(1, inserting: [100, 101, 102])]))
        #expect(state.list.selectedID == id && state.screenRow == row)
        #expect(state.statusLine.contains("↑ 3 new"))
        #expect(state.statusLine.contains("not following"))
        try state.press("g")
        #expect(!state.statusLine.contains("new"))
    }

    @Test func `a mark of arrival goes after some seconds, and the app wakes for it`() throws {
        var state = AppState.showing(10)
        state.take(arrival([10]), .transactions([transaction(1, inserting: [10])]))
        #expect(state.lines[1].hasPrefix("▌"))
        #expect((try #require(state.nextDeadline)) <= noon + 8)
        _ = state.handle(.tick, at: noon + 8.1)
        #expect(!state.lines[1].hasPrefix("▌"))
    }

    @Test func `our own clips are no arrivals`() {
        var state = AppState.showing(10)
        state.take(
            arrival([10]), .transactions([transaction(1, inserting: [10], author: "app", isOwn: true)]))
        #expect(!state.arrivals.isMarked(10))
    }

    @Test func `a pause holds the list, counts, and gives all at its end`() throws {
        var state = AppState.showing(30)
        try state.press("p")
        let before = state.lines.dropLast(2)
        state.take(arrival([30, 31]), .transactions([transaction(1, inserting: [30, 31])]))
        #expect(state.lines.dropLast(2) == before)
        #expect(state.statusLine.contains("paused · 2 new"))
        try state.press("p")
        #expect(state.list.count == 32)
        #expect(state.arrivals.isMarked(31))
    }

    @Test func `a pause keeps so much and then asks for a fresh window`() throws {
        var state = AppState.showing(30)
        try state.press("p")
        for id in 0..<Int64(Pause.most) + 10 {
            state.take(arrival([1000 + id]), .transactions([transaction(id + 1, inserting: [1000 + id])]))
        }
        #expect(state.pause?.isOverfull == true && state.pause?.messages.isEmpty == true)
        let effects = try state.press("p")
        guard case .show(_, let generation, let anchor)? = effects.last else {
            Issue.record("no window was asked for: \(effects)")
            return
        }
        #expect(generation == state.feed.generation && anchor == row(29).position)
    }

    @Test func `our own work is seen in a pause`() throws {
        var state = AppState.showing(30)
        try state.press("p")
        state.take(arrival([30]), .transactions([transaction(1, inserting: [30], isOwn: true)]))
        #expect(state.list.count == 31 && state.pause != nil)
    }

    @Test func `a filter is asked for as it is typed, and Esc takes it back`() throws {
        var state = AppState.showing(30)
        try state.press("10j/")
        let effects = try state.press("ab")
        let filters = effects.compactMap { effect in
            if case .show(let query, _, let anchor) = effect, anchor == nil { query.filter } else { nil }
        }
        #expect(filters == ["a", "ab"])
        #expect(state.statusLine.contains("/ab"))
        guard case .show(let query, 3, let anchor)? = try state.press("<Esc>").first else {
            Issue.record("the list was not shown again")
            return
        }
        #expect(query.filter.isEmpty && anchor == row(19).position)
    }

    @Test func `messages of an earlier filter are not for this one`() throws {
        var state = AppState.showing(30)
        try state.press("/a")
        state.take(arrival([30]), .count(77, generation: 0))
        #expect(state.list.count == 30)
    }

    @Test func `an address becomes an address, and anything else a text`() throws {
        var state = AppState.showing(3)
        func draft(_ keys: String) throws -> ClipDraft? {
            for case .work(.add(let draft, _)) in try state.press(keys) { return draft }
            return nil
        }
        #expect(try draft("a https://a.example/x <Enter>")?.url == "https://a.example/x")
        #expect(try draft("aBuy milk: 2 l<Enter>")?.text == "Buy milk: 2 l")
        #expect(try draft("a<Paste:one\\ntwo><Enter>")?.text == "one\ntwo")
        #expect(try draft("adel<BS><BS><BS>x<Esc>") == nil)
        guard case .edit(_, nil)? = try state.press("a<Enter>").last else {
            Issue.record("no editor")
            return
        }
    }

    @Test func `a pasted text is never a command`() throws {
        var state = AppState.showing(30)
        let effects = try state.press("<Paste:dddq>")
        #expect(
            effects.allSatisfy {
                if case .work = $0 { false } else if case .quit = $0 { false } else { true }
            })
        #expect(state.prompt?.editor.text == "dddq")
    }

    @Test func `the clip that is open stays open whatever happens to the list`() throws {
        var state = AppState.showing(30)
        try state.press("3j<Enter>")
        #expect(state.layout.arrangement == .detailOnly && state.detail.id == 26)
        state.take(.changes([LiveList.Change(id: 26, old: row(26).position, new: nil)], generation: 0))
        _ = state.handle(.clipLoaded(id: 26, nil), at: noon)
        #expect(state.detail.id == 26 && state.isReading)
        #expect(state.lines[0].contains("deleted"))
        try state.press("<Esc>")
        #expect(!state.isReading && state.list.selectedID == 25)
    }

    @Test func `undo takes back in turn, and redo does it again`() throws {
        var state = AppState.showing(30)
        func token(_ number: Int64) -> HistoryToken {
            HistoryToken(storeID: UUID(), generation: 1, number: number)
        }
        func finish(_ effects: [Effect], _ number: Int64) {
            for case .work(let work) in effects {
                let outcome = WorkResult.Outcome.done(token: token(number), clips: [], remark: nil)
                _ = state.handle(.worked(WorkResult(work: work, outcome: outcome)), at: noon)
            }
        }
        guard case .loadOwnWork? = try state.press("u").last else {
            Issue.record("the history was not asked")
            return
        }
        _ = state.handle(.ownWorkLoaded(UndoHistory(all: [], session: 7)), at: noon)
        #expect(state.statusLine.contains("nothing in the last week to take back"))
        finish(try state.press("d"), 1)
        #expect(state.statusLine.contains("Deleted “Clip 29” · u takes it back"))
        finish(try state.press("*"), 2)
        let first = try state.press("u")
        guard case .work(.undo(let step, .ask))? = first.first else {
            Issue.record("no undo")
            return
        }
        #expect(step.token.number == 2)
        finish(first, 3)
        let second = try state.press("<C-r>")
        guard case .work(.redo(let again, .ask))? = second.first else {
            Issue.record("no redo")
            return
        }
        #expect(again.token.number == 3)
    }

    @Test func `a slow save says so after a moment, and quitting waits for it`() throws {
        var state = AppState.showing(30)
        let effects = try state.press("d")
        #expect(!state.statusLine.contains("saving"))
        #expect((try #require(state.nextDeadline)) <= noon + 0.3)
        _ = state.handle(.tick, at: noon + 0.31)
        #expect(state.statusLine.contains("saving…"))
        #expect(try state.press("jj").allSatisfy { if case .quit = $0 { false } else { true } })
        #expect(try state.press("q").isEmpty)
        for case .work(let work) in effects {
            let done = state.handle(
                .worked(WorkResult(work: work, outcome: .done(token: nil, clips: [], remark: nil))),
                at: noon + 1)
            guard case .quit? = done.last else {
                Issue.record("did not quit after the save")
                return
            }
        }
    }

    @Test func `work that ends late leaves the cursor where the person has gone meanwhile`() throws {
        for keys in ["", "jj"] {
            var state = AppState.showing(30)
            let effects = try state.press("*")
            try state.press(keys)
            for case .work(let work) in effects {
                let done = WorkResult.Outcome.done(token: nil, clips: [29], remark: nil)
                _ = state.handle(.worked(WorkResult(work: work, outcome: done)), at: noon + 3)
            }
            #expect(state.list.selectedID == (keys.isEmpty ? 29 : 27))
        }
    }

    @Test func `what was quit from is the clip first and then the list, however wide the screen`() throws {
        for columns in [80, 200] {
            var state = AppState.showing(30, Size(rows: 24, columns: columns))
            try state.press("<Enter>")
            #expect(state.isReading)
            let effects = try state.press("q")
            #expect(!effects.contains { if case .quit = $0 { true } else { false } } && !state.isReading)
            guard case .quit? = try state.press("q").last else {
                Issue.record("does not quit")
                return
            }
        }
    }

    @Test func `while something is typed or chosen, the line of keys tells what these do now`() throws {
        var state = AppState.showing(30)
        for (keys, words) in [
            ("/", "Esc give up"), ("<Esc>a", "Enter save"), ("<Esc>s", "Enter choose"),
            ("<Esc><Enter>", "Esc back"),
        ] {
            try state.press(keys)
            #expect(state.lines.last?.contains(words) == true, "\(keys)")
            #expect(state.lines.last?.contains("a add") == false, "\(keys)")
        }
    }

    @Test func `an error stays until the next key`() throws {
        var state = AppState.showing(30)
        _ = state.handle(.failure("The disk is full."), at: noon)
        _ = state.handle(.tick, at: noon + 60)
        #expect(state.statusLine.contains("The disk is full."))
        try state.press("j")
        #expect(!state.statusLine.contains("disk"))
    }

    @Test func `only harmless addresses are opened, and no shell sees them`() {
        #expect(Browser.refusal(of: "https://a.example") == nil)
        #expect(Browser.refusal(of: "javascript:alert(1)") != nil)
        #expect(Browser.refusal(of: "--help") != nil)
        #expect(Browser.command(for: "http://a/;rm", browser: nil) == ["xdg-open", "http://a/;rm"])
        #expect(Browser.command(for: "http://a/", browser: "fox -t %s:lynx") == ["fox", "-t", "http://a/"])
        #expect(Browser.command(for: "http://a/", browser: "fox -t") == ["fox", "-t", "http://a/"])
    }
}
