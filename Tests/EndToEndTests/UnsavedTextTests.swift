import Foundation
import TestSupport
import Testing

/// A clip that cannot be saved is retained for every reason, in the form that `--jsonl` reads.
@Suite(.serialized) struct UnsavedTextTests {
    let clips: ClipsProgram

    init() throws { clips = try ClipsProgram() }

    /// The path and the contents of the file that a message names.
    private func retained(_ errors: String) throws -> (path: String, lines: String) {
        let path = try #require(errors.firstMatch(of: /retained in ([^;\n]+?\.jsonl)/)?.1, "\(errors)")
        return (String(path), try String(contentsOfFile: String(path), encoding: .utf8))
    }

    private static let words = "add --url https://a.b --title T --note N --tag x --tag y --author me"
    /// The clips without the values that each save creates.
    private static let columns =
        "SELECT url, title, text, note, tags, author, starred, unread FROM Clip ORDER BY id DESC LIMIT 1"

    @Test(arguments: [
        "env -u CLIPS_STORE -u HOME -u XDG_DATA_HOME $CLIPS",
        "env CLIPS_STORE=/proc/none/clips.db $CLIPS",
        "env -u CLIPS_STORE XDG_DATA_HOME=/dev/null $CLIPS",
        "env CLIPS_STORE=/dev/null $CLIPS", "env CLIPS_STORE=$TMPDIR/text $CLIPS",
        "$CLIPS --group a/b",
    ])
    func `a clip is retained if the store cannot be opened`(program: String) throws {
        try "text\n".write(toFile: clips.folder.path(of: "text"), atomically: true, encoding: .utf8)
        let failed = try clips.shell("echo hard to come by | \(program) \(Self.words)")
        #expect(failed.status == 1 && failed.output == "", "\(failed)")
        let (path, _) = try retained(failed.errors)
        #expect(
            try clips.run("add", "--jsonl", input: String(contentsOfFile: path, encoding: .utf8)).status == 0)
        let read = try clips.sqlite3(Self.columns)
        #expect(try clips.shell("echo hard to come by | $CLIPS \(Self.words)").status == 0)
        #expect(try read == clips.sqlite3(Self.columns))
        #expect(read.contains("hard to come by") && read.contains("|x,y|me|"), "\(read)")
    }

    @Test(arguments: [
        "--duplicates nonsense", "--nonsense", "--title", "--color nonsense", "--tag a,b", "a.b 'no URL'",
        "--store /proc/none/a.db --group a", "--fetch",
    ])
    func `the piped text of a refused command is retained`(words: String) throws {
        for command in ["add", "extension"] {
            let run = try clips.shell("echo hard to come by | $CLIPS \(command) \(words)")
            #expect(run.status == (words.hasPrefix("--store") ? 1 : 2), "\(run)")
            let lines = try retained(run.errors).lines
            #expect(try clips.run("add", "--jsonl", input: lines).status == 0)
            #expect(try clips.sqlite3("SELECT text FROM Clip ORDER BY id DESC LIMIT 1") == "hard to come by")
        }
        let lines = try clips.shell(#"echo '{"title":"hard to come by"}' | $CLIPS add --jsonl "# + words)
        #expect(lines.status == (words.hasPrefix("--store") ? 1 : 2), "\(lines)")
        let retained = try retained(lines.errors).lines
        #expect(try clips.run("add", "--jsonl", input: retained).status == 0)
        #expect(try clips.sqlite3("SELECT title FROM Clip ORDER BY id DESC LIMIT 1") == "hard to come by")
    }

    @Test(arguments: ["--format nonsense -", "--duplicates nonsense -", "- --nonsense", "--tag a,b -"])
    func `the piped file of a refused import is retained as it was`(words: String) throws {
        let run = try clips.shell(#"printf '<a href="https://a.b">hard</a>\n\377' | $CLIPS import "# + words)
        #expect(run.status == 2, "\(run)")
        let path = try #require(
            run.errors.firstMatch(of: #/The input is retained in ([^;\n]+); save it with 'clips import /#)?.1,
            "\(run)")
        let bytes = try Data(contentsOf: URL(fileURLWithPath: String(path)))
        #expect(bytes == Data("<a href=\"https://a.b\">hard</a>\n".utf8) + [0xFF])
    }

    @Test(arguments: [false, true])
    func `the piped input of an import is retained if the store rejects it`(canOpen: Bool) throws {
        try clips.run("add", "--title", "a")
        let reject = "CREATE TRIGGER no BEFORE INSERT ON Clip BEGIN SELECT RAISE(ABORT, 'no'); END"
        _ = try clips.sqlite3(reject)
        let run = try clips.shell(
            "seq -f 'https://a.b/%.0f' 700 | $CLIPS import --tag x -",
            canOpen ? [:] : ["CLIPS_STORE": "/proc/none/clips.db"])
        #expect(run.status == 1 && run.errors.contains("Read 700 clips, saved 0"), "\(run)")
        let lines = try retained(run.errors).lines
        _ = try clips.sqlite3("DROP TRIGGER no")
        #expect(try clips.run("add", "--jsonl", "--quiet", input: lines).status == 0)
        #expect(
            try clips.sqlite3("SELECT count(DISTINCT url), min(tags), min(author) FROM Clip WHERE id > 1")
                == "700|x|import")
    }

    @Test func `a clip that gets no ID names the repair, after which it is saved`() throws {
        try clips.run("add", "--title", "a")
        _ = try clips.sqlite3("INSERT INTO Clip (id, title) VALUES (\(Int64.max), 'top')")
        var files: [String] = []
        for command in [
            "echo text | $CLIPS add", "echo '{\"title\":\"b\"}' | $CLIPS add --jsonl",
            "echo https://a.b | $CLIPS import -",
        ] {
            let run = try clips.shell(command)
            #expect(run.status == 1 && run.errors.contains("greatest possible ID"), "\(run)")
            #expect(run.errors.contains("Run 'clips doctor --repair'."), "\(run)")
            files.append(try retained(run.errors).lines)
        }
        #expect(try clips.run("doctor", "--repair").status == 0)
        for lines in files { #expect(try clips.run("add", "--jsonl", input: lines).status == 0) }
        #expect(try clips.sqlite3("SELECT count(*), max(id) FROM Clip") == "5|5")
    }

    @Test func `where no folder can be written, the line is printed`() throws {
        let script = """
            # By its descriptor: the package may be below /tmp, too.
            exec 9<$CLIPS
            mount -t tmpfs -o ro none /tmp || exit 77
            echo hard to come by | /proc/self/fd/9 \(Self.words)
            echo $?
            echo hard to come by | /proc/self/fd/9 \(Self.words) 2>&-
            """
        let isRoot = geteuid() == 0
        let run = try Shell.run(
            "unshare", (isRoot ? ["-m"] : ["-Urm"]) + ["sh", "-c", script],
            environment: clips.environment.merging([
                "CLIPS": ClipsProgram.path, "CLIPS_STORE": "/proc/none/clips.db", "TMPDIR": "/proc",
            ]) { $1 })
        guard run.status != 77, !run.errors.contains("unshare") else {
            print("skipped: nothing may be mounted here")
            return
        }
        let line =
            "{\"archived\":false,\"author\":\"me\",\"note\":\"N\",\"starred\":false,\"tags\":[\"x\",\"y\"],"
            + "\"text\":\"hard to come by\\n\",\"title\":\"T\",\"url\":\"https://a.b\"}\n"
        #expect(run.errors.hasSuffix("each line that follows is for 'clips add --jsonl':\n" + line), "\(run)")
        #expect(run.output == "1\n" + line && run.status == 1)
        #expect(try clips.run("add", "--jsonl", input: line).status == 0)
        #expect(try clips.sqlite3(Self.columns) == "https://a.b|T|hard to come by\n|N|x,y|me|0|1")
    }

    @Test(arguments: [(SIGINT, 130), (SIGTERM, 143), (SIGHUP, 129)] as [(Int32, Int32)], ["", "--jsonl"])
    func `a signal while another process holds the store retains the text`(
        signal: (number: Int32, status: Int32), form: String
    ) async throws {
        try clips.run("add", "--title", "a")
        let holder = try LineProcess("sqlite3", [clips.storePath])
        #expect(try holder.ask("BEGIN IMMEDIATE; SELECT 'held';") == "held")
        let (input, errors) = (clips.folder.path(of: "input"), clips.folder.path(of: "errors"))
        #expect(mkfifo(input, 0o600) == 0)
        // Opened for both, so that opening waits for nothing.
        let feed = open(input, O_RDWR | O_CLOEXEC)
        let text = form.isEmpty ? "hard to come by" : "{\"title\":\"hard to come by\",\"starred\":true}\n"
        _ = Array(text.utf8).withUnsafeBytes { write(feed, $0.baseAddress, $0.count) }
        let words = form.isEmpty ? ["add", "--title", "b"] : ["add", form]
        let process = try Shell.spawn(
            [ClipsProgram.path] + words, environment: clips.environment, input: input, output: "/dev/null",
            errors: errors)
        // The program has its own end by now: nothing else reads.
        #expect(await soon { isEmpty(feed) })
        close(feed)
        #expect(await soon { waitsForLock(process) })
        kill(process, signal.number)
        #expect(Shell.wait(for: process) == signal.status)
        let said = try String(contentsOfFile: errors, encoding: .utf8)
        #expect(said.contains("was locked for"), "\(said)")
        #expect(try retained(said).lines.contains("hard to come by"))
        #expect(try holder.ask("COMMIT; SELECT 'released';") == "released")
        #expect(try clips.sqlite3("SELECT count(*) FROM Clip") == "1")
        #expect(try clips.run("add", "--jsonl", input: retained(said).lines).status == 0)
        #expect(
            try clips.sqlite3("SELECT title || text || starred FROM Clip WHERE id = 2").contains(
                form.isEmpty ? "bhard" : "come by1"))
    }

    @Test(arguments: [(SIGINT, 130), (SIGTERM, 143), (SIGHUP, 129)] as [(Int32, Int32)])
    func `a signal while add reads standard input retains the text read so far`(
        signal: (number: Int32, status: Int32)
    ) async throws {
        let (input, errors) = (clips.folder.path(of: "input"), clips.folder.path(of: "errors"))
        #expect(mkfifo(input, 0o600) == 0)
        // Open for writing during the test, so that the input does not end.
        let feed = open(input, O_RDWR | O_CLOEXEC)
        defer { close(feed) }
        for text in ["", "hard to come by"] {
            let process = try Shell.spawn(
                [ClipsProgram.path, "add", "--title", "b"], environment: clips.environment, input: input,
                output: "/dev/null", errors: errors)
            _ = Array(text.utf8).withUnsafeBytes { write(feed, $0.baseAddress, $0.count) }
            #expect(await soon { isEmpty(feed) && isBlocked(process, signal.number) })
            kill(process, signal.number)
            #expect(Shell.wait(for: process) == signal.status)
            let said = try String(contentsOfFile: errors, encoding: .utf8)
            guard !text.isEmpty else {
                #expect(said == "")
                continue
            }
            #expect(said.hasPrefix("clips: Interrupted while reading standard input.\n"), "\(said)")
            #expect(try clips.run("add", "--jsonl", input: retained(said).lines).status == 0)
            #expect(try clips.sqlite3("SELECT title || text FROM Clip") == "bhard to come by")
        }
    }

    @Test func `a signal while --strict reads lines saves none, and says so`() async throws {
        let (input, errors) = (clips.folder.path(of: "input"), clips.folder.path(of: "errors"))
        #expect(mkfifo(input, 0o600) == 0)
        let feed = open(input, O_RDWR | O_CLOEXEC)
        defer { close(feed) }
        let process = try Shell.spawn(
            [ClipsProgram.path, "add", "--jsonl", "--strict"], environment: clips.environment, input: input,
            output: "/dev/null", errors: errors)
        _ = Array("{\"title\":\"a\"}\n".utf8).withUnsafeBytes { write(feed, $0.baseAddress, $0.count) }
        #expect(await soon { isEmpty(feed) && isBlocked(process, SIGINT) })
        kill(process, SIGINT)
        #expect(Shell.wait(for: process) == 130)
        let said = try String(contentsOfFile: errors, encoding: .utf8)
        #expect(said.hasPrefix("clips: Interrupted, so with --strict nothing was saved.\n"), "\(said)")
        #expect(
            try retained(said).lines.contains("\"title\":\"a\"")
                && clips.sqlite3("SELECT count(*) FROM Clip") == "0")
    }

    @Test func `a signal while an import reads standard input retains the clips read so far`() async throws {
        let (input, errors) = (clips.folder.path(of: "input"), clips.folder.path(of: "errors"))
        #expect(mkfifo(input, 0o600) == 0)
        let feed = open(input, O_RDWR | O_CLOEXEC)
        defer { close(feed) }
        let process = try Shell.spawn(
            [ClipsProgram.path, "import", "--format", "text", "-"], environment: clips.environment,
            input: input, output: "/dev/null", errors: errors)
        let lines = (1...20).map { "https://a.b/\($0)\n" }.joined()
        _ = Array(lines.utf8).withUnsafeBytes { write(feed, $0.baseAddress, $0.count) }
        #expect(await soon { isEmpty(feed) && isBlocked(process, SIGINT) })
        kill(process, SIGINT)
        #expect(Shell.wait(for: process) == 130)
        let said = try String(contentsOfFile: errors, encoding: .utf8)
        let saved = Int(try clips.run("list", "--json").output.split(separator: "\n").count)
        let left = try retained(said).lines.split(separator: "\n").count
        #expect(saved + left == 20, "\(said)")
    }

    /// Whether a process holds a signal until it has retained its input.
    private func isBlocked(_ process: pid_t, _ signal: Int32) -> Bool {
        let status = (try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)) ?? ""
        let mask = status.firstMatch(of: /SigBlk:\s*([0-9a-f]+)/).flatMap { UInt64($0.1, radix: 16) }
        return (mask ?? 0) & 1 << UInt64(signal - 1) != 0
    }

    private func isEmpty(_ descriptor: Int32) -> Bool {
        var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&polled, 1, 0) == 0
    }

    /// Whether it holds the store's log open and sleeps between two tries.
    private func waitsForLock(_ process: pid_t) -> Bool {
        let folder = "/proc/\(process)/fd"
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        let hasLog = names.contains {
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\($0)"))?.hasSuffix("-wal")
                == true
        }
        let call = (try? String(contentsOfFile: "/proc/\(process)/wchan", encoding: .utf8)) ?? ""
        return hasLog && (call.contains("nanosleep") || call == "0")
    }

    /// An edit of the clip 1 whose editor has changed the text, while another process has the write lock.
    private struct HeldEdit {
        let holder: LineProcess
        let process: pid_t
        private let errors: String
        private let end: String

        init(_ clips: ClipsProgram) throws {
            try clips.run("add", "--title", "a")
            holder = try LineProcess("sqlite3", [clips.storePath])
            #expect(try holder.ask("BEGIN IMMEDIATE; SELECT 'held';") == "held")
            let edited = clips.folder.path(of: "edited")
            (errors, end) = (clips.folder.path(of: "errors"), clips.folder.path(of: "end"))
            #expect(mkfifo(end, 0o600) == 0)
            process = try Shell.spawn(
                [ClipsProgram.path, "edit", "1"],
                environment: clips.environment.merging([
                    "EDITOR": "echo hard to come by >> \"$1\"; touch '\(edited)'; cat '\(end)'; true",
                    "TMPDIR": clips.folder.path,
                ]) { $1 }, input: "/dev/null", output: "/dev/null", errors: errors)
            #expect(eventually { access(edited, F_OK) == 0 })
        }

        func endEditor() { close(open(end, O_WRONLY)) }

        var said: String { get throws { try String(contentsOfFile: errors, encoding: .utf8) } }
    }

    @Test(arguments: [true, false])
    func `a signal during an edit, and while it waits for the store, says where the text is`(
        isDuringEdit: Bool
    ) async throws {
        let edit = try HeldEdit(clips)
        if isDuringEdit { kill(edit.process, SIGTERM) }
        edit.endEditor()
        if !isDuringEdit {
            #expect(await soon { waitsForLock(edit.process) })
            kill(edit.process, SIGTERM)
        }
        #expect(Shell.wait(for: edit.process) == 143)
        let said = try edit.said
        let path = try #require(said.firstMatch(of: /Your text is in (.+)\.\n/)?.1, "\(said)")
        #expect(try String(contentsOfFile: String(path), encoding: .utf8).contains("hard to come by"))
    }

    @Test func `an interrupt during an edit belongs to the editor, and the text is saved`() async throws {
        let edit = try HeldEdit(clips)
        kill(edit.process, SIGINT)
        edit.endEditor()
        #expect(await soon { waitsForLock(edit.process) })
        #expect(try edit.holder.ask("ROLLBACK; SELECT 'free';") == "free")
        #expect(Shell.wait(for: edit.process) == 0)
        #expect(try edit.said.hasPrefix("clips: Saved clip 1 “"))
        #expect(try clips.run("show", "1").output.contains("hard to come by"))
    }

    @Test func `a signal that the parent process ignored stays ignored`() async throws {
        try clips.run("add", "--title", "a")
        let holder = try LineProcess("sqlite3", [clips.storePath])
        #expect(try holder.ask("BEGIN IMMEDIATE; SELECT 'held';") == "held")
        let errors = clips.folder.path(of: "errors")
        let process = try Shell.spawn(
            ["bash", "-c", "trap '' HUP; exec \"$0\" add --title b", ClipsProgram.path],
            environment: clips.environment, input: "/dev/null", output: "/dev/null", errors: errors)
        #expect(await soon { waitsForLock(process) })
        kill(process, SIGHUP)
        #expect(Shell.wait(for: process) == 1)
        #expect(try String(contentsOfFile: errors, encoding: .utf8).contains("was locked for 5"))
    }

    @Test func `a text longer than a clip takes is retained in parts`() throws {
        let sum = clips.folder.path(of: "sum")
        let script = """
            python3 -c "import sys; sys.stdout.write('xä' * 25000000)" | tee >(md5sum > '\(sum)') | $CLIPS add --title T
            """
        let run = try clips.shell(script)
        #expect(
            run.status == 1
                && run.errors.contains("Nothing was saved: the input exceeds 64 MB, the size of a clip."),
            "\(run.errors)")
        let path = try #require(
            run.errors.firstMatch(of: /The input is retained as 2 clips in ([^;]+); save them/)?.1, "\(run)")
        #expect(run.errors.hasSuffix("with 'clips add --jsonl < \(path)'.\n"), "\(run)")
        let titles = "SELECT title FROM Clip ORDER BY id"
        let again = try clips.shell("$CLIPS add --jsonl < '\(path)'; sqlite3 $CLIPS_STORE '\(titles)'")
        #expect(again.output == "1\n2\nT (part 1)\nT (part 2)\n", "\(again)")
        let texts = "SELECT text FROM Clip ORDER BY id"
        let sums = try clips.shell(
            "cut -c 1-32 '\(sum)'; sqlite3 $CLIPS_STORE '\(texts)' | tr -d '\\n' | md5sum | cut -c 1-32")
        let both = sums.output.split(separator: "\n")
        #expect(both.count == 2 && both[0] == both[1], "\(sums)")
    }

    @Test func `lines that cannot be read, and those that --strict holds back, are retained`() throws {
        let input =
            "{\"title\":\"a\"}\nno JSON\n{\"title\":\"b\",\"created\":\"2001-02-03T04:05:06.789Z\",\"author\":\"x\"}\n"
        let part = try clips.shell("printf %s '\(input)' | $CLIPS add --jsonl")
        #expect(part.status == 1 && part.output == "1\n2\n", "\(part)")
        #expect(try retained(part.errors).lines == "no JSON\n")
        let strict = try clips.shell("printf %s '\(input)' | $CLIPS add --jsonl --strict")
        #expect(strict.status == 1 && strict.output == "", "\(strict)")
        let lines = try retained(strict.errors).lines
        #expect(lines.contains("no JSON\n"))
        let again = try clips.run("add", "--jsonl", input: lines.replacing("no JSON\n", with: ""))
        #expect(again.output == "3\n4\n")
        #expect(
            try clips.sqlite3("SELECT title, author, created FROM Clip WHERE id IN (2, 4)")
                == "b|x|981173106789\nb|x|981173106789")
    }

    @Test func `ids that cannot be printed do not stop the saving`() throws {
        let lines = (0..<3000).map { "{\"title\":\"\($0)\"}\n" }.joined()
        let input = clips.folder.path(of: "input")
        try lines.write(toFile: input, atomically: true, encoding: .utf8)
        let closed = try clips.shell("cat '\(input)' | $CLIPS add --jsonl | true; echo ${PIPESTATUS[1]}")
        #expect(
            closed.output == "1\n"
                && closed.errors.hasSuffix(
                    "Saved 3,000 clips, but standard output could not be written: Broken pipe.\n"),
            "\(closed)")
        #expect(try clips.sqlite3("SELECT count(*) FROM Clip") == "3000")
        for (target, reason) in [("/dev/full", "No space left on device"), ("&-", "Bad file descriptor")] {
            let run = try clips.shell("$CLIPS extension --title one >\(target)")
            #expect(run.status == 1)
            #expect(
                run.errors.contains(#/Saved as \d+, but standard output could not be written: /#)
                    && run.errors.hasSuffix("\(reason).\n"), "\(run)")
        }
        let broken = try clips.shell("$CLIPS add --title one | true; echo ${PIPESTATUS[0]}")
        #expect(broken.output == "1\n" && broken.errors.contains("Saved as 3003, but"), "\(broken)")
    }

    @Test(arguments: ["adds", "frobnicate"])
    func `text for a mistyped command is retained`(name: String) throws {
        let run = try Shell.run(
            "sh", ["-c", "echo piped text | '\(ClipsProgram.path)' \(name)"], environment: clips.environment)
        #expect(run.status == 2 && run.errors.contains("Unknown command '\(name)'."), "\(run)")
        let path = try #require(run.errors.firstMatch(of: /retained in (\S+);/)?.1)
        #expect(try String(contentsOfFile: String(path), encoding: .utf8).contains("piped text"))
    }

}
