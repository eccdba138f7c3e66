import Foundation
import TestSupport
import Testing

/// The picker in a real terminal: in a pipe, in a command substitution, and behind a key of the shell.
@Suite(.serialized) struct PickTests {
    let clips: ClipsProgram

    init() throws {
        clips = try ClipsProgram()
        for name in ["one", "two", "three"] {
            try clips.run("add", "--title", "page \(name)", "--url", "https://a.b/\(name)?x=1&y")
        }
    }

    private func shell(_ command: [String] = ["bash", "--norc", "-i"]) throws -> TmuxSession {
        let more = ["PS1": "shell> ", "PROMPT": "shell> ", "CLIPS": ClipsProgram.path]
        let path = URL(fileURLWithPath: ClipsProgram.path).deletingLastPathComponent().path
        let variables = ["PATH": path + ":" + (ProcessInfo.processInfo.environment["PATH"] ?? "")]
        let terminal = try TmuxSession(
            command, columns: 80, rows: 24,
            environment: clips.environment.merging(more) { $1 }.merging(variables) { $1 })
        #expect(try eventually { try terminal.shows("shell>") })
        return terminal
    }

    private func isPicking(_ terminal: TmuxSession) throws -> Bool {
        try eventually { try terminal.format("#{alternate_on}") == "1" && terminal.shows("page one") }
    }

    /// Waits for the order of relevance, in which the shortest titles are the first; without the index, that takes longer.
    private func isRanked(_ terminal: TmuxSession) throws -> Bool {
        try eventually {
            let lines = try terminal.lines()
            func row(_ name: String) -> Int? { lines.firstIndex { $0.contains("page \(name)") } }
            guard let one = row("one"), let three = row("three") else { return false }
            return one < three
        }
    }

    @Test func `a choice is printed in a command substitution`() async throws {
        let terminal = try shell()
        try terminal.send("echo \"[$($CLIPS pick)]\"", "Enter")
        #expect(try isPicking(terminal))
        try terminal.send("two")
        #expect(try await soon { try !terminal.shows("page one") && terminal.shows("page two") })
        try terminal.send("Enter")
        #expect(try await soon { try terminal.shows("[https://a.b/two?x=1&y]") })
        #expect(try terminal.format("#{alternate_on}") == "0")
    }

    @Test func `keys typed ahead wait for the filter`() async throws {
        let terminal = try shell()
        try terminal.send("echo \"[$($CLIPS pick one --format markdown)]\"", "Enter")
        #expect(try isPicking(terminal))
        try terminal.send("C-u", "three", "Enter")
        #expect(try await soon { try terminal.shows("[[page three](https://a.b/three?x=1&y)]") })
    }

    @Test func `several clips are marked, and printed into a pipe`() async throws {
        let terminal = try shell()
        try terminal.send("$CLIPS pick page --multi --format id | tr '\\n' ,", "Enter")
        #expect(try isPicking(terminal) && isRanked(terminal))
        try terminal.send("Tab", "Tab", "Enter")
        // The best matches are the first: the shortest titles, the newest of them first.
        #expect(try await soon { try terminal.shows("2,1,") })
    }

    @Test func `the arrow keys move in the list, and the typed words remain`() async throws {
        let terminal = try shell()
        try terminal.send("$CLIPS pick page --format id", "Enter")
        #expect(try isPicking(terminal) && isRanked(terminal))
        try terminal.send("Down", "Enter")
        #expect(try await soon { try terminal.lines().contains("1") })
    }

    @Test func `marks remain while the filter changes, and are printed in their order`() async throws {
        let terminal = try shell()
        try terminal.send("$CLIPS pick --multi --format id | tr '\\n' ,", "Enter")
        #expect(try isPicking(terminal))
        for (word, other) in [("one", "two"), ("three", "one")] {
            try terminal.send("C-u", word)
            #expect(try await soon { try terminal.shows("page \(word)") && !terminal.shows("page \(other)") })
            try terminal.send("Tab")
        }
        try terminal.send("Enter")
        let isPrinted = try await soon { try terminal.shows("1,3,") }
        let screen = try terminal.lines().joined(separator: "\n")
        #expect(isPrinted, "\(screen)")
    }

    @Test(arguments: [("Escape", 1), ("C-c", 130)], ["", "--multi"])
    func `one key leaves without a choice`(key: (name: String, status: Int), option: String) async throws {
        let terminal = try shell()
        try terminal.send(
            "$CLIPS pick \(option) > '\(clips.folder.path(of: "out"))'; echo status $?", "Enter")
        #expect(try isPicking(terminal))
        try terminal.send(key.name)
        #expect(try await soon { try terminal.shows("status \(key.status)") })
        #expect(try String(contentsOfFile: clips.folder.path(of: "out"), encoding: .utf8) == "")
    }

    @Test func `a chosen clip that is not printed has its name in a message`() async throws {
        try clips.run("add", "--title", "Alpha note", input: "text")
        let terminal = try shell()
        let errors = clips.folder.path(of: "errors")
        try terminal.send("$CLIPS pick --multi 2> '\(errors)'; cat '\(errors)'", "Enter")
        #expect(try isPicking(terminal))
        for (word, shown, other) in [("alpha", "Alpha note", "page"), ("two", "page two", "Alpha")] {
            try terminal.send("C-u", word)
            #expect(try await soon { try terminal.shows(shown) && !terminal.shows(other) })
            try terminal.send("Tab")
        }
        try terminal.send("Enter")
        #expect(try await soon { try terminal.shows("clips: “Alpha note” has no URL.") })
        #expect(try terminal.shows("https://a.b/two"))
    }

    @Test func `a marked clip that the filter hides has its name in a message`() async throws {
        try clips.run("add", "--title", "Alpha note", input: "text")
        let terminal = try TmuxSession(
            [ClipsProgram.path, "pick", "--multi"], columns: 80, rows: 24, environment: clips.environment)
        #expect(try isPicking(terminal))
        try terminal.send("alpha")
        #expect(try await soon { try terminal.shows("1/1 ") || terminal.shows(" 1/1") })
        try terminal.send("Tab", "C-u", "page two", "Enter")
        #expect(try await soon { try terminal.shows("“Alpha note” has no URL.") })
    }

    @Test func `without a terminal or a store, pick fails`() throws {
        let run = try Shell.run("setsid", ["-w", ClipsProgram.path, "pick"], environment: clips.environment)
        #expect(run.status == 1 && run.errors.contains("terminal") && run.output == "", "\(run)")
        let missing = try clips.run("pick", "--store", clips.folder.path(of: "none.db"))
        #expect(missing.status == 1 && missing.errors.contains("There is no store at"))
        #expect(try clips.run("pick", "--format", "pdf").status == 2)
    }

    @Test(arguments: ["bash", "zsh", "fish"])
    func `a key of the shell inserts choices at the cursor`(name: String) async throws {
        guard let found = try? Shell.run("sh", ["-c", "command -v \(name)"]), found.status == 0 else {
            print("skipped: \(name) is not installed")
            return
        }
        let command = [
            "bash": ["bash", "--norc", "-i"], "zsh": ["zsh", "-f", "-i"],
            "fish": ["fish", "--no-config", "-i"],
        ]
        let load =
            name == "fish"
            ? "function fish_prompt; echo 'shell> '; end; $CLIPS completions fish --widget | source"
            : "eval \"$($CLIPS completions \(name) --widget)\""
        let terminal = try TmuxSession(
            command[name] ?? [], columns: 100, rows: 24,
            environment: clips.environment.merging([
                "PS1": "shell> ", "CLIPS": ClipsProgram.path,
                "PATH": URL(fileURLWithPath: ClipsProgram.path).deletingLastPathComponent().path
                    + ":/usr/bin:/bin",
            ]) { $1 })
        try terminal.send(load + "; echo loa''ded", "Enter")
        #expect(try await soon { try terminal.shows("loaded") })
        try terminal.send("printf '<%s>' before", "Space", "M-k")
        #expect(try isPicking(terminal))
        try terminal.send("page two", "Enter")
        #expect(try await soon { try terminal.format("#{alternate_on}") == "0" && terminal.shows("a.b/two") })
        try terminal.send("after", "Enter")
        #expect(try await soon { try terminal.shows("<before><https://a.b/two?x=1&y><after>") })
    }
}
