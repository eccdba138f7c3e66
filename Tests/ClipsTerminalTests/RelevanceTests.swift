import ClipsCore
import Foundation
import LiveQuery
import PersistentStore
import SearchIndex
import Terminal
import TestSupport
import Testing

@testable import ClipsTerminal

@Suite(.serialized) struct RelevanceTests {
    private static func draft(_ title: String, _ text: String = "", tags: [String] = []) -> ClipDraft {
        var draft = RunningApp.draft(title)
        (draft.text, draft.tags) = (text, tags)
        return draft
    }

    /// Opens the app on clips of which the older ones match “vim” better.
    private static func open(_ body: @escaping @Sendable (inout RunningApp) throws -> Void) async throws {
        try await RunningApp.open { app in
            try app.other("seed") { store in
                for draft in [
                    Self.draft("Vim"), Self.draft("Learning vim"),
                    Self.draft("An editor", "It resembles vim in some respects, such as modes."),
                    Self.draft("Neovimmers"), Self.draft("Something else", "nothing to see"),
                ] { _ = try await store.add([draft]) }
            }
            try app.run(":wait count=5")
            try body(&app)
        }
    }

    private static func titles(_ app: borrowing RunningApp) -> [String] {
        app.state.list.clips.rows.map(\.title)
    }

    @Test(arguments: ["", "set relevance off"])
    func `more words leave the cursor on the clip on which the user put it, far down, too`(
        config: String
    ) async throws {
        try await RunningApp.open(config: config, clips: 2500) { app in
            try app.run("/clip<Enter>\n:wait count=2500\n1500G\n:wait idle\n:wait text=1,500/2,500")
            let clip = try #require(app.state.list.clips.selectedRow)
            try app.run("/c\n:wait idle")
            #expect(app.wait { $0.list.isSettled && $0.list.clips.selectedID == clip.id })
            try app.run("<C-u>\(clip.title.lowercased())\n:wait idle")
            #expect(app.wait { $0.list.isSettled && $0.list.clips.selectedID == clip.id })
            // A clip that does not match is left.
            try app.run("<C-u>clip 7\n:wait idle")
            #expect(app.wait { $0.list.isSettled && $0.list.clips.selectedIndex == 0 })
        }
    }

    @Test func `a word that is typed before the index is ready selects the first match, too`() throws {
        var state = AppState.showing(30)
        _ = state.handle(.message(.indexing(.building(done: 1, total: 30), wasBehind: true)), at: noon)
        try state.press("jjj/clip")
        let effects = state.handle(.message(.indexing(.ready, wasBehind: true)), at: noon)
        #expect(effects.contains { if case .show = $0 { true } else { false } })
        state.take(window((0..<30).reversed(), generation: state.list.feed.generation))
        #expect(state.list.clips.selectedIndex == 0)
    }

    @Test func `matches are by relevance once the index can rank them`() throws {
        var state = AppState.showing(30)
        try state.press("/clip<Enter>")
        let generation = state.list.feed.generation
        let deviation = SearchDeviation(isUnranked: true)
        _ = state.handle(.message(.deviates(deviation, generation: generation)), at: noon)
        state.take(window((0..<30).reversed(), generation: generation))
        #expect(!state.statusLine.contains("by relevance"), "\(state.statusLine)")
        let effects = state.handle(.message(.indexing(.ready, wasBehind: false)), at: noon)
        #expect(effects.contains { if case .show = $0 { true } else { false } })
        state.take(window((0..<30).reversed(), generation: state.list.feed.generation))
        #expect(state.statusLine.contains("by relevance"), "\(state.statusLine)")
    }

    @Test func `a filter of words shows the best matches first, and selects the first`() async throws {
        try await Self.open { app in
            try app.run("/vim\n:wait count=4\n:wait text=vim in some")
            #expect(Self.titles(app) == ["Vim", "Learning vim", "An editor", "Neovimmers"])
            #expect(app.state.list.clips.selectedIndex == 0)
            #expect(app.lines.contains { $0.contains("An editor") && $0.contains("vim in some") })
            // The cursor stays where the user put it.
            try app.run("<C-n><C-n> editor\n:wait count=1\n<Backspace><Backspace>\n:wait count=1")
            #expect(app.state.list.clips.selectedRow?.title == "An editor")
            try app.run("<Enter>\n:wait text=by relevance\n<Esc>\n:wait count=5")
            #expect(Self.titles(app).first == "Something else")
        }
    }

    @Test func `the beginning of a word in a long title is above those in short texts`() async throws {
        try await RunningApp.open { app in
            try app.other("seed") { store in
                let title = "A long title about editors and their languages, among them vimscript"
                let others = (1...3).map { Self.draft("Other \($0)", "words before vimscript and after") }
                _ = try await store.add([Self.draft(title)] + others)
            }
            try app.run("/vims<Enter>\n:wait text=by relevance\n:wait count=4")
            #expect(Self.titles(app).first?.hasPrefix("A long title") == true, "\(Self.titles(app))")
        }
    }

    @Test func `a new match comes with those that match as well, and edits move nothing`() async throws {
        try await Self.open { app in
            // Each of the typed letters has four matches.
            try app.run("/vim<Enter>\n:wait count=4\n:wait idle\njj")
            let id = try #require(app.state.list.clips.selectedID)
            _ = try app.other { try await $0.add([Self.draft("More about vim")]) }
            try app.run(":wait count=5")
            // It follows those that match as well, unless the index took so long that all were ranked again.
            let titles = Self.titles(app)
            #expect(
                titles.filter { $0 != "More about vim" } == [
                    "Vim", "Learning vim", "An editor", "Neovimmers",
                ])
            #expect(titles.firstIndex(of: "More about vim").map { $0 <= 2 } == true)
            _ = try app.other { try await $0.update(id, [.starred: .boolean(true)]) }
            #expect(app.wait { $0.list.clips.selectedRow?.isStarred == true })
            #expect(app.state.list.clips.selectedID == id && app.state.list.clips.selectedIndex == 3)
            _ = try app.other { try await $0.update(id, [.text: .text("modes")]) }
            try app.run(":wait count=4")
            #expect(!Self.titles(app).contains("An editor"))
        }
    }

    @Test func `a clip moves to the rank of its new title, and the cursor stays on its own`() async throws {
        try await RunningApp.open { app in
            try app.other("seed") { store in
                let others = (1...3).map { Self.draft("Number \($0) of a list about vim") }
                _ = try await store.add([Self.draft("Tagged", tags: ["vim"])] + others)
            }
            try app.run(":wait count=4\n/vim<Enter>\n:wait count=4\n:wait idle\nj")
            #expect(Self.titles(app).last == "Tagged")
            let id = try #require(app.state.list.clips.selectedID)
            for (title, index) in [("More of vim", 0), ("Tagged", 3)] {
                let update = "UPDATE Clip SET title = '\(title)' WHERE tags = 'vim'"
                #expect(try Shell.run("sqlite3", [app.path, update]).errors == "")
                try app.run(":wait idle")
                #expect(app.wait { $0.list.clips.rows.firstIndex { $0.title == title } == index })
                #expect(app.state.list.clips.selectedID == id)
            }
        }
    }

    @Test func `a row shows the tag of a condition for which its column has no room`() async throws {
        try await RunningApp.open { app in
            let tags = (0..<6).map { "a\($0)" } + ["zeta"]
            try app.other("seed") { store in _ = try await store.add([Self.draft("Row 5", tags: tags)]) }
            try app.run(":wait count=1\n/row tag:zeta<Enter>\n:wait count=1\n:wait text=Row 5  #zeta")
        }
    }

    @Test func `Esc returns to the clip though many better matches arrived`() async throws {
        try await RunningApp.open { app in
            try app.other("seed") { store in
                _ = try await store.add(
                    (1...9).map { Self.draft("Number \($0)", "words about vim and then some about linux") })
            }
            try app.run(":wait count=9\n/vim<Enter>\n:wait count=9\n:wait idle\njj")
            let id = try #require(app.state.list.clips.selectedID)
            try app.run("/ linux\n:wait count=9\n:wait idle")
            _ = try app.other { store in
                try await store.add((1...1200).map { Self.draft("More \($0)", "vim linux") })
            }
            try app.run(":wait count=1209\n:wait idle\n<Esc>\n:wait count=1209\n:wait idle")
            #expect(app.wait { $0.list.isSettled && $0.list.clips.selectedID == id })
        }
    }

    @Test(arguments: ["vim", "vmi"])
    func `Esc returns to the place of a clip that was deleted, and to one of similar words`(
        words: String
    ) async throws {
        try await RunningApp.open { app in
            try app.other("seed") { store in
                _ = try await store.add((1...400).map { Self.draft("Number \($0)", "about vim and linux") })
            }
            try app.run(":wait count=400\n/\(words)<Enter>\n:wait count=400\n:wait idle\n300G\n:wait idle")
            let id = try #require(app.state.list.clips.selectedID)
            try app.run("/ linux\n:wait count=400\n:wait idle\n<C-n>")
            if words == "vim" { _ = try app.other { try await $0.delete([id]) } }
            try app.run("<Esc>\n:wait idle\n:wait text=/\(words) ")
            #expect(app.wait { $0.list.isSettled && abs($0.list.clips.selectedIndex - 299) <= 1 })
            #expect(words == "vim" || app.state.list.clips.selectedID == id)
        }
    }

    @Test func `each match is in the list once, and ranges are those on the screen`() async throws {
        try await RunningApp.open { app in
            try app.other("seed") { store in
                // The shorter texts match better, in another order than that of the IDs.
                let drafts = (0..<500).map {
                    Self.draft("Number \($0)", "vim" + String(repeating: " word", count: $0 * 37 % 500))
                }
                _ = try await store.add(drafts)
            }
            try app.run(":wait count=500\n/vim<Enter>\n:wait count=500\n:wait idle")
            var found: [Int64: SortPosition] = [:]
            for _ in 0..<30 {
                for row in app.state.list.clips.rows { found[row.id] = row.position }
                try app.run("<C-f>\n:wait idle")
            }
            #expect(found.count == 500)
            try app.run("gg\n:wait idle\nv5j\n:wait idle")
            let shown = app.state.list.clips.rows.prefix(6).map(\.id)
            #expect(app.state.list.marks.all == Set(shown))
        }
    }

    @Test func `s offers relevance, and another order lasts for the next filters`() async throws {
        try await Self.open { app in
            try app.run("s\n:wait text=time saved")
            #expect(!app.lines.contains { $0.contains("relevance") })
            try app.run("<Esc>/vim<Enter>\n:wait count=4\ns\n:wait text=relevance ↓\nc\n:wait idle")
            #expect(Self.titles(app) == ["Neovimmers", "An editor", "Learning vim", "Vim"])
            try app.run("<Esc>\n:wait count=5\n/vim<Enter>\n:wait count=4")
            #expect(Self.titles(app).first == "Neovimmers")
            try app.run("::sort relevance<Enter>\n:wait text=Sorted by relevance\n:wait idle")
            #expect(Self.titles(app).first == "Vim")
            try app.run("::set relevance off<Enter>\n:wait idle")
            #expect(Self.titles(app).first == "Neovimmers")
        }
    }

    @Test func `the next unread clip is the next in the order of relevance`() async throws {
        try await Self.open { app in
            try app.run("/vim<Enter>\n:wait count=4\n:wait idle")
            let second = app.state.list.clips.rows[1].id
            _ = try app.other { try await $0.update(second, [.unread: .boolean(false)]) }
            #expect(app.wait { $0.list.clips.rows[1].isUnread == false })
            try app.run(".\n:wait idle")
            #expect(app.state.list.clips.selectedIndex == 2)
        }
    }

    @Test func `a filter admits no other forms of its words, as its count does not`() async throws {
        try await Self.open { app in
            _ = try app.other { try await $0.add([Self.draft("Two editors"), Self.draft("Hypereditors")]) }
            try app.run(":wait count=7\n/editors<Enter>\n:wait count=2\n:wait idle")
            #expect(Self.titles(app) == ["Two editors", "Hypereditors"])
        }
    }

    @Test func `a row shows the match in a title that is cut before it`() async throws {
        try await Self.open { app in
            let title = "A title with many words before the one that is searched for: a needle, then others"
            _ = try app.other { try await $0.add([Self.draft(title, "no match here")]) }
            try app.run(":wait count=6\n/needle<Enter>\n:wait count=1\n:wait idle")
            #expect(app.lines[1].contains(" A title with many… a needle, then"), "\(app.lines[1])")
        }
    }
}
