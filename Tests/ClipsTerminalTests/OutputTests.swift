import ClipsCore
import PersistentStore
import Terminal
import Testing

@testable import ClipsTerminal

/// The output of programs, in the app's reader.
@Suite(.serialized) struct OutputTests {
    @Test func `the output of programs is read, searched, and closed, and other keys do nothing`()
        async throws
    {
        try await RunningApp.open(clips: 2) { app in
            try app.run("<Space><Space>\n::run sh -c 'seq 1 60; echo \"$1\" >&2' sh {title}<Enter>")
            #expect(app.state.screen == .output && app.lines[0] == "1" && app.lines[21] == "22")
            try app.run("j\n:wait text=Output of sh on 2 clips · ↓ more")
            #expect(app.lines[0] == "2")
            try app.run("/Clip<Enter>\n:wait text=2 matches\nn\n:wait idle")
            #expect(app.lines.contains { $0 == "Clip 0" })
            try app.run(
                "d\n:wait text=Not available here\nt*x\n::tag a<Enter>G?\n:wait text=Keys and commands\n<Esc>"
            )
            #expect(app.state.screen == .output && app.lines[21] == "Clip 0")
            try app.run("<Enter>\n:wait count=2\n:wait text=Clip 1")
            #expect(app.state.screen == .list && app.state.list.marks.count == 2)
        }
    }

    @Test func `hostile output is shown as plain text, also in a narrow window`() async throws {
        try await RunningApp.open(clips: 1) { app in
            try app.run("::run printf 'a\\033]0;x\\007b\\033[2J\\302\\205\\342\\200\\256c\\377\\n'<Enter>")
            #expect(app.state.screen == .output && app.lines[0].hasPrefix("ab"))
            #expect(!app.lines.joined().unicodeScalars.contains { $0.value == 0x202E || $0.value == 0x1B })
            try app.run(":resize 12x3\n:wait idle\nGgww<Right>\n:resize 80x24\n<Esc>\n:wait text=Clip 0")
        }
    }

    @Test func `a program without output is a message, and a clip that changed since then is read again`()
        async throws
    {
        try await RunningApp.open(size: Size(rows: 30, columns: 140), clips: 1) { app in
            try app.run("::run true<Enter>\n:wait text=Ran true on “Clip 0”")
            #expect(app.state.screen == .list)
            try app.run("::run echo hello<Enter>\n:wait text=hello")
            _ = try app.other { try await $0.update(1, [.note: .text("a new note")]) }
            try app.run(":wait idle\nq\n:wait text=a new note")
            #expect(app.state.reader.output == nil)
        }
    }
}
