import ClipsCore
import FoundationEssentials
import HistoryTracking
import LiveQuery
import Terminal
import TestSupport
import Testing

@testable import ClipsTerminal

/// The list and the status line while other programs write.
@Suite(.serialized) struct OtherProgramTests {
    @Test(arguments: [1, 40]) func `the cursor stays at the top until the user moves or acts on a clip`(
        count: Int64
    ) throws {
        let moved = ["F", "jk", "g", "*", "o"].map { ($0, Int(count)) }
        for (keys, index) in ["", "?q", "FF"].map({ ($0, 0) }) + moved {
            var state = AppState.showing(3)
            try state.press(keys)
            state.take(arrival(Array(3..<3 + count)), .transactions([transaction(1, inserting: [3])]))
            #expect(state.list.clips.selectedIndex == index, "\(keys)")
        }
        // Also in a filtered list whose newest come first.
        var state = AppState.showing(3)
        try state.press("/alpha<Enter>")
        state.take(window((0..<2).reversed(), generation: state.list.feed.generation))
        let generation = state.list.feed.generation
        for ids in [[3], Array(4..<4 + count)] as [[Int64]] {
            let changes = ids.map { LiveList<ClipRow>.Change(id: $0, old: nil, new: row($0)) }
            state.take(.changes(changes, generation: generation))
            #expect(state.list.clips.selectedIndex == 0)
        }
    }

    @Test func `the cursor stays at the top after a filter that was given up`() throws {
        var state = AppState.showing(3)
        try state.press("/clip 1")
        state.take(window([1], generation: state.list.feed.generation))
        try state.press("<Esc>")
        state.take(window((0..<3).reversed(), generation: state.list.feed.generation))
        let added = (3..<5).map { LiveList<ClipRow>.Change(id: $0, old: nil, new: row($0)) }
        state.take(.changes(added, generation: state.list.feed.generation))
        #expect(state.list.clips.selectedIndex == 0)
    }

    @Test func `a commit that is too large to be reported is announced`() throws {
        var state = AppState.showing(30)
        state.take(.transactions([transaction(1, inserting: [500])]))
        let effects = state.take(window(0..<30))
        let reading = try #require(effects.first { if case .loadNewest = $0 { true } else { false } })
        // Nothing newer.
        @discardableResult
        func newest(_ transaction: TransactionSummary, isWhole: Bool = true) -> [Effect] {
            state.answer(reading, ([transaction], isWhole: isWhole))
        }
        newest(transaction(1))
        #expect(state.statusLine.contains("extension saved"))
        newest(transaction(2, inserting: [600], author: "cli"))
        #expect(state.statusLine.contains("cli saved 1 clip"), "\(state.statusLine)")
        // The changes that were not read may be others.
        for (number, areAlike, sentence) in [
            (3, true, "saved 3,000 clips"), (4, false, "saved 2,999, changed 1"),
        ] {
            let part = transaction(Int64(number), inserting: [600], author: "cli")
            let effects = newest(part, isWhole: false)
            #expect(state.statusLine.contains("cli changed … clips"), "\(state.statusLine)")
            let counting = try #require(effects.first { if case .countStep = $0 { true } else { false } })
            let (inserted, updated) = areAlike ? (3000, 0) : (2999, 1)
            state.answer(
                counting,
                StepCounts(
                    inserted: inserted, updated: updated, deleted: 0, areAlike: areAlike, end: Int64(number)))
            #expect(state.statusLine.contains("cli \(sentence)"), "\(state.statusLine)")
        }
        newest(external(5, inserting: 601))
        #expect(state.statusLine.contains("another program saved 1 clip"), "\(state.statusLine)")
        newest(external(9, inserting: 602), isWhole: false)
        #expect(state.statusLine.contains("another program saved 2+ clips"), "\(state.statusLine)")
        state.take(.transactions([transaction(10, inserting: [501])]))
        #expect(state.statusLine.contains("extension saved"))
    }

    @Test func `a clip that another program saves and deletes counts once, as deleted`() throws {
        var state = AppState.showing(30)
        func external(_ number: Int64, inserting: [Int64] = [], deleting: [Int64] = []) {
            state.take(
                .transactions([
                    transaction(number, inserting: inserting, deleting: deleting, author: nil)
                ]))
        }
        for clip in [600, 601] as [Int64] { external(clip, inserting: [clip]) }
        #expect(state.statusLine.contains("another program saved 2 clips"), "\(state.statusLine)")
        external(602, deleting: [601])
        #expect(state.statusLine.contains("another program saved 1, deleted 1 clip"), "\(state.statusLine)")
        external(603, deleting: [600])
        #expect(state.statusLine.contains("another program deleted 2 clips"), "\(state.statusLine)")
    }

    @Test func `commits of another program before the start are announced as later ones are`() throws {
        func line(_ transactions: [TransactionSummary], hasMore: Bool = false) throws -> String {
            var state = AppState(size: Size(rows: 24, columns: 120), now: noon, config: ConfigFile())
            let effects = state.take(.state(.live), window((0..<30).reversed()))
            let reading = try #require(effects.first { if case .loadNewest = $0 { true } else { false } })
            state.answer(reading, (transactions, isWhole: !hasMore))
            return state.statusLine
        }
        let deletions = (1...4).map { transaction($0, deleting: [100 + $0], author: nil) }
        #expect(try line(deletions).contains("another program deleted 4 clips"))
        #expect(try line(deletions, hasMore: true).contains("another program deleted 4+ clips"))
        #expect(try line([deletions[3]]).contains("another program deleted “Clip 104”"))
        let one = [ClipAttribute.starred, .archived].enumerated().map { update(1 + Int64($0), of: 7, [$1]) }
        #expect(try line(one).contains("another program changed 1 clip: starred, archived"))
    }

    @Test func `commits of another program are announced after a start, and one row with their values`()
        async throws
    {
        @Sendable func open(
            after sql: String, columns: Int = 120,
            _ body: @escaping @Sendable (inout RunningApp) throws -> Void
        ) async throws {
            let folder = try TemporaryFolder()
            let path = folder.path(of: "clips.db")
            try await RunningApp.open(clips: 5, at: path) { _ in }
            _ = try Shell.run("sqlite3", [path, sql])
            try await RunningApp.open(size: Size(rows: 30, columns: columns), at: path, body)
        }
        try await open(after: "DELETE FROM Clip WHERE id = 1; DELETE FROM Clip WHERE id = 2") {
            try $0.run(":wait text=another program deleted 2 clips")
        }
        try await open(after: "UPDATE Clip SET starred = 1 WHERE id IN (3, 4)") {
            try $0.run(":wait text=another program starred 2 clips")
        }
        // A sentence without room names the clip.
        let long = "UPDATE Clip SET text = 'abc', title = 'J uno', starred = 1 WHERE id = 5"
        try await open(after: long, columns: 80) {
            try $0.run(":wait text=another program changed “J uno”, ")
        }
        let word =
            "INSERT INTO Clip (title) VALUES ('https://a.example/\(String(repeating: "x", count: 90))')"
        try await open(after: word, columns: 80) {
            try $0.run(":wait text=another program saved “https://a.ex")
        }
        let changes = ["tags = 'a,b'", "starred = 1", "tags = 'b'"]
        try await open(after: changes.map { "UPDATE Clip SET \($0) WHERE id = 5;" }.joined()) { app in
            try app.run(":wait text=another program changed “Clip 4”: tags +b, starred")
            try app.run("H\n:wait text=tags: (empty) → “a,b”")
            let row = app.lines[1].split(separator: " ").joined(separator: " ")
            #expect(row.hasPrefix("~ Clip 4 tags +b, starred another program"), "\(row)")
            for words in ["starred: no → yes", "tags: “a,b” → “b”", "clip 5 tags -a: Clip 4"] {
                #expect(app.lines.contains { $0.contains(words) }, "\(words)")
            }
        }
    }

    @Test func `a clip without title and URL has the first line of its text everywhere`() async throws {
        try await RunningApp.open(size: Size(rows: 24, columns: 90), clips: 2) { app in
            let texts = ["Only a text' || char(10) || 'more", "Another one"]
            let inserts = texts.map { "INSERT INTO Clip (text) VALUES ('\($0)');" }
            // A row ends at a pause, so both are of one commit.
            _ = try Shell.run("sqlite3", [app.path, "BEGIN IMMEDIATE; \(inserts.joined()) COMMIT;"])
            try app.run(":wait count=4\n:wait text=• Only a text\n:wait text=• Another one")
            try app.run(":wait text=another program saved \n*\n:wait text=Starred “Another one”")
            try app.run("H\n:wait text=+ Another one  and 1 more\n:wait text=~ Another one  starred")
            let update = "UPDATE Clip SET text = 'New' WHERE text = 'Another one'"
            _ = try Shell.run("sqlite3", [app.path, update])
            try app.run(":wait text=~ New  text changed\n<Esc>\n:wait text=★New")
            #expect(!app.lines.contains { $0.contains("(untitled)") })
        }
    }

    @Test func `a key in a paused list changes no clip that has the ID of one on the screen`() async throws {
        try await RunningApp.open(clips: 3) { app in
            try app.run(":wait count=3\np")
            let id = try #require(app.state.list.clips.selectedID)
            let replace =
                "DELETE FROM Clip WHERE id = \(id); INSERT INTO Clip (id, title) VALUES (\(id), 'New');"
            #expect(try Shell.run("sqlite3", [app.path, replace]).errors == "")
            #expect(app.wait { $0.list.pause?.saved.contains(id) == true })
            for key in ["d", "*", "x"] {
                try app.run("\(key)\n:wait text=“Clip 2” is already deleted. Nothing was changed.\n<Esc>")
            }
            #expect(try app.other { try await $0.clip(id) }.title == "New")
        }
    }

    @Test func `a message has the present title, and that of the only one of several`() async throws {
        try await RunningApp.open(clips: 4) { app in
            try app.run(":wait count=4\np")
            let ids = app.state.list.clips.rows.map(\.id)
            let change =
                "UPDATE Clip SET title = 'Renamed' WHERE id = \(ids[0]); DELETE FROM Clip WHERE id = \(ids[2]);"
            #expect(try Shell.run("sqlite3", [app.path, change]).errors == "")
            #expect(app.wait { !$0.list.isCurrent })
            try app.run(
                "j2d\n:wait text=Deleted “Clip 2” · u to undo\nu\n:wait text=Undone: deleted “Clip 2”")
            try app.run("gg*\n:wait text=Starred “Renamed” · u to undo")
        }
    }

    @Test func `a clip that another process deleted is named, whichever key was meant for it`() throws {
        for keys in ["yu", "o", "!true<Enter>"] {
            var state = AppState.showing(3)
            let effects = try state.press(keys)
            state.take(
                .transactions([transaction(1, deleting: [2], title: "Clip 2")]),
                .changes([.init(id: 2, old: row(2).position, new: nil)], generation: 0))
            for case .gather(let ids, _, let purpose) in effects {
                state.answer(.gather(ids, nil, purpose), [Clip]())
            }
            let isAnswered = !effects.contains { if case .open = $0 { true } else { false } }
            #expect(
                !isAnswered || state.statusLine.contains("“Clip 2” is already deleted. Nothing was changed."),
                "\(keys): \(state.statusLine)")
        }
        var state = AppState.showing(3)
        try state.press(":")
        state.take(
            .transactions([transaction(1, deleting: [2], title: "Clip 2")]),
            .changes([.init(id: 2, old: row(2).position, new: nil)], generation: 0))
        try state.press("star<Enter>")
        #expect(state.statusLine.contains("“Clip 2” is already deleted. Nothing was changed."))
    }

    @Test(arguments: ["t", "<Space>Gt", "<Space>G<Space>kt"])
    func `tags are not for a clip that another program inserted under the ID of a deleted one`(
        keys: String
    ) async throws {
        try await RunningApp.open(clips: 2) { app in
            try app.run(":wait count=2")
            let id = try #require(app.state.list.clips.selectedID)
            try app.run(keys)
            let insert = "INSERT INTO Clip (id, title, created) VALUES (\(id), 'Another', 1.0)"
            _ = try Shell.run("sqlite3", [app.path, "DELETE FROM Clip WHERE id = \(id)"])
            _ = try Shell.run("sqlite3", [app.path, insert])
            #expect(app.wait { $0.list.clips.rows.contains { $0.title == "Another" } })
            let isAlone = !keys.hasSuffix("kt")
            let message = isAlone ? "“Clip 1” is already deleted. Nothing was" : "Tagged"
            try app.run("new<Enter>\n:wait text=\(message)\n:wait idle")
            #expect(app.state.list.clips.rows.first { $0.id == id }?.tags.isEmpty == true)
        }
    }

    @Test func `a menu about a deleted clip remains until a key, which does nothing else`() throws {
        var state = AppState.showing(3)
        try state.press("y")
        #expect(state.menu?.clips == [2])
        let effects = state.take(
            .transactions([transaction(1, deleting: [2], title: "Clip 2")]),
            .changes([.init(id: 2, old: row(2).position, new: nil)], generation: 0))
        for case .findHidden(let ids, let query) in effects {
            state.answer(.findHidden(ids, query), (hidden: Set<Int64>(), deleted: ids))
        }
        #expect(state.lines.contains { $0.contains("“Clip 2” is already deleted. Nothing was changed.") })
        #expect(try state.press("x").isEmpty && state.menu == nil)
    }

    @Test func `a toggle of marked clips follows the list that the user saw`() throws {
        func toggled(_ effects: [Effect]) -> [Bool?] {
            effects.compactMap { effect in
                if case .work(.toggle(_, let value, _, _)) = effect { .some(value) } else { nil }
            }
        }
        var state = AppState.showing(5)
        try state.press("vjj")
        // Another process archives them.
        state.take(
            .changes([4, 3, 2].map { .init(id: $0, old: row($0).position, new: nil) }, generation: 0),
            .transactions((2...4).map { update($0, of: $0, [.archived]) }))
        #expect(state.list.clips.count == 2 && state.list.marks.all == [4, 3, 2])
        #expect(toggled(try state.press("x")) == [true])
        state = AppState.showing(6)
        // Only clip 5 is starred.
        try state.press("<Space><Space>")
        #expect(toggled(try state.press("*")) == [true])
        state = AppState.showing(6)
        try state.press("<Space>")
        #expect(toggled(try state.press("*")) == [false])
    }

    @Test(arguments: 30...130) func `a commit does not take the room of the filter`(columns: Int) throws {
        var state = AppState.showing(3, Size(rows: 24, columns: columns))
        try state.press("/title:kernel tag:linux unread<Enter>")
        state.take(window((0..<3).reversed(), generation: state.list.feed.generation))
        let before = state.statusLine
        #expect(before.contains("/title:kernel"), "\(before)")
        let title = "A title that is much longer than the room for it in the status line"
        state.take(.transactions([transaction(1, deleting: [7], author: "extension", title: title)]))
        #expect(state.statusLine.contains("/title:kernel"), "\(state.statusLine)")
        let words = columns < 84 ? "deleted “A" : "extension deleted"
        #expect(columns < 80 || state.statusLine.contains(words), "\(state.statusLine)")
    }

    @Test func `several statements of another program in a second are named one by one`() throws {
        var state = AppState.showing(3)
        for (number, time, words) in [(10, 0.0, "saved 1"), (11, 0.01, "saved 2"), (12, 0.1, "saved 1")] {
            let commit = transaction(
                Int64(number), inserting: [Int64(90 + number)], author: nil,
                at: noon.addingTimeInterval(time))
            state.take(.transactions([commit]), at: noon.addingTimeInterval(time))
            #expect(state.statusLine.contains("another program \(words)"), "\(state.statusLine)")
        }
    }

    @Test func `a save that fails while the store is held hides no later one, nor its undo`() throws {
        var state = AppState.showing(3)
        let works = try state.press("*jdu").compactMap { if case .work(let work) = $0 { work } else { nil } }
        #expect(works.count == 2 && works[0].failure == "Not saved: starred or unstarred “Clip 2”. ")
        state.answer(
            .work(works[0]), Work.Outcome.failed("\(works[0].failure)The store was locked."), at: noon)
        #expect(state.message?.text.hasPrefix("Not saved: starred or unstarred “Clip 2”. The") == true)
        let done = Work.Outcome.done(token: transaction(1).token, clips: [])
        let effects = state.answer(.work(works[1]), done, at: noon)
        #expect(effects.contains { if case .work(.revert(_, .undo, _)) = $0 { true } else { false } })
        #expect(
            try #require(state.message?.text).hasPrefix("Deleted “Clip 1” · u to undo · Not saved: starred"))
    }
}
