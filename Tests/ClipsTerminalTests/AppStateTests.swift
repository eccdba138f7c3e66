import ClipsCore
import Foundation
import LiveQuery
import PersistentStore
import Terminal
import Testing

@testable import ClipsTerminal

@Suite struct AppStateTests {
    @Test func `numbers before a key count`() throws {
        var state = AppState.showing(100)
        try state.press("5j")
        #expect(state.list.clips.selectedIndex == 5)
        try state.press("20G")
        #expect(state.list.clips.selectedIndex == 19)
        try state.press("10k")
        #expect(state.list.clips.selectedIndex == 9)
        try state.press("7<Esc>j")
        #expect(state.list.clips.selectedIndex == 10)
        try state.press("999999999999999999999j")
        #expect(state.list.clips.selectedIndex == 99)
        try state.press("g")
        #expect(state.list.clips.selectedIndex == 0)
    }

    @Test func `a key without an action gives a hint`() throws {
        var state = AppState.showing(3)
        try state.press("Q")
        #expect(state.statusLine.contains("Q is not bound · ? lists the keys"))
        try state.press("j")
        #expect(!state.statusLine.contains("not bound"))
    }

    @Test func `at the top, new clips scroll into view and the selection remains`() throws {
        var state = AppState.showing(10)
        try state.press("jk")
        state.take(arrival([10, 11]), .transactions([transaction(1, inserting: [10, 11])]))
        #expect(state.list.clips.selectedID == 9)
        #expect(state.list.clips.top == 0 && state.screenRow == 2)
        #expect(state.list.arrivals.isMarked(11) && state.list.arrivals.aboveCount == 0)
        #expect(state.lines[1].hasPrefix("▌"))
        #expect(state.statusLine.contains("live · extension saved 2 clips, now"))
    }

    @Test func `without following, nothing moves and arrivals are counted`() throws {
        var state = AppState.showing(100)
        #expect(state.list.clips.follows)
        try state.press("F")
        #expect(!state.list.clips.follows)
        try state.press("3j")
        #expect(state.list.clips.selectedIndex == 3)
        let (id, row) = (state.list.clips.selectedID, state.screenRow)
        state.take(arrival([100, 101, 102]), .transactions([transaction(1, inserting: [100, 101, 102])]))
        #expect(state.list.clips.selectedID == id && state.screenRow == row)
        #expect(state.statusLine.contains("↑ 3 new"))
        #expect(state.statusLine.contains("not following"))
        try state.press("g")
        #expect(!state.statusLine.contains("new"))
    }

    @Test func `the mark of an arrival expires after 8 seconds, and the app wakes for it`() throws {
        var state = AppState.showing(10)
        state.take(arrival([10]), .transactions([transaction(1, inserting: [10])]))
        #expect(state.lines[1].hasPrefix("▌"))
        #expect((try #require(state.nextDeadline)) <= noon + 8)
        _ = state.handle(.tick, at: noon + 8.1)
        #expect(!state.lines[1].hasPrefix("▌"))
    }

    @Test func `the app's own clips are not arrivals`() {
        var state = AppState.showing(10)
        state.take(
            arrival([10]), .transactions([transaction(1, inserting: [10], author: "app", isOwn: true)]))
        #expect(!state.list.arrivals.isMarked(10))
    }

    @Test func `a pause holds the list, counts arrivals, and applies all at its end`() throws {
        var state = AppState.showing(30)
        try state.press("p")
        let before = state.lines.dropLast(2)
        state.take(arrival([30, 31]), .transactions([transaction(1, inserting: [30, 31])]))
        #expect(state.lines.dropLast(2) == before)
        #expect(state.statusLine.contains("paused · 2 new"))
        // Keys for all clips do not change those that it holds back.
        for key in ["V", "A"] {
            let effects = try state.press(key)
            #expect(
                effects.isEmpty && state.statusLine.contains("The list is paused (2 new). Continue it with p")
            )
        }
        try state.press("p")
        #expect(state.list.clips.count == 32)
        #expect(state.list.arrivals.isMarked(31))
    }

    @Test func `a pause counts the clips that its end adds to the list`() throws {
        var state = AppState.showing(30)
        try state.press("p")
        // The filter of the list admits one of the two.
        state.take(arrival([30]), .transactions([transaction(1, inserting: [30, 31])]))
        #expect(state.statusLine.contains("paused · 1 new"))
        state.take(.changes([.init(id: 30, old: row(30).position, new: nil)], generation: 0))
        #expect(state.statusLine.contains("paused") && !state.statusLine.contains("new"))
        state.take(arrival([32, 33]))
        state.take(arrival([34]), .transactions([transaction(2, inserting: [34], isOwn: true)]))
        #expect(state.list.clips.count == 33)
        #expect(state.statusLine.contains("paused") && !state.statusLine.contains("new"))
        // A commit that is too large to be reported.
        state.take(window(0..<300))
        #expect(state.statusLine.contains("paused · changed"))
    }

    @Test func `a step of which the last part has one clip is counted when the app starts`() throws {
        var state = AppState.showing(30)
        let effects = state.take(.transactions([transaction(9, inserting: [29], contextName: "#7")]))
        let counting = try #require(effects.first { if case .countStep = $0 { true } else { false } })
        state.answer(counting, StepCounts(inserted: 2001, updated: 0, deleted: 0, end: 9))
        #expect(state.statusLine.contains("extension saved 2,001 clips"), "\(state.statusLine)")
    }

    @Test func `a step whose first parts were not reported is counted in the history`() throws {
        var state = AppState.showing(30)
        func part(_ number: Int64) -> TransactionSummary {
            transaction(number, inserting: [100 + number, 200 + number], contextName: "mark #7")
        }
        state.take(.transactions([part(1)]))
        #expect(state.statusLine.contains("saved 2 clips"))
        // It may have been the last part.
        var effects = state.take(window(0..<30))
        #expect(state.statusLine.contains("extension saved … clips"))
        for number in 2...3 as ClosedRange<Int64> {
            effects += state.take(.transactions([part(number)]))
            #expect(state.statusLine.contains("extension saved … clips"))
        }
        let counting = effects.filter { if case .countStep = $0 { true } else { false } }
        try #require(counting.count == 3)
        // The answer to a former request.
        state.answer(counting[0], StepCounts(inserted: 4, updated: 0, deleted: 0, end: 2))
        #expect(state.statusLine.contains("extension saved … clips"))
        state.answer(counting[2], StepCounts(inserted: 1500, updated: 0, deleted: 0, end: 4))
        #expect(state.statusLine.contains("saved 1,500 clips"))
        state.take(.transactions([part(4)]))
        #expect(state.statusLine.contains("saved 1,500 clips"))
        state.take(.transactions([part(5)]))
        #expect(state.statusLine.contains("saved 1,502 clips"))
        state.take(.transactions([transaction(6, inserting: [500])]))
        #expect(state.statusLine.contains("extension saved") && !state.statusLine.contains("1,50"))
    }

    @Test func `the parts of a step count together if other commits come between them`() throws {
        var state = AppState.showing(30)
        for number in [1, 3, 5] as [Int64] {
            state.take(
                .transactions([
                    transaction(number, inserting: [100 + number, 200 + number], contextName: "mark #7")
                ]))
            #expect(state.statusLine.contains("saved \(number + 1) clips"))
            state.take(.transactions([transaction(number + 1, inserting: [500 + number])]))
            #expect(!state.statusLine.contains("\(number + 1) clips"))
        }
    }

    @Test func `a report that has been read makes way for a commit of another process`() throws {
        var state = AppState.showing(30)
        state.report("Saved “Clip 30” · u to undo")
        state.take(.transactions([transaction(1, inserting: [500])]), at: noon + 4)
        #expect(state.statusLine.contains("u to undo"))
        state.take(.transactions([transaction(2, inserting: [501], isOwn: true)]), at: noon + 6)
        #expect(state.statusLine.contains("u to undo"))
        state.take(.transactions([transaction(3, inserting: [502])]), at: noon + 6)
        #expect(state.statusLine.contains("extension saved") && !state.statusLine.contains("u to undo"))
    }

    @Test func `the message of an own change replaces the line of the same change`() throws {
        var state = AppState.showing(30)
        state.take(.transactions([transaction(1, inserting: [30], isOwn: true)]))
        #expect(state.statusLine.contains("you saved"))
        state.message = AppState.Message(text: "Saved “Clip 30” · u to undo", isError: false)
        #expect(state.statusLine.contains("u to undo") && !state.statusLine.contains("you"))
        state.take(.transactions([transaction(2, inserting: [31])]))
        #expect(state.statusLine.contains("extension saved"))
    }

    @Test func `a pause that overflows ends with a full refresh`() throws {
        var state = AppState.showing(30)
        try state.press("jkp")
        for id in 0..<Int64(Pause.maxMessages) + 10 {
            state.take(arrival([1000 + id]), .transactions([transaction(id + 1, inserting: [1000 + id])]))
        }
        #expect(state.list.pause?.hasOverflowed == true && state.list.pause?.messages.isEmpty == true)
        let effects = try state.press("p")
        guard case .show(_, let generation, let anchor)? = effects.last else {
            Issue.record("no window was requested: \(effects)")
            return
        }
        #expect(generation == state.list.feed.generation && anchor == row(29).position)
    }

    @Test func `the app's own work is visible in a pause`() throws {
        var state = AppState.showing(30)
        try state.press("p")
        state.take(arrival([30]), .transactions([transaction(1, inserting: [30], isOwn: true)]))
        #expect(state.list.clips.count == 31 && state.list.pause != nil)
    }

    @Test func `a filter takes effect as it is typed, and Esc cancels it`() throws {
        var state = AppState.showing(30)
        try state.press("10j/")
        let effects = try state.press("ab")
        let filters = effects.compactMap { effect in
            if case .show(let query, _, let anchor) = effect, anchor == nil { query.filter } else { nil }
        }
        #expect(filters == ["a", "ab"])
        #expect(state.statusLine.contains("/ab"))
        guard case .showAround(19, let query, 3, let anchor)? = try state.press("<Esc>").first else {
            Issue.record("the list was not shown again")
            return
        }
        #expect(query.filter.isEmpty && anchor == row(19).position)
    }

    @Test func `messages of an earlier filter are ignored`() throws {
        var state = AppState.showing(30)
        try state.press("/a")
        state.take(arrival([30]), .count(77, generation: 0))
        #expect(state.list.clips.count == 30)
    }

    @Test func `a URL is added as a URL, and any other input as a text`() throws {
        var state = AppState.showing(3)
        func draft(_ keys: String) throws -> ClipDraft? {
            for case .work(let work) in try state.press(keys) {
                switch work {
                // A text has no page that may be saved already.
                case .add(let draft, _) where draft.url.isEmpty, .addPage(let draft, merges: false):
                    return draft
                default: break
                }
            }
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

    @Test func `an open clip remains open when the list changes`() throws {
        var state = AppState.showing(30)
        try state.press("3j<Enter>")
        #expect(state.layout.arrangement == .detailOnly && state.reader.id == 26)
        state.take(.changes([LiveList.Change(id: 26, old: row(26).position, new: nil)], generation: 0))
        state.answer(.loadClip(26), Clip?.none as Any)
        #expect(state.reader.id == 26 && state.reader.hasFocus)
        #expect(state.lines[0].contains("deleted"))
        try state.press("<Esc>")
        #expect(!state.reader.hasFocus && state.list.clips.selectedID == 25)
    }

    @Test func `undo reverts changes in turn, and redo repeats them`() throws {
        var state = AppState.showing(30)
        func token(_ number: Int64) -> HistoryToken {
            HistoryToken(storeID: UUID(), generation: 1, number: number)
        }
        func finish(_ effects: [Effect], _ number: Int64) {
            for case .work(let work) in effects {
                let outcome = Work.Outcome.done(token: token(number), clips: [], remark: nil)
                state.answer(.work(work), outcome, at: noon)
                let news = transaction(number, author: "app", isOwn: true)
                _ = state.handle(.message(.transactions([news])), at: noon)
            }
        }
        guard case .loadUndoHistory? = try state.press("u").last else {
            Issue.record("the history was not read")
            return
        }
        state.answer(.loadUndoHistory(UndoHistory(), isRedoing: false), UndoHistory(all: [], session: 7))
        #expect(state.statusLine.contains("No changes of yours to undo"))
        finish(try state.press("d"), 1)
        #expect(state.statusLine.contains("Deleted “Clip 29” · u to undo"))
        finish(try state.press("*"), 2)
        let first = try state.press("u")
        guard case .work(.revert(let step, .undo, .ask))? = first.first else {
            Issue.record("no undo")
            return
        }
        #expect(step.token.number == 2)
        finish(first, 3)
        let second = try state.press("<C-r>")
        guard case .work(.revert(let again, .redo, .ask))? = second.first else {
            Issue.record("no redo")
            return
        }
        #expect(again.token.number == 3)
    }

    @Test func `a slow save is shown after a moment, and quitting waits for it`() throws {
        var state = AppState.showing(30)
        let effects = try state.press("d")
        #expect(!state.statusLine.contains("saving"))
        #expect((try #require(state.nextDeadline)) <= noon + 0.3)
        _ = state.handle(.tick, at: noon + 0.31)
        #expect(state.statusLine.contains("saving…"))
        #expect(try state.press("jj").allSatisfy { if case .quit = $0 { false } else { true } })
        #expect(try state.press("q").isEmpty)
        for case .work(let work) in effects {
            let done = state.answer(
                .work(work), Work.Outcome.done(token: nil, clips: [], remark: nil), at: noon + 1)
            guard case .quit? = done.last else {
                Issue.record("did not quit after the save")
                return
            }
        }
    }

    @Test func `work that ends late does not move a cursor that the user has moved`() throws {
        for keys in ["", "jj"] {
            var state = AppState.showing(30)
            let effects = try state.press("*")
            try state.press(keys)
            for case .work(let work) in effects {
                let done = Work.Outcome.done(token: nil, clips: [29], remark: nil)
                state.answer(.work(work), done, at: noon + 3)
            }
            #expect(state.list.clips.selectedID == (keys.isEmpty ? 29 : 27))
        }
    }

    @Test func `q closes the clip first and then quits, at any width`() throws {
        for columns in [80, 200] {
            var state = AppState.showing(30, Size(rows: 24, columns: columns))
            try state.press("<Enter>")
            #expect(state.reader.hasFocus)
            let effects = try state.press("q")
            #expect(
                !effects.contains { if case .quit = $0 { true } else { false } } && !state.reader.hasFocus)
            guard case .quit? = try state.press("q").last else {
                Issue.record("does not quit")
                return
            }
        }
    }

    @Test func `the line of keys shows the keys of the open prompt or menu`() throws {
        var state = AppState.showing(30)
        for (keys, words) in [
            ("/", "Esc cancel"), ("<Esc>a", "Enter save"), ("<Esc>s", "Enter choose"),
            ("<Esc><Enter>", "Esc back"),
        ] {
            try state.press(keys)
            #expect(state.lines.last?.contains(words) == true, "\(keys)")
            #expect(state.lines.last?.contains("a add") == false, "\(keys)")
        }
    }

    @Test func `an error remains until the next key`() throws {
        var state = AppState.showing(30)
        _ = state.handle(.failure("The disk is full."), at: noon)
        _ = state.handle(.tick, at: noon + 60)
        #expect(state.statusLine.contains("The disk is full."))
        try state.press("j")
        #expect(!state.statusLine.contains("disk"))
    }

    @Test func `only safe URLs are opened, without a shell`() {
        #expect(Browser.rejection(of: "https://a.example") == nil)
        #expect(Browser.rejection(of: "javascript:alert(1)") != nil)
        #expect(Browser.rejection(of: "--help") != nil)
        #expect(Browser.command(for: "http://a/;rm", browser: nil) == ["xdg-open", "http://a/;rm"])
        #expect(Browser.command(for: "http://a/", browser: "fox -t %s:fox2") == ["fox", "-t", "http://a/"])
        #expect(Browser.command(for: "http://a/", browser: "fox -t:true") == ["true", "http://a/"])
        #expect(Browser.command(for: "http://a/", browser: "fox -t") == ["fox", "-t", "http://a/"])
    }

    @Test func `the message that there is no clip ends once one arrives`() throws {
        var state = AppState.showing(0)
        try state.press("*")
        #expect(state.statusLine.contains("There is no clip here; a adds one."))
        state.take(arrival([1]), .transactions([transaction(1, inserting: [1])]))
        #expect(state.message == nil && state.lines[1].contains("Clip 1"))
    }

    @Test func `the last change is cut within a word only where no whole one has room`() {
        let title = "Responsibilities of understanding incomprehensibilities"
        for columns in 40...100 {
            var state = AppState.showing(3, Size(rows: 12, columns: columns))
            let change = transaction(1, deleting: [7], title: title)
            state.take(.transactions([change]))
            let words = Set(
                (title + " live extension deleted 1 clip, now · 1/3 2 unread").split(separator: " ").map(
                    String.init))
            if (43..<62).contains(columns) {
                #expect(state.statusLine.contains("deleted “Respons"), "\(columns): \(state.statusLine)")
                continue
            }
            let shown = state.statusLine.split(separator: " ").map { $0.filter { !"“”…,".contains($0) } }
            #expect(
                shown.allSatisfy { $0.isEmpty || words.contains($0) || $0 == "clip" },
                "\(columns): \(state.statusLine)")
        }
    }

    @Test func `the prompt names the tags of one marked clip, or the number of clips`() throws {
        var state = AppState.showing(3)
        try state.press("<Space>t")
        #expect(state.statusLine.contains("Tags (tag2, more):"))
        #expect(Prompt(kind: .tags([7], of: nil, title: "")).label() == "Tags of 1 clip: ")
        let tags = ["swift", "programming", "language", "linux"]
        let label = Prompt(kind: .tags([7], of: tags, title: "")).label(columns: 40)
        #expect(label == "Tags (swift,…): ", "\(label)")
        try state.press("<Esc><Space>t")
        #expect(state.statusLine.contains("Tags of 2 clips:"))
    }
}
