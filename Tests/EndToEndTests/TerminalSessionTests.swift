import Foundation
import TestSupport
import Testing

/// The app on a real terminal, as a user runs it.
@Suite(.serialized) struct TerminalSessionTests {
    let clips: ClipsProgram

    init() throws { clips = try ClipsProgram() }

    private func app(_ words: String...) -> [String] { [ClipsProgram.path] + words }

    /// Waits until the app has shown its list and watches the store.
    private func isLive(_ terminal: TmuxSession, pane: Int = 0) throws -> Bool {
        try eventually { try terminal.shows("live", pane: pane) }
    }

    @Test(arguments: [["app", "app"], ["app", "other"]])
    func `two apps show the changes of each other and of the extension`(authors: [String]) async throws {
        for number in 1...9 { try clips.run("add", "--title", "clip number \(number)") }
        let terminal = try TmuxSession(
            app("--author", authors[0]), columns: 160, rows: 24, environment: clips.environment)
        try terminal.splitSideBySide(app("--author", authors[1]))
        for pane in 0...1 { #expect(try isLive(terminal, pane: pane)) }

        // The extension writes into both.
        try clips.run("extension", "--title", "from the extension")
        for pane in 0...1 { #expect(try await soon { try terminal.shows("from the extension", pane: pane) }) }

        // One deletes a clip and undoes that; the other follows.
        try terminal.send("G", "d", pane: 0)
        // The status line names the deleted clip.
        #expect(try await soon { try terminal.shows("deleted “clip number 1”", pane: 1) })
        let rows = try terminal.lines(pane: 1).filter { $0.contains("clip number 1") }
        #expect(rows.allSatisfy { $0.contains("deleted") } && rows.count == 1)
        #expect(try await soon { try terminal.shows("Deleted", pane: 0) })
        try terminal.send("u", pane: 0)
        for pane in 0...1 { #expect(try await soon { try terminal.shows("clip number 1", pane: pane) }) }

        // The other adds a clip.
        try terminal.send("a", pane: 1)
        try terminal.send("https://example.org/by-hand", pane: 1)
        try terminal.send("Enter", pane: 1)
        for pane in 0...1 { #expect(try await soon { try terminal.shows("example.org", pane: pane) }) }
        #expect(try clips.sqlite3("SELECT author FROM Clip WHERE url LIKE '%by-hand'") == authors[1])

        for pane in 0...1 { try terminal.send("q", pane: pane) }
        for pane in 0...1 {
            #expect(try await soon { try terminal.format("#{pane_dead}", pane: pane) == "1" })
        }
        #expect(try clips.run("consumers").output == "")
    }

    @Test func `the cursor stays on its clip and its row while the extension writes`() async throws {
        try clips.run(
            "add", "--jsonl", input: (1...60).map { "{\"title\":\"clip number \($0).\"}\n" }.joined())
        let terminal = try TmuxSession(app(), columns: 80, rows: 24, environment: clips.environment)
        #expect(try isLive(terminal))
        try terminal.send("30", "j")
        #expect(try await soon { try terminal.shows("31/60") })
        let row = try terminal.format("#{cursor_y}")
        let line = try terminal.cursorLine()
        #expect(line.contains("clip number 30."))
        try clips.run("extension", "--jsonl", input: (1...500).map { "{\"title\":\"new \($0)\"}\n" }.joined())
        _ = try clips.sqlite3("DELETE FROM Clip WHERE title LIKE 'clip number 5_.'")
        #expect(try await soon { try terminal.shows("521/550") })
        #expect(try terminal.format("#{cursor_y}") == row)
        #expect(try terminal.cursorLine().contains("clip number 30."))
        try terminal.send("k")
        #expect(try await soon { try terminal.cursorLine().contains("clip number 31.") })
    }

    @Test(arguments: ["TERM", "HUP", "ILL", "TRAP", "SEGV"])
    func `the terminal is restored after a signal`(signal: String) async throws {
        try clips.run("add", "--title", "a clip")
        // A shell that records the terminal's settings before and after.
        let script = clips.folder.path(of: "session.sh")
        try """
        stty -a > '\(clips.folder.path)/before'
        '\(ClipsProgram.path)' 2> '\(clips.folder.path)/errors'
        stty -a > '\(clips.folder.path)/after'
        echo the shell is back
        sleep 100

        """.write(toFile: script, atomically: true, encoding: .utf8)
        var environment = clips.environment
        environment["SWIFT_BACKTRACE"] = "enable=no"
        let terminal = try TmuxSession(["sh", script], columns: 80, rows: 24, environment: environment)
        #expect(try isLive(terminal))
        #expect(try terminal.format("#{alternate_on}") == "1")
        let shell = try terminal.format("#{pane_pid}")
        let children = try Shell.run("pgrep", ["-P", shell, "-f", "clips"]).output.split(separator: "\n")
        let process = try #require(children.first.flatMap { Int32($0) })
        _ = try Shell.run("kill", ["-s", signal, "\(process)"])
        #expect(try await soon { try terminal.shows("the shell is back") })
        #expect(try terminal.format("#{alternate_on}") == "0")
        func settings(_ name: String) throws -> String {
            try String(contentsOfFile: clips.folder.path(of: name), encoding: .utf8)
        }
        #expect(try settings("after") == settings("before"))
    }

    /// Whether a process has exited; a zombie has.
    private static func hasEnded(_ process: Int32) throws -> Bool {
        let state = try Shell.run("ps", ["-o", "stat=", "-p", "\(process)"]).output
        return state.isEmpty || state.hasPrefix("Z")
    }

    @Test func `a lost terminal ends the app, even if SIGHUP is ignored`() async throws {
        try clips.run("add", "--title", "a clip")
        for command in [app(), ["sh", "-c", "trap '' HUP; exec '\(ClipsProgram.path)'"]] {
            let terminal = try TmuxSession(command, columns: 80, rows: 24, environment: clips.environment)
            #expect(try isLive(terminal))
            let process = try #require(Int32(try terminal.format("#{pane_pid}")))
            terminal.killServer()
            #expect(try await soon { try Self.hasEnded(process) })
        }
    }

    @Test func `an unknown terminal, a tiny one and a resized one still work`() async throws {
        for number in 1...9 { try clips.run("add", "--title", "clip number \(number)") }
        let script = "TERM=no-such-terminal exec '\(ClipsProgram.path)'"
        let terminal = try TmuxSession(
            ["sh", "-c", script], columns: 80, rows: 24, environment: clips.environment)
        #expect(try await soon { try terminal.shows("Unknown terminal type") })
        for (columns, rows) in [(1, 1), (3, 2), (200, 60), (40, 12)] {
            try terminal.resize(columns: columns, rows: rows)
            try terminal.send("j", "k")
            #expect(try terminal.format("#{pane_dead}") == "0")
        }
        #expect(try await soon { try terminal.shows("clip number 9") && terminal.shows("live") })
        try terminal.send("q")
        #expect(try await soon { try terminal.format("#{pane_dead}") == "1" })
    }

    @Test func `without an alternate screen the prompt comes on an empty line`() async throws {
        try clips.run("add", "--title", "a clip")
        // xterm's description without the alternate screen, compiled for this test.
        let terms = clips.folder.path(of: "terminfo")
        let description =
            "infocmp -1 xterm-256color | sed '/smcup\\|rmcup/d; s/^xterm-256color|/xterm-plain|/'"
        let made = try Shell.run("sh", ["-c", "\(description) | tic -x -o '\(terms)' -"])
        #expect(made.status == 0, "\(made.errors)")
        var environment = clips.environment
        environment["PS1"] = "shell> "
        environment["TERMINFO"] = terms
        let terminal = try TmuxSession(
            ["bash", "--norc", "-i"], columns: 80, rows: 24, environment: environment)
        #expect(try await soon { try terminal.shows("shell>") })
        try terminal.send("TERM=xterm-plain '\(ClipsProgram.path)'", "Enter")
        #expect(try isLive(terminal))
        try terminal.send("q")
        #expect(try await soon { try terminal.cursorLine().trimmingCharacters(in: .whitespaces) == "shell>" })
    }

    @Test func `a writer that holds the store does not hold the keys`() async throws {
        for number in 1...30 { try clips.run("add", "--title", "clip number \(number)") }
        let terminal = try TmuxSession(app(), columns: 80, rows: 24, environment: clips.environment)
        #expect(try isLive(terminal))
        let holder = try LineProcess("sqlite3", ["-cmd", ".timeout 60000", clips.storePath])
        #expect(try holder.ask("BEGIN IMMEDIATE; SELECT 'held';") == "held")
        try terminal.send("*")
        #expect(try await soon { try terminal.shows("aving") })
        try terminal.send("7", "j")
        #expect(try await soon { try terminal.cursorLine().contains("clip number 23") })
        try terminal.send("/", "number 2")
        #expect(try await soon { try !terminal.shows("clip number 30") })
        #expect(try holder.ask("COMMIT; SELECT 'released';") == "released")
        #expect(try await soon { try clips.sqlite3("SELECT starred FROM Clip WHERE id = 30") == "1" })
    }

    @Test func `copied text is in the buffer of the outer tmux with any of its settings`() async throws {
        try clips.run("add", "--url", "https://example.org/copied", "--title", "数据库")
        let terminal = try TmuxSession(app(), columns: 80, rows: 24, environment: clips.environment)
        #expect(try isLive(terminal))
        for (key, text) in [("u", "https://example.org/copied"), ("t", "数据库")] {
            try terminal.send("y")
            #expect(try await soon { try terminal.shows("Esc close") })
            try terminal.send(key)
            #expect(await soon { terminal.buffer() == text })
        }
    }

    @Test func `a delayed action leaves the cursor at its new position`() async throws {
        for number in 1...9 { try clips.run("add", "--title", "clip number \(number).") }
        let terminal = try TmuxSession(app(), columns: 80, rows: 24, environment: clips.environment)
        #expect(try isLive(terminal))
        let holder = try LineProcess("sqlite3", ["-cmd", ".timeout 60000", clips.storePath])
        #expect(try holder.ask("BEGIN IMMEDIATE; SELECT 'held';") == "held")
        try terminal.send("*")
        #expect(try await soon { try terminal.shows("saving…") })
        try terminal.send("4", "j")
        #expect(try await soon { try terminal.cursorLine().contains("clip number 5.") })
        #expect(try holder.ask("COMMIT; SELECT 'released';") == "released")
        #expect(try await soon { try terminal.shows("Starred") })
        #expect(try terminal.cursorLine().contains("clip number 5."))
    }

    /// Those of the screen and of the two connections. libdispatch's pool would wake up each second.
    @Test func `an app that follows commits has three threads`() async throws {
        try clips.run("add", "--title", "first")
        let terminal = try TmuxSession(app(), columns: 80, rows: 24, environment: clips.environment)
        #expect(try isLive(terminal))
        let position = "SELECT position FROM history_consumer"
        #expect(try await soon { try clips.sqlite3(position) != "" })
        let before = try clips.sqlite3(position)
        try clips.run("extension", "--title", "second")
        // Two seconds later.
        #expect(try await soon { try clips.sqlite3(position) != before })
        let tasks = "/proc/\(try terminal.format("#{pane_pid}"))/task"
        func threads() throws -> Int { try FileManager.default.contentsOfDirectory(atPath: tasks).count }
        #expect(try threads() == 3)

        // A search has another one until the index is current.
        try terminal.send("/")
        try terminal.send("second")
        try terminal.send("Enter")
        #expect(await soon { FileManager.default.fileExists(atPath: clips.storePath + "-search") })
        #expect(try await soon { try threads() == 3 })
    }

    @Test func `^C ends no app, and ^Z stops none, at no moment of a program that has its terminal`()
        async throws
    {
        try clips.run("add", "--title", "clip")
        let terminal = try TmuxSession(
            app(), columns: 80, rows: 24, environment: clips.environment.merging(["VISUAL": "true"]) { $1 })
        #expect(try isLive(terminal))
        for count in 0..<40 {
            try terminal.send("e")
            for _ in 0..<count { try terminal.send("C-c") }
            try terminal.send("e")
            for _ in 0..<count { try terminal.send("C-z") }
        }
        // The terminal has read the rest.
        #expect(
            try await soon {
                for key in ["C-c", "C-c", "/end"] { try terminal.send(key) }
                return try await soon(within: 2) { try terminal.shows("/end") && terminal.shows("Title") }
            })
        #expect(try terminal.format("#{pane_dead}") == "0")
    }

    /// A thread may get the signal of the terminal when the app has it again.
    @Test func `an interrupt by the terminal ends no app, and one by a program does`() async throws {
        try clips.run("add", "--title", "clip")
        let terminal = try TmuxSession(app(), columns: 80, rows: 24, environment: clips.environment)
        #expect(try isLive(terminal))
        let tty = try terminal.format("#{pane_tty}")
        #expect(try Shell.run("stty", ["-F", tty, "isig"]).status == 0)
        for key in ["C-c", "C-c", "C-c"] { try terminal.send(key) }
        #expect(try Shell.run("stty", ["-F", tty, "-isig"]).status == 0)
        try terminal.send("/alive")
        #expect(try await soon { try terminal.shows("/alive") })
        #expect(kill(try #require(pid_t(terminal.format("#{pane_pid}"))), SIGINT) == 0)
        #expect(try await soon { try terminal.format("#{pane_dead}") == "1" })
    }
}
