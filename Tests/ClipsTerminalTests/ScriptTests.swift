import ClipsCore
import Foundation
import LiveQuery
import PersistentStore
import Terminal
import TestSupport
import Testing

@testable import ClipsTerminal

@Suite(.serialized) struct ScriptTests {
    @Test(arguments: ["extension", "app"])
    func `a clip that another process saves appears, and the cursor stays`(author: String) async throws {
        try await RunningApp.open(
            config: "set follow off\nset columns title,author", clips: 60
        ) { app in
            try app.run("30G")
            let (id, row) = (app.state.list.clips.selectedID, app.state.screenRow)
            let new = try app.other(author) { try await $0.add([RunningApp.draft("Fresh one")]) }
            try app.run(":wait count=61\n:wait text=↑ 1 new")
            #expect(app.state.list.clips.selectedID == id && app.state.screenRow == row)
            #expect(app.state.list.clips.selectedIndex == 30)
            #expect(app.state.list.arrivals.isMarked(new[0]))
            try app.run(
                ":wait text=↑ 1 new\ng:wait\n:wait text=Fresh one".replacingOccurrences(
                    of: "g:wait", with: "g"))
            #expect(app.lines[1].hasPrefix("▌") && app.lines[1].contains(author))
        }
    }

    @Test func `an open clip is reloaded after another process changed it`() async throws {
        try await RunningApp.open(size: Size(rows: 12, columns: 40), clips: 5) { app in
            try app.run("j<Enter>\n:wait text=Clip 3\n<Esc>")
            let id = try #require(app.state.list.clips.selectedID)
            _ = try app.other { try await $0.update(id, [.text: .text("words from afar")]) }
            #expect(app.wait { $0.sync.lastChange?.author == "extension" })
            try app.run("<Enter>\n:wait text=words from afar\n<Esc>jk<Enter>\n:wait text=words from afar")
            _ = try app.other { try await $0.update(id, [.text: .text("and once more")]) }
            try app.run(":wait text=and once more")
        }
    }

    @Test func `a filter shows matches, and Esc returns to the list`() async throws {
        try await RunningApp.open(clips: 40) { app in
            try app.run("9j")
            let (id, row) = (app.state.list.clips.selectedID, app.state.screenRow)
            try app.run("/clip 17\n:wait count=1")
            #expect(app.lines[1].contains("Clip 17"))
            try app.run("<Esc>\n:wait count=40")
            #expect(app.state.list.clips.selectedID == id && app.state.screenRow == row)
        }
    }

    @Test func `undo selects the restored clip`() async throws {
        try await RunningApp.open(clips: 10) { app in
            try app.run("4Gd\n:wait count=9")
            #expect(
                app.state.list.clips.selectedIndex == 3
                    && app.lines.contains { $0.contains("Deleted “Clip 6”") })
            try app.run("u\n:wait count=10")
            #expect(app.state.list.clips.selectedRow?.title == "Clip 6")
            try app.run("<C-r>\n:wait count=9\nu\n:wait count=10\n*u")
            #expect(
                app.state.list.clips.selectedRow?.title == "Clip 6"
                    && app.state.list.clips.selectedRow?.isStarred == false)
        }
    }

    @Test func `adding a clip can be undone`() async throws {
        try await RunningApp.open { app in
            #expect(app.lines.contains { $0.contains("No clips yet") })
            try app.run("ahttps://www.swift.org/<Enter>\n:wait count=1")
            #expect(app.state.list.clips.selectedRow?.url == "https://www.swift.org/")
            try app.run("u\n:wait count=0")
        }
    }

    @Test func `colors and theme change while the app runs`() async throws {
        try await RunningApp.open(config: "set theme dark", clips: 3) { app in
            func colors(_ app: borrowing RunningApp) -> Set<Color> {
                let frame = app.script.runner.screen.snapshot()
                let styles = (0..<frame.size.rows).flatMap { frame.runs(row: $0).map(\.style) }
                return Set(styles.flatMap { [$0.foreground, $0.background] })
            }
            let dark = colors(app)
            #expect(dark.contains(.rgb(0x2D5585)))
            try app.run("::set theme light<Enter>\n:wait text=Set theme to light")
            let light = colors(app)
            #expect(!light.contains(.rgb(0x2D5585)) && light.contains(.rgb(0xB5D5F5)))
            try app.run("::set color 16<Enter>\n:wait text=Set color to 16")
            #expect(colors(app).allSatisfy { if case .indexed(let index) = $0 { index < 16 } else { true } })
            try app.run("::set color never<Enter>\n:wait text=Set color to never")
            #expect(colors(app) == [.standard])
            try app.run("::set color always<Enter>\n:wait text=Set color to always")
            #expect(colors(app) == light)
        }
    }

    @Test func `the history shows commits as they arrive`() async throws {
        try await RunningApp.open(clips: 5) { app in
            try app.run("H\n:wait text=seed")
            _ = try app.other { try await $0.add([RunningApp.draft("Another")]) }
            try app.run(":wait text=extension")
            #expect(app.lines[1].contains("extension") && app.lines[1].hasPrefix(" + "))
            try app.run(":wait text=saved: Another\n:wait text=title: “Another”")
            try app.run("q\n:wait text=Another")
            #expect(!app.script.runner.isDone)
        }
    }

    @Test func `a clip is edited in the editor, and a conflict retains the user's text`() async throws {
        try await RunningApp.open(clips: 3) { app in
            let path = app.folder.path(of: "clips.db")
            try app.use(
                editor: "sed -i 's/^title: .*/title: Better title/' \"$1\"; printf 'and a text' >> \"$1\"")
            try app.run("e\n:wait text=Better title")
            let id = try #require(app.state.list.clips.selectedID)
            #expect(try app.other { try await $0.clip(id).text } == "and a text")

            try app.use(
                editor: """
                    sed -i 's/^title: .*/title: Mine/' "$1"
                    sqlite3 '\(path)' "PRAGMA busy_timeout=5000; UPDATE Clip SET title = 'Theirs' WHERE id = \(id)"
                    """)
            try app.run("e\n:wait text=Changed during the edit\n<Esc>")
            let message = try #require(app.state.message?.text)
            let kept = try #require(message.split(separator: " ").last.map { String($0.dropLast()) })
            defer { unlink(kept) }
            #expect(try String(contentsOfFile: kept, encoding: .utf8).contains("title: Mine"))
            try app.run("j\n:wait text=Theirs")
        }
    }

    @Test func `a condition that is not met ends the script with its line`() async throws {
        try await RunningApp.open(clips: 3) { app in
            #expect(throws: ClipsAppError("script line 2: there were 3 clips after 0.05 seconds, not 9.")) {
                try app.run("j\n:wait 0.05s count=9")
            }
            #expect(throws: ClipsAppError.self) { try app.run(":wait 0.05s text=nowhere") }
            #expect(throws: ClipsAppError.self) { try app.run(":sh exit 3") }
        }
        for script in [":frob", ":wait soon", ":resize big", "<Nokey>", ":dump"] {
            #expect(throws: ClipsAppError.self) { try Script("jj\n" + script) }
        }
    }

    @Test func `a process that locks the store does not block the keys`() async throws {
        try await RunningApp.open(clips: 60) { app in
            let path = app.folder.path(of: "clips.db")
            let released = app.folder.path(of: "released")
            // Holds the write lock until the file is there.
            let python = """
                import sqlite3, os, sys
                c = sqlite3.connect('\(path)', isolation_level=None)
                c.execute('BEGIN IMMEDIATE')
                open('\(app.folder.path(of: "held"))', 'w').close()
                while not os.path.exists('\(released)'): pass
                c.execute('COMMIT')
                """
            let holder = Thread { _ = try? Shell.run("python3", ["-c", python]) }
            holder.start()
            #expect(eventually { FileManager.default.fileExists(atPath: app.folder.path(of: "held")) })
            app.script.runner.handle(.key(.character("*")))
            app.script.runner.handle(.key(.character("j")))
            #expect(app.state.list.clips.selectedIndex == 1)
            #expect(app.script.wait { $0.state.saving.isSlow(at: $0.state.now) })
            #expect(app.lines.contains { $0.contains("saving…") })
            _ = FileManager.default.createFile(atPath: released, contents: nil)
            try app.run(":wait idle")
            #expect(app.state.saving.count == 0 && app.state.list.clips.rows[0].isStarred)
        }
    }

    @Test(arguments: [11, 12] as [UInt64])
    func `without following, no other process moves the cursor`(seed: UInt64) async throws {
        try await RunningApp.open(config: "set follow off", clips: 80) { app in
            var generator = SeededRandom(seed: seed)
            let keys = RandomKeysTests.keys.filter { !["q", "F", "o", "O", "p", "y", "Q"].contains($0) }
            for step in 0..<120 {
                if Int.random(in: 0..<3, using: &generator) > 0 {
                    let line = keys.randomElement(using: &generator) ?? "j"
                    // A script takes two colons for the key.
                    try app.run(line.hasPrefix(":") ? ":" + line : line)
                    continue
                }
                let held = app.state.list.clips.selectedID
                let row = app.state.screenRow
                let others = app.state.list.clips.rows.map(\.id).filter { $0 != held }
                let victim = others.randomElement(using: &generator)
                let kind = Int.random(in: 0..<3, using: &generator)
                let before = app.state.newestTransaction
                try app.other { store in
                    switch (kind, victim) {
                    case (0, let victim?): _ = try await store.delete([victim])
                    case (1, let victim?): _ = try await store.update(victim, [.starred: .boolean(true)])
                    default: _ = try await store.add([RunningApp.draft("Step \(step)")])
                    }
                }
                #expect(app.wait { $0.newestTransaction > before }, "seed \(seed), step \(step)")
                #expect(app.state.list.clips.selectedID == held || held == nil, "seed \(seed), step \(step)")
                let canStay = app.state.list.clips.selectedIndex >= row
                let list = app.state.list.clips
                let isAtEnd = list.top == max(0, list.count - list.height)
                #expect(
                    app.state.screenRow == row || !canStay || held == nil
                        || isAtEnd && app.state.screenRow > row, "seed \(seed), step \(step)")
            }
        }
    }
}
