import ClipsCore
import Foundation
import HistoryTracking
import LiveQuery
import PersistentStore
import Terminal
import Testing

@testable import ClipsTerminal

@Suite struct ScreenTests {
    private static func clip(_ title: String, note: String = "", text: String, version: Int64 = 1) -> Clip {
        let layout = StoredObject.Layout(names: ["title", "note", "text"])
        return Clip(
            StoredObject(
                id: ClipModel.objectID(29), version: version, layout: layout,
                values: [.text(title), .text(note), .text(text)]))
    }

    @Test(arguments: [Size(rows: 24, columns: 80), Size(rows: 60, columns: 200), Size(rows: 12, columns: 40)])
    func `both versions of a conflict are visible, by paging on a small screen`(size: Size) throws {
        var state = AppState.showing(30, size)
        let text = (1...30).map { "line \($0)\n" }.joined()
        let base = Self.clip("Base", text: text)
        let theirs = Self.clip(
            "Theirs", text: text.replacingOccurrences(of: "line 20", with: "THEIRS 20"), version: 2)
        let mine = text.replacingOccurrences(of: "line 20", with: "MINE 20")
        let work = Work.edit(
            base, [.title: .text("Mine"), .text: .text(mine)], "edited", form: "/nowhere/form")
        state.answer(.work(work), Work.Outcome.conflict(theirs))
        #expect(state.lines[0].contains("Changed during the edit"))
        var seen = ""
        for _ in 0..<8 {
            seen += state.lines.joined(separator: "\n")
            try state.press("<PgDn>")
        }
        for words in ["yours   Mine", "theirs  Theirs", "MINE 20", "THEIRS 20", "mine: the clip"] {
            #expect(seen.contains(words), "\(words)")
        }
        guard
            case .work(.edit(let stored, let changes, _, form: "/nowhere/form"))? = try state.press("b").last
        else {
            Issue.record("nothing saved")
            return
        }
        #expect(stored.version == 2 && changes == [.title: .text("Mine"), .text: .text(mine)])
        // Another conflict asks again.
        state.answer(
            .work(.edit(stored, changes, "edited", form: "/nowhere/form")),
            Work.Outcome.conflict(Self.clip("Third", text: text, version: 3)))
        #expect(state.screen == .conflict && state.lines.joined().contains("Third"))
        #expect(try state.press("<Esc>").isEmpty)
        #expect(state.message?.text.contains("/nowhere/form") == true && state.screen == .list)
    }

    @Test func `a clip that was deleted during the edit is restored, left deleted, or decided later`() throws
    {
        var state = AppState.showing(30)
        let work = Work.edit(
            Self.clip("Base", text: ""), [.title: .text("Mine")], "edited", form: "/nowhere/form")
        state.answer(.work(work), Work.Outcome.conflict(nil))
        let seen = state.lines.joined(separator: "\n")
        #expect(seen.contains("Deleted during the edit") && !seen.contains("both"), "\(seen)")
        #expect(state.menu?.items.map(\.key) == ["m", "t", "l"])
        #expect(seen.contains("mine: restore the clip") && seen.contains("theirs: leave the clip deleted"))
        guard case .work(.recreate(_, let form, _))? = try state.press("m").last else {
            Issue.record("nothing saved")
            return
        }
        #expect(form[.title] == "Mine")
    }

    @Test func `both versions of a text are shown from the same line, even if one is unchanged`() {
        var state = AppState.showing(30)
        let base = Self.clip("Base", text: "one\ntwo\nthree")
        let theirs = Self.clip("Theirs", text: "one\ntwo\nthree", version: 2)
        let work = Work.edit(
            base, [.title: .text("Mine"), .text: .text("one\nMINE\nthree")], "edited", form: nil)
        state.answer(.work(work), Work.Outcome.conflict(theirs))
        let seen = state.lines.joined(separator: "\n")
        #expect(seen.contains("yours   … MINE") && seen.contains("theirs  … two"), "\(seen)")
    }

    @Test func `an open conflict follows the store`() throws {
        var state = AppState.showing(30)
        let work = Work.edit(Self.clip("Base", text: ""), [.title: .text("Mine")], "edited", form: nil)
        state.answer(.work(work), Work.Outcome.conflict(nil))
        #expect(state.menu?.items.map(\.key) == ["m", "t", "l"])
        func reread(_ message: LiveMessage<ClipRow>, _ clip: Clip?) throws {
            let reading = state.take(message).first {
                if case .loadForConflict(29) = $0 { true } else { false }
            }
            state.answer(try #require(reading), clip as Any)
        }
        #expect(
            !state.take(.transactions([transaction(1, inserting: [5])])).contains {
                if case .loadForConflict = $0 { true } else { false }
            })
        try reread(
            .transactions([transaction(2, inserting: [29])]), Self.clip("Theirs", text: "", version: 4))
        var seen = state.lines.joined(separator: "\n")
        #expect(seen.contains("Changed during the edit") && seen.contains("theirs  Theirs"), "\(seen)")
        #expect(state.menu?.items.map(\.key) == ["b", "m", "t", "e", "l"])
        try reread(.transactions([transaction(3, deleting: [29])]), nil)
        seen = state.lines.joined(separator: "\n")
        #expect(seen.contains("Deleted during the edit") && state.menu?.items.count == 3, "\(seen)")
        try reread(window(0..<30), Self.clip("Again", text: "", version: 9))
        guard case .work(.edit(let stored, _, _, _))? = try state.press("m").last else {
            Issue.record("nothing saved")
            return
        }
        #expect(stored.version == 9)
    }

    @Test func `consumers are refreshed only while they are shown`() throws {
        var state = AppState.showing(3)
        guard case .loadConsumers? = try state.press("C").last else {
            Issue.record("not requested")
            return
        }
        #expect(state.consumers.refreshDue == nil)
        state.consumers.refreshDue = noon + 2
        #expect(state.nextDeadline == noon + 2)
        #expect(state.handle(.tick, at: noon + 1.9).isEmpty)
        guard case .loadConsumers? = state.handle(.tick, at: noon + 2).last else {
            Issue.record("not requested again")
            return
        }
        #expect(state.handle(.tick, at: noon + 9).isEmpty)
        state.consumers.refreshDue = noon + 2
        try state.press("<Esc><Esc>")
        #expect(state.handle(.tick, at: noon + 9).isEmpty)
    }

    @Test func `the state of the index is next to that of the store`() {
        var state = AppState.showing(3)
        state.sync.indexing = "search index 40%"
        #expect(state.statusLine.contains("live · search index 40%"))
    }

    @Test func `a paused list is not called live, and a failed write does not end live`() throws {
        var state = AppState.showing(3)
        let busy = StoreError.busy(path: "/srv/c.db", holder: "sqlite3", milliseconds: 5000)
        state.take(.state(.failing(.store(busy))))
        #expect(state.statusLine.contains("live, but the store is not writable"))
        #expect(!state.statusLine.contains("not live"))
        state.take(.state(.failing(.store(.damaged(path: "/srv/c.db", reason: "page 2")))))
        #expect(state.statusLine.contains("not live"))
        state.take(.state(.live))
        try state.press("p")
        #expect(state.statusLine.contains("paused") && !state.statusLine.contains("live"))
    }

    @Test func `an invalid value in a filter is reported next to the result`() throws {
        var state = AppState.showing(3, Size(rows: 24, columns: 160))
        try state.press("/is:")
        #expect(!state.lines.joined().contains("Unknown"))
        try state.press("foo")
        #expect(state.lines.last?.contains("Unknown field value 'is:foo'. Use is:starred") == true)
        _ = state.handle(.message(windowOf(0, generation: state.list.feed.generation)), at: noon)
        try state.press("<Enter>")
        #expect(state.statusLine.contains("Unknown field value 'is:foo'"))
        try state.press("<Esc>/after:2026-1")
        #expect(!state.lines.joined().contains("Unknown"))
        _ = state.handle(.message(windowOf(3, generation: state.list.feed.generation)), at: noon)
        try state.press("<Enter>")
        // The accepted filter is complete, although it is not a date.
        #expect(state.statusLine.contains("/after:2026-1"))
        state = AppState.showing(3, Size(rows: 24, columns: 160))
        try state.press("/after:nonsense")
        #expect(state.lines.last?.contains("Unknown date 'after:nonsense'.") == true)
    }

    @Test func `Tab completes a filter and shows its matches, and Enter accepts it`() throws {
        var state = AppState.showing(3)
        try state.press("/tag:gra")
        state.answer(.loadNames, KnownNames(tags: ["graphql"], authors: []))
        let effects = try state.press("<Tab>")
        guard case .show(let query, _, _)? = effects.last else {
            Issue.record("nothing is shown")
            return
        }
        #expect(query.filter == "tag:graphql")
        try state.press("<Enter>")
        #expect(state.list.query.filter == "tag:graphql" && state.list.lastWords == "tag:graphql")
    }

    @Test func `an unknown author is shown in one form`() {
        let nameless = row(1, author: "")
        var state = AppState(size: Size(rows: 24, columns: 119), now: noon)
        state.reader.isZoomed = true
        state.take(
            .window(
                LiveList.Window(
                    rows: [nameless], lowerIndex: 0, count: 1, reachesStart: true, reachesEnd: true),
                generation: 0))
        #expect(state.lines[1].contains(" other"))
        _ = state.handle(.resized(Size(rows: 24, columns: 180)), at: noon)
        #expect(state.lines[1].contains(AuthorName.unknown))
    }

    @Test func `zoom shows the pane with the keys on the whole screen`() throws {
        var state = AppState.showing(30, Size(rows: 40, columns: 160))
        #expect(state.layout.arrangement == .beside)
        try state.press("z")
        #expect(state.layout.arrangement == .listOnly)
        try state.press("<Enter>")
        #expect(state.layout.arrangement == .detailOnly)
        try state.press("<Esc>")
        #expect(state.layout.arrangement == .listOnly)
        try state.press("<Esc>")
        #expect(state.layout.arrangement == .beside)
    }

    @Test func `the words of the filter are highlighted in titles and texts`() throws {
        var state = AppState.showing(3)
        try state.press("/clip 1<Enter>")
        _ = state.handle(.message(windowOf(3, generation: state.list.feed.generation)), at: noon)
        let runs = state.draw().runs(row: 2)
        #expect(runs.contains { $0.text == "Clip" && $0.style == state.theme[.match] })
        #expect(runs.contains { $0.text.hasPrefix("1") && $0.style == state.theme[.match] })
    }

    private func windowOf(_ count: Int64, generation: Int) -> LiveMessage<ClipRow> {
        let rows = (0..<count).reversed().map { row($0) }
        return .window(
            LiveList.Window(
                rows: rows, lowerIndex: 0, count: rows.count, reachesStart: true, reachesEnd: true),
            generation: generation)
    }

    @Test func `n scrolls to the next line that contains the words`() throws {
        var state = AppState.showing(30)
        let text = (1...200).map { "row \($0) \($0 % 50 == 0 ? "needle" : "")\n" }.joined()
        try state.press("/needle<Enter><Enter>")
        _ = state.handle(.message(windowOf(30, generation: state.list.feed.generation)), at: noon)
        state.reader.select(29)
        state.answer(.loadClip(29), Self.clip("T", text: text))
        state.reader.hasFocus = true
        var places: [String] = []
        for _ in 0..<3 {
            try state.press("n")
            places.append(String(state.lines[0].dropFirst().prefix(7)))
        }
        #expect(places == ["row 50 ", "row 100", "row 150"])
        try state.press("N")
        #expect(state.lines[0].hasPrefix(" row 100"))
    }
}
