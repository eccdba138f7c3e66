import ClipsCore
import Foundation
import LiveQuery
import PersistentStore
import Terminal
import Testing

@testable import ClipsTerminal

@Suite struct MarksTests {
    private func works(_ effects: [Effect]) -> [Work] {
        effects.compactMap { if case .work(let work) = $0 { work } else { nil } }
    }

    @Test func `Space marks and moves down, and a number marks that many`() throws {
        var state = AppState.showing(30)
        try state.press("<Space>3<Space>")
        #expect(state.list.marks.all == [29, 28, 27, 26])
        #expect(state.list.clips.selectedID == 25)
        #expect(state.statusLine.contains("4 marked"))
        #expect(state.lines[1].hasPrefix("✓") && !state.lines[5].hasPrefix("✓"))
        try state.press("k<Space>")
        #expect(state.list.marks.all == [29, 28, 27])
        try state.press("<Esc>")
        #expect(state.list.marks.isEmpty)
    }

    @Test func `marks stay on their clips when the list changes`() throws {
        var state = AppState.showing(30)
        try state.press("5j2<Space>")
        #expect(state.list.marks.all == [24, 23])
        state.take(arrival([30, 31]), .transactions([transaction(1, inserting: [30, 31])]))
        #expect(state.lines.contains { $0.hasPrefix("✓") && $0.contains("Clip 24") })
        // Another order, another filter: the same clips are marked.
        try state.press("/x<Enter>")
        #expect(state.list.marks.all == [24, 23])
        state.take(.transactions([transaction(2, deleting: [24])]))
        #expect(state.list.marks.all == [23])
    }

    @Test func `a message about the only marked clip has its name`() throws {
        var state = AppState.showing(3)
        try state.press("<Space>")
        state.take(.transactions([transaction(1, deleting: [2])]))
        try state.press("*")
        #expect(state.message?.text == "“Clip 2” is already deleted. Nothing was changed.")
        let rows = [row(9, "No page", url: " "), row(8)]
        _ = state.take(
            .window(
                LiveList.Window(rows: rows, lowerIndex: 0, count: 2, reachesStart: true, reachesEnd: true),
                generation: state.list.feed.generation))
        let layout = StoredObject.Layout(names: ["title", "text"])
        let object = StoredObject(
            id: ClipModel.objectID(9), version: 1, layout: layout, values: [.text("No page"), .text("x")])
        try state.press("g")
        state.answer(.gather([9], nil, .open(.browser)), [Clip(object)])
        #expect(state.message?.text == "“No page” has no URL.")
    }

    @Test(arguments: ["2<Space>", "v1j"], ["d", "*", "t", ":"])
    func `a key for marked clips that others deleted means no other clip`(mark: String, key: String) throws {
        var state = AppState.showing(30)
        try state.press("2j\(mark)")
        #expect(state.list.marks.all.count == 2)
        state.take(.transactions([transaction(1, deleting: [27, 26])]))
        #expect(state.list.marks.isEmpty)
        #expect(works(try state.press(key)).isEmpty && (state.prompt == nil) == (key != ":"))
        #expect(state.lines.contains { $0.contains("The marked clips are already deleted.") })
        #expect(state.lines.contains { $0.contains("Nothing was changed") } == (key != ":"))
        // The next key means the clip under the cursor.
        if state.prompt != nil { try state.press("<Esc>") }
        #expect(works(try state.press("d")).count == 1)
    }

    @Test(arguments: [
        ("d", "Delete 12 clips?", "Delete 10 clips?"), ("y", "Copy of 12 clips", "Copy of 10 clips"),
        ("t", "Tags of 12 clips", "Tags of 10 clips"),
    ])
    func `a question about clips follows their deletion`(key: String, asked: String, again: String) throws {
        var state = AppState.showing(30)
        try state.press("12<Space>" + key)
        #expect(state.lines.contains { $0.contains(asked) })
        func delete(_ number: Int64, _ ids: [Int64]) throws {
            let effects = state.take(.transactions([transaction(number, deleting: ids)]))
            let reading = try #require(effects.first { if case .findHidden = $0 { true } else { false } })
            state.answer(reading, (hidden: Set<Int64>(), deleted: Set(ids)))
        }
        try delete(1, [29, 28])
        #expect(state.lines.contains { $0.contains(again) }, "\(state.lines)")
        try delete(2, Array(18...27))
        // The letters of a prompt are no keys, and its answer says the same.
        if key == "t" { return #expect(state.prompt != nil) }
        #expect(state.lines.contains { $0.contains("10 clips are already deleted.") })
        #expect(works(try state.press("x")).isEmpty && state.menu == nil)
    }

    @Test func `the last mark that the user deletes is no loss`() throws {
        var state = AppState.showing(30)
        try state.press("<Space>")
        state.take(.transactions([transaction(1, deleting: [29], isOwn: true)]))
        #expect(works(try state.press("d")).count == 1)
    }

    @Test func `marks have the order in which they were made`() {
        var marks = Marks()
        for id in [3, 1, 2, 1] as [Int64] { marks.toggle(id) }
        #expect(marks.inOrder == [3, 2])
        marks.toggle(1)
        #expect(marks.inOrder == [3, 2, 1])
        marks.remove([2])
        #expect(marks.inOrder == [3, 1] && marks.all == [1, 3])
        for _ in 0..<1000 { marks.toggle(3) }
        #expect(marks.inOrder == [1, 3])
        marks.set([5, 4])
        #expect(marks.inOrder == [5, 4])
    }

    @Test func `a range follows the cursor, and Esc cancels it`() throws {
        var state = AppState.showing(30)
        try state.press("2jv3j")
        #expect(state.list.marks.all == [27, 26, 25, 24])
        try state.press("5k")
        #expect(state.list.marks.all == [29, 28, 27])
        // Clips that other processes insert do not join it.
        let between = row(100, "Between").inserted(after: row(28))
        state.take(.changes([LiveList.Change(id: 100, old: nil, new: between)], generation: 0))
        #expect(state.list.marks.all == [29, 28, 27])
        try state.press("<Esc>")
        #expect(state.list.marks.isEmpty)
        try state.press("vjvjj<Space>")
        #expect(state.list.marks.range == nil && state.list.marks.count == 3)
    }

    @Test func `a range over rows that are not loaded is read from the store`() throws {
        var state = AppState(size: Size(rows: 24, columns: 80), now: noon)
        let rows = (900..<1000).reversed().map { row($0) }
        let first = LiveList<ClipRow>.Window(
            rows: rows, lowerIndex: 0, count: 1000, reachesStart: true, reachesEnd: false)
        _ = state.handle(.message(.window(first, generation: 0)), at: noon)
        let effects = try state.press("vG")
        #expect(state.list.marks.isGathering)
        // The key waits for the whole range.
        #expect(works(try state.press("d")).isEmpty)
        guard
            case .answer(let request, _, _)? = effects.last(where: {
                if case .answer = $0 { true } else { false }
            })
        else {
            Issue.record("the end was not requested: \(effects)")
            return
        }
        var last = LiveList<ClipRow>.Window(
            rows: (0..<100).reversed().map { row($0) }, lowerIndex: 900, count: 1000, reachesStart: false,
            reachesEnd: true)
        last.requestNumber = request.number
        let asked = state.handle(.message(.window(last, generation: 0)), at: noon)
        guard
            case .gatherRange(_, let from, let through, let end)? = asked.first(where: {
                if case .gatherRange = $0 { true } else { false }
            })
        else {
            Issue.record("the range was not requested: \(asked)")
            return
        }
        #expect(from == row(999).position && through == row(0).position)
        let gathered = state.answer(
            .gatherRange(state.list.query, from: from, through: through, end: end),
            (0..<1000).map { Int64($0) })
        #expect(state.list.marks.count == 1000 && !state.list.marks.isGathering)
        #expect(works(gathered).isEmpty && state.menu?.title == "Delete 1,000 clips?")
        guard case .delete(let ids, _)? = works(try state.press("y")).first else {
            Issue.record("nothing is deleted")
            return
        }
        #expect(ids.count == 1000)
    }

    @Test func `a range extends to the clip that a search finds`() throws {
        var state = AppState.showing(30)
        guard case .findUnread(let query, let position, let isForward)? = try state.press("v.").last else {
            Issue.record("no clip is searched")
            return
        }
        #expect(works(try state.press("*")).isEmpty)
        let effects = state.answer(.findUnread(query, from: position, isForward: isForward), Int64(26) as Any)
        #expect(state.list.marks.all == [29, 28, 27, 26])
        guard case .toggle(.starred, true, [26, 27, 28, 29], _)? = works(effects).first else {
            Issue.record("\(works(effects))")
            return
        }
    }

    @Test(arguments: ["20d", "20<Space>d", "gv19jd", "Vd"])
    func `a deletion of many clips asks, however they were chosen`(keys: String) throws {
        var state = AppState.showing(30)
        var all: [Work] = []
        for key in try KeyParser.keys(in: keys) {
            let effects = state.handle(.key(key), at: noon)
            all += works(effects)
            guard case .gatherList? = effects.last else { continue }
            state.answer(.gatherList(state.list.query), (10..<30).map { Int64($0) })
        }
        #expect(all.isEmpty && state.menu?.title == "Delete 20 clips?", "\(state.lines)")
        #expect(state.lines.contains { $0.contains("y  delete; u restores them") })
        #expect(works(try state.press("n")).isEmpty && state.menu == nil)
        // A few are deleted without a question.
        #expect(works(try state.press("<Esc>g10d")).count == 1)
    }

    @Test func `marks that a filter hides are counted apart, and deleted after a question only`() throws {
        var state = AppState.showing(30)
        try state.press("2<Space>/clip 2<Enter>")
        let generation = state.list.feed.generation
        let effects = state.take(window([29, 2, 1], generation: generation))
        let request = effects.first { if case .findHidden = $0 { true } else { false } }
        guard case .findHidden([28], let query)? = request else {
            Issue.record("the marks were not searched: \(effects)")
            return
        }
        // A key that acts on the marks waits.
        #expect(works(try state.press("d")).isEmpty && state.menu == nil)
        state.answer(.findHidden([28], query), (hidden: [28] as Set<Int64>, deleted: Set<Int64>()))
        #expect(state.menu?.title == "Delete 2 clips, 1 of them not shown?")
        try state.press("<Esc>")
        #expect(state.statusLine.contains("2 marked, 1 not shown"))
        let star = try state.press("*")
        let done = Work.Outcome.done(token: transaction(1).token, clips: [], summary: "starred 2 clips")
        state.answer(star[0], done)
        #expect(state.message?.text == "Starred 2 clips · 1 not shown · u to undo")
        guard case .delete([28, 29], _)? = works(try state.press("dy")).first else {
            Issue.record("nothing is deleted")
            return
        }
        state.take(.transactions([transaction(2, deleting: [28, 29])]))
        #expect(state.list.marks.isEmpty && state.list.marks.hidden.isEmpty)
    }

    @Test func `a marked clip that a change takes out of the list loses its mark`() throws {
        var state = AppState.showing(30)
        // One that a filter hides retains its mark.
        try state.press("2<Space>/clip 2<Enter>")
        state.take(window([29, 2, 1], generation: state.list.feed.generation))
        state.answer(.findHidden([28], state.list.query), (hidden: [28] as Set<Int64>, deleted: Set<Int64>()))
        let archived = try state.press("x")
        #expect(works(archived).count == 1)
        let query = state.list.query
        state.take(
            .transactions([transaction(1, inserting: [28, 29])]),
            window([2, 1], generation: state.list.feed.generation))
        state.answer(.findHidden([28, 29], query), (hidden: [28, 29] as Set<Int64>, deleted: Set<Int64>()))
        #expect(state.list.marks.all == [28] && state.list.marks.summary == "1 marked, 1 not shown")
    }

    @Test func `in a pause, a key after a deletion is meant for the next clip`() throws {
        var state = AppState.showing(30)
        let deletion = try state.press("pd")
        let gone = LiveList<ClipRow>.Change(id: 29, old: row(29).position, new: nil)
        #expect(works(try state.press("*")).isEmpty)
        // The pause holds the change until its transaction is known to be the user's own.
        #expect(works(state.take(.changes([gone], generation: 0))).isEmpty)
        let own = transaction(1, deleting: [29], isOwn: true)
        let shown = state.take(.transactions([own]))
        let done = Work.Outcome.done(token: own.token, clips: [], summary: "deleted")
        guard case .toggle(.starred, nil, [28], _)? = works(shown + state.answer(deletion[0], done)).first
        else {
            Issue.record("the next clip has no star")
            return
        }
    }

    @Test func `an action on marks is one piece of work`() throws {
        var state = AppState.showing(30)
        try state.press("3<Space>")
        for (keys, isRight) in [
            ("*", { if case .toggle(.starred, true, [27, 28, 29], _) = $0 { true } else { false } }),
            ("r", { if case .toggle(.unread, nil, [27, 28, 29], _) = $0 { true } else { false } }),
            (
                "t+a, -b<Enter>",
                {
                    if case .tag([27, 28, 29], adding: ["a"], removing: ["b"], _) = $0 {
                        true
                    } else {
                        false
                    }
                }
            ),
        ] as [(String, (Work) -> Bool)] {
            let works = works(try state.press(keys))
            #expect(works.count == 1 && works.allSatisfy(isRight), "\(keys): \(works)")
        }
        guard case .gather([27, 28, 29], _, .open(.browser))? = try state.press("o").last else {
            Issue.record("no addresses are read")
            return
        }
        try state.press("y")
        guard case .gather([27, 28, 29], _, .copy(.markdown))? = try state.press("m").last else {
            Issue.record("no clips are read")
            return
        }
        guard case .delete([27, 28, 29], _)? = works(try state.press("d")).first else {
            Issue.record("nothing is deleted")
            return
        }
        #expect(works(try state.press("d")).isEmpty, "the same clips are deleted again")
    }

    @Test func `a prompt applies to its clip even if another process deletes it`() throws {
        let gone = LiveMessage<ClipRow>.changes(
            [LiveList.Change(id: 29, old: row(29).position, new: nil)], generation: 0)
        for keys in [(":", "delete<Enter>"), ("?/undo restores them", "<Enter>"), (":", "tag +x<Enter>")] {
            var state = AppState.showing(30)
            try state.press(keys.0)
            _ = state.handle(.message(gone), at: noon)
            #expect(works(try state.press(keys.1)).isEmpty, "\(keys)")
            let text = state.message?.text ?? ""
            #expect(text.contains("is already deleted. Nothing was changed."), "\(keys): \(text)")
        }
        var state = AppState.showing(30)
        try state.press("y")
        _ = state.handle(.message(gone), at: noon)
        guard case .gather([29], _, _)? = try state.press("u").last else {
            Issue.record("another clip is copied")
            return
        }
        // A clip that only moved is found.
        state = AppState.showing(30)
        try state.press(":")
        let below = row(29).inserted(after: row(10))
        _ = state.handle(
            .message(
                .changes([LiveList.Change(id: 29, old: row(29).position, new: below)], generation: 0)),
            at: noon)
        guard case .delete([29], _)? = works(try state.press("delete<Enter>")).first else {
            Issue.record("the clip was lost")
            return
        }
    }

    @Test func `the URLs of marked clips are opened together`() throws {
        var state = AppState.showing(30)
        let layout = StoredObject.Layout(names: ["url"])
        let clips = (0..<20 as Range<Int64>).map { id in
            Clip(
                StoredObject(
                    id: ClipModel.objectID(id), version: 1, layout: layout,
                    values: [.text("https://a.example/\(id)")]))
        }
        let effects = state.answer(.gather([], state.list.query.sort, .open(.browser)), clips)
        guard case .open(let urls, _)? = effects.first else {
            Issue.record("not opened")
            return
        }
        #expect(urls.count == 20)
    }
}
