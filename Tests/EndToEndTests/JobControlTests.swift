import Foundation
import TestSupport
import Testing

/// ^Z in a terminal with a shell, as a user presses it.
@Suite(.serialized) struct JobControlTests {
    let clips: ClipsProgram

    init() throws {
        clips = try ClipsProgram()
        try clips.run("add", "--title", "a clip")
    }

    private func program(_ name: String, _ lines: String) throws -> String {
        let path = clips.folder.path(of: name)
        try ("#!/bin/sh\n" + lines + "\n").write(toFile: path, atomically: true, encoding: .utf8)
        return "sh \(path)"
    }

    private func terminal(_ command: [String], editor lines: String = "true") throws -> TmuxSession {
        var environment = clips.environment
        environment["EDITOR"] = try program("editor", lines)
        environment["PS1"] = "shell> "
        return try TmuxSession(command, columns: 200, rows: 24, environment: environment)
    }

    /// Asks for the title on the terminal, as an editor that leaves its modes as they are.
    private let asking = """
        read -r title
        sed -i "s/^title: .*/title: $title/" "$1"
        """

    private func title() throws -> String { try clips.sqlite3("SELECT title FROM Clip") }

    @Test(arguments: [true, false])
    func `an editor that stops gives the shell its terminal, and fg continues it`(stopsItself: Bool)
        async throws
    {
        let stop = stopsItself ? "kill -STOP $$" : ":"
        let terminal = try terminal(
            ["bash", "--norc", "-i"], editor: "echo the editor begins\n\(stop)\n\(asking)")
        #expect(try await soon { try terminal.shows("shell>") })
        try terminal.send(ClipsProgram.path, "Enter")
        #expect(try await soon { try terminal.shows("live") })
        try terminal.send("e")
        if !stopsItself {
            #expect(try await soon { try terminal.shows("the editor begins") })
            try terminal.send("C-z")
        }
        #expect(try await soon { try terminal.shows("Stopped") })
        try terminal.send("echo $((41 + 1)) is said by the shell", "Enter")
        #expect(try await soon { try terminal.shows("42 is said by the shell") })
        try terminal.send("fg", "Enter")
        #expect(try await soon { try terminal.format("#{pane_current_command}") == "sh" })
        try terminal.send("Named after fg", "Enter")
        #expect(try await soon { try terminal.shows("live") && terminal.shows("Named after fg") })
        #expect(try title() == "Named after fg")
        // The app has the terminal again, and its own ^Z works.
        try terminal.send("C-z")
        #expect(try await soon { try terminal.format("#{alternate_on}") == "0" })
        try terminal.send("fg", "Enter")
        #expect(try await soon { try terminal.format("#{alternate_on}") == "1" && terminal.shows("live") })
        try terminal.send("q")
        #expect(try await soon { try terminal.format("#{alternate_on}") == "0" })
    }

    @Test(arguments: [":run nosuchprogram {title}", ":pipe nosuchprogram"])
    func `a program that cannot start is a message, and the app continues`(line: String) async throws {
        let terminal = try terminal(["bash", "--norc", "-i"])
        #expect(try await soon { try terminal.shows("shell>") })
        try terminal.send(ClipsProgram.path, "Enter")
        #expect(try await soon { try terminal.shows("live") })
        try terminal.send(line, "Enter")
        #expect(try await soon { try terminal.shows("'nosuchprogram' could not be started") })
        #expect(try terminal.shows("Check its name.") && !terminal.shows("its output"))
        #expect(try terminal.format("#{alternate_on}") == "1")
        try terminal.send("q")
        #expect(try await soon { try terminal.format("#{alternate_on}") == "0" })
        #expect(try !terminal.shows("Stopped"))
    }

    @Test(arguments: [":run sh -c 'printf \"%s says hello\" sh'", ":run sh -c 'echo sh says hello; exit 3'"])
    func `the output of a program is read in the app until it is closed`(line: String) async throws {
        let terminal = try terminal([ClipsProgram.path])
        #expect(try await soon { try terminal.shows("live") })
        try terminal.send(line, "Enter")
        // The typed line contains the words, too.
        #expect(try await soon { try terminal.shows("Esc back") && terminal.shows("says hello") })
        try terminal.send("x")
        #expect(try await soon { try terminal.shows("Not available here") && terminal.shows("says hello") })
        try terminal.send("Enter")
        #expect(try await soon { try terminal.shows("live") && terminal.shows("a clip") })
        try terminal.send("q")
        #expect(try await soon { try terminal.format("#{pane_dead}") == "1" })
    }

    @Test(arguments: [
        "\\033Pdcs", "\\033]0;t", "\\033_apc", "\\033(0", "\\033[4h", "\\033[5;9r", "\\033[?6h", "\\033[",
    ])
    func `output that ends in a sequence of the terminal does not hide the app`(sequence: String) async throws
    {
        let terminal = try terminal([ClipsProgram.path])
        #expect(try await soon { try terminal.shows("live") })
        let header = try terminal.lines().first
        try terminal.send(":!\(try program("cut", "printf 'words\(sequence)'"))", "Enter")
        #expect(try await soon { try terminal.shows("Esc back") && terminal.shows("Ran sh") })
        try terminal.send("Enter")
        #expect(try await soon { try terminal.lines().first == header })
        try terminal.send("q")
        #expect(try await soon { try terminal.format("#{pane_dead}") == "1" })
    }

    @Test func `a program that reads keys, such as a pager, needs no more key at its end`() async throws {
        let keys = try program("keys", "stty -icanon; sleep 1; echo the pager begins; head -c 1 > /dev/null")
        let terminal = try terminal([ClipsProgram.path])
        #expect(try await soon { try terminal.shows("live") })
        try terminal.send(":!\(keys)", "Enter")
        #expect(try await soon { try terminal.shows("the pager begins") })
        #expect(try terminal.format("#{alternate_on}") == "0")
        try terminal.send("q")
        #expect(try await soon { try terminal.shows("live") && terminal.format("#{alternate_on}") == "1" })
        try terminal.send("q")
        #expect(try await soon { try terminal.format("#{pane_dead}") == "1" })
    }

    @Test func `output after a single key is shown until a key is pressed`() async throws {
        let script = "stty -icanon; sleep 1; printf 'sure?'; head -c 1 > /dev/null; stty sane; seq 100 103"
        let ask = try program("sure", script)
        let terminal = try terminal([ClipsProgram.path])
        #expect(try await soon { try terminal.shows("live") })
        try terminal.send(":!\(ask)", "Enter")
        #expect(try await soon { try terminal.shows("sure?") })
        try terminal.send("y")
        #expect(try await soon { try terminal.shows("103") && terminal.shows("Esc back") })
        try terminal.send("q")
        #expect(try await soon { try terminal.shows("live") && !terminal.shows("103") })
        try terminal.send("q")
        #expect(try await soon { try terminal.format("#{pane_dead}") == "1" })
    }

    @Test func `a program with its own terminal gets its keys, its size, ^C, and ^Z`() async throws {
        let keys = try program(
            "ask",
            """
            trap 'echo interrupted' INT; trap 'echo continued' CONT
            echo asking; read -r word < /dev/tty; echo "read $word"
            until [ "$(stty size)" = "30 90" ]; do sleep 0.05; done; stty size
            echo waiting; until read -r word; do :; done; echo "then $word"
            """)
        let terminal = try terminal(["bash", "--norc", "-i"])
        #expect(try await soon { try terminal.shows("shell>") })
        try terminal.send(ClipsProgram.path, "Enter")
        #expect(try await soon { try terminal.shows("live") })
        try terminal.send(":!\(keys)", "Enter")
        #expect(try await soon { try terminal.shows("asking") })
        try terminal.send("one", "Enter")
        #expect(try await soon { try terminal.shows("read one") })
        try terminal.resize(columns: 90, rows: 30)
        #expect(try await soon { try terminal.shows("waiting") })
        try terminal.send("C-c")
        #expect(try await soon { try terminal.shows("interrupted") })
        try terminal.send("C-z")
        #expect(try await soon { try terminal.shows("Stopped") })
        try terminal.send("fg", "Enter")
        #expect(try await soon { try terminal.shows("continued") })
        try terminal.send("two", "Enter")
        #expect(
            try await soon { try terminal.shows("then two") && terminal.format("#{alternate_on}") == "1" })
        #expect(try await soon { try terminal.shows("30 90") && terminal.shows("Ran sh on") })
        try terminal.send("q", "q")
        #expect(try await soon { try terminal.format("#{alternate_on}") == "0" })
    }

    @Test func `the output of a program is not above a later one`() async throws {
        let terminal = try terminal([ClipsProgram.path], editor: "echo the editor begins\n\(asking)")
        #expect(try await soon { try terminal.shows("live") })
        try terminal.send(":run echo hello there", "Enter")
        #expect(try await soon { try terminal.shows("Esc back") })
        try terminal.send("q", "e")
        #expect(try await soon { try terminal.shows("the editor begins") })
        #expect(try !terminal.shows("hello there"))
        try terminal.send("Named after it", "Enter")
        #expect(try await soon { try title() == "Named after it" && terminal.shows("live") })
    }

    @Test func `a signal ends the app that shows the output of a program`() async throws {
        let terminal = try terminal([ClipsProgram.path])
        #expect(try await soon { try terminal.shows("live") })
        try terminal.send(":run echo hello", "Enter")
        #expect(try await soon { try terminal.shows("Esc back") })
        let process = try #require(try Int32(terminal.format("#{pane_pid}")))
        #expect(kill(process, SIGTERM) == 0)
        #expect(try await soon { try terminal.format("#{pane_dead}") == "1" })
    }

    @Test func `an editor that stops where no shell can continue it is continued at once`() async throws {
        let terminal = try terminal([ClipsProgram.path], editor: "echo the editor begins\n\(asking)")
        #expect(try await soon { try terminal.shows("live") })
        try terminal.send("e")
        #expect(try await soon { try terminal.shows("the editor begins") })
        try terminal.send("C-z", "C-z")
        try terminal.send("Named anyway", "Enter")
        #expect(try await soon { try title() == "Named anyway" && terminal.shows("live") })
    }

    @Test func `an editor has ^C for itself, and the app continues`() async throws {
        let terminal = try terminal([ClipsProgram.path], editor: "echo the editor begins\n\(asking)")
        #expect(try await soon { try terminal.shows("live") })
        try terminal.send("e")
        #expect(try await soon { try terminal.shows("the editor begins") })
        try terminal.send("C-c")
        let isShown = try await soon {
            try terminal.shows("ended with status 130; your edit of") && terminal.shows("was not saved.")
        }
        #expect(isShown, "\((try? terminal.lines()) ?? [])")
        try terminal.send("q")
        #expect(try await soon { try terminal.format("#{pane_dead}") == "1" })
    }

    @Test func `a script that runs the app stops with it`() async throws {
        let terminal = try terminal(["bash", "--norc", "-i"])
        #expect(try await soon { try terminal.shows("shell>") })
        try terminal.send(try program("wrapper", "'\(ClipsProgram.path)'\necho the wrapper ends"), "Enter")
        #expect(try await soon { try terminal.shows("live") })
        try terminal.send("C-z")
        #expect(try await soon { try terminal.shows("Stopped") })
        try terminal.send("fg", "Enter")
        #expect(try await soon { try terminal.format("#{alternate_on}") == "1" && terminal.shows("live") })
        try terminal.send("q")
        #expect(try await soon { try terminal.shows("the wrapper ends") })
    }

    /// A shell that continues its job as soon as it stops, on one processor where it precedes the app.
    private let restlessShell = """
        import os, signal, sys
        signal.signal(signal.SIGTTOU, signal.SIG_IGN)
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
        job = os.fork()
        if job == 0:
            os.setpgid(0, 0)
            os.tcsetpgrp(0, os.getpid())
            signal.signal(signal.SIGTTOU, signal.SIG_DFL)
            os.execvp("sh", ["sh", "-c", 'nice -n 19 "$0"; :', sys.argv[1]])
        while os.WIFSTOPPED(os.waitpid(job, os.WUNTRACED)[1]):
            os.killpg(job, signal.SIGCONT)
        print("the app has ended")
        """

    @Test func `an app that is continued before it has stopped does not stop`() async throws {
        let terminal = try terminal(["python3", "-c", restlessShell, ClipsProgram.path])
        #expect(try await soon { try terminal.shows("live") })
        for _ in 0..<3 {
            try terminal.send("C-z")
            try terminal.send("/", "clip", "Enter")
            #expect(try await soon { try terminal.shows("/clip") })
            try terminal.send("Escape")
            #expect(try await soon { try !terminal.shows("/clip") && terminal.shows("live") })
        }
        try terminal.send("q")
        #expect(try await soon { try terminal.shows("the app has ended") })
    }

    @Test func `clips edit stops with its editor, and fg continues both`() async throws {
        let terminal = try terminal(
            ["bash", "--norc", "-i"], editor: "echo the editor begins\n\(asking)")
        #expect(try await soon { try terminal.shows("shell>") })
        try terminal.send("\(ClipsProgram.path) edit 1", "Enter")
        #expect(try await soon { try terminal.shows("the editor begins") })
        try terminal.send("C-z")
        #expect(try await soon { try terminal.shows("Stopped") })
        try terminal.send("fg", "Enter")
        #expect(try await soon { try terminal.format("#{pane_current_command}") == "sh" })
        try terminal.send("Named by the command", "Enter")
        #expect(try await soon { try title() == "Named by the command" })
    }
}
