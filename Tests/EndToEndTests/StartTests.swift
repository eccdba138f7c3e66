import Foundation
import TestSupport
import Testing

/// The program's start with unusual streams, arguments, and descriptors.
@Suite(.serialized) struct StartTests {
    let clips: ClipsProgram

    init() throws { clips = try ClipsProgram() }

    @Test func `a clip is saved with closed streams, which stay closed`() throws {
        let run = try clips.shell("$CLIPS extension --title X <&-; $CLIPS extension --title Y <&- 2>&-")
        #expect(run.output == "1\n2\n" && run.errors == "" && run.status == 0, "\(run)")
        // Text that must be read cannot be.
        for words in ["add --text -", "add --jsonl", "import -"] {
            let read = try clips.shell("$CLIPS \(words) <&-")
            #expect(
                read.status == 1 && read.errors.contains("cannot be read: Bad file descriptor."), "\(read)")
        }
        #expect(try clips.sqlite3("PRAGMA integrity_check") == "ok")
        let nothing = try clips.shell("$CLIPS extension --title Z <&- >&- 2>&-")
        #expect(nothing.status == 1)
        #expect(try clips.sqlite3("SELECT group_concat(title, '') FROM Clip") == "XYZ")
    }

    @Test func `arguments are read without a proc file system`() throws {
        try clips.run("add", "--title", "a")
        let script = """
            mount -t tmpfs none /proc || exit 77
            $CLIPS extension --title X && $CLIPS search X --json && $CLIPS list --bad
            """
        let isRoot = geteuid() == 0
        let run = try Shell.run(
            "unshare", (isRoot ? ["-m"] : ["-Urm"]) + ["sh", "-c", script],
            environment: clips.environment.merging(["CLIPS": ClipsProgram.path]) { $1 })
        guard run.status != 77, !run.errors.contains("unshare") else {
            print("skipped: nothing may be mounted here")
            return
        }
        #expect(
            run.status == 2 && run.errors == "clips: Unknown option '--bad'. Run 'clips list --help'.\n",
            "\(run)")
        #expect(run.output.hasPrefix("2\n{") && run.output.contains("\"title\":\"X\""), "\(run)")
    }

    @Test(arguments: [4, 5, 6, 7, 8, 10, 12, 16, 24, 40])
    func `a limit of descriptors ends in a result or a message`(limit: Int) throws {
        try clips.run("add", "--title", "a", "--text", "word")
        let text = clips.folder.path(of: "text")
        try "text\n".write(toFile: text, atomically: true, encoding: .utf8)
        for words in [
            "extension --title X", "list", "search word", "history", "doctor", "history clean --before 0d",
            "backup '\(clips.folder.path(of: "b"))' --force",
        ] {
            let run = try clips.shell("ulimit -n \(limit); timeout 300 $CLIPS \(words) < '\(text)'")
            #expect((0...2).contains(run.status), "\(words): \(run)")
            #expect(
                run.status == 0 || run.errors.contains("clips: ") || run.output.contains("file"),
                "\(words): \(run)")
            guard words.hasPrefix("extension") else { continue }
            #expect(run.status == 0 || (run.errors + retained()).contains("text\\n"), "\(run)")
        }
        let script = clips.folder.path(of: "script")
        try "j\n".write(toFile: script, atomically: true, encoding: .utf8)
        let app = try clips.shell("ulimit -n \(limit); timeout 300 $CLIPS --script '\(script)'")
        #expect(app.status == 0 || (app.status == 1 && app.errors.hasPrefix("clips: ")), "\(app)")
    }

    private func retained() -> String {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: clips.folder.path)) ?? []
        return names.filter { $0.contains("unsaved") }
            .compactMap { try? String(contentsOfFile: clips.folder.path(of: $0), encoding: .utf8) }.joined()
    }

    @Test func `invalid UTF-8 is rejected, and no other name is used for it`() throws {
        try clips.run("add", "--title", "a")
        let commands = [
            "list --store $'\\xff.db'", "add --title a --store $'\\xff.db'", "add --title $'\\xff'",
            "import $'\\xff'", "export --format json -o $'\\xff'", "backup $'\\xff'", "search $'\\xff'",
            "--script $'\\xff'",
        ]
        for words in commands {
            let run = try clips.shell("cd '\(clips.folder.path)'; $CLIPS \(words)")
            #expect(
                run.status == 2 && run.errors.contains("is not valid UTF-8; nothing was done."),
                "\(words): \(run)")
        }
        for name in ["CLIPS_STORE", "HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "TMPDIR", "EDITOR"] {
            let run = try clips.shell("\(name)=$'/tmp/\\xff' $CLIPS list")
            #expect(
                run.status == 2
                    && run.errors.hasPrefix("clips: \(name) is not valid UTF-8; nothing was done."),
                "\(run)")
            #expect(try clips.shell("\(name)=$'/tmp/\\xff' $CLIPS --version").status == 0)
        }
        // A name that is text, and leads to one that is not.
        let led = try clips.shell(
            """
            cd '\(clips.folder.path)'; mkdir $'\\xfe'; ln -s $'\\xfe' link; cd link; $CLIPS add --store a.db --title a
            cd ..; $CLIPS add --store link/a.db --title b; ls $'\\xfe'/*.db
            """)
        #expect(!led.output.contains("a.db"), "\(led)")
        #expect(led.errors.split(separator: "not valid UTF-8").count == 3, "\(led)")
        let names = try FileManager.default.contentsOfDirectory(atPath: clips.folder.path)
        #expect(!names.contains { $0.contains("\u{FFFD}.db") }, "\(names)")
    }

    @Test func `a variable of invalid UTF-8 reaches the editor unchanged`() throws {
        try clips.run("add", "--title", "a")
        let seen = clips.folder.path(of: "seen")
        let run = try clips.shell("ODD=$'\\xff' EDITOR='printenv ODD > \(seen); true' $CLIPS edit 1")
        #expect(run.status == 0, "\(run)")
        #expect(try Data(contentsOf: URL(fileURLWithPath: seen)) == Data([0xFF, 0x0A]))
    }

    @Test func `the program waits for non-blocking streams`() throws {
        let lines = (0..<5000).map {
            "{\"title\":\"title \($0)\",\"text\":\"\(String(repeating: "x", count: 90))\"}\n"
        }
        try clips.run("extension", "--jsonl", "--quiet", input: lines.joined())
        // Both ends slow: the program runs into EAGAIN each way.
        let script = """
            import os, subprocess, sys
            clips = sys.argv[1]
            def waits(child):
                with open(f'/proc/{child.pid}/stat') as file:
                    return file.read().rsplit(')', 1)[1].split()[0] in 'SZ'
            def run(words, feed):
                (r0, w0), (r1, w1) = os.pipe(), os.pipe()
                os.set_blocking(r0, False); os.set_blocking(w1, False)
                child = subprocess.Popen([clips] + words, stdin=r0, stdout=w1)
                os.close(r0); os.close(w1)
                while not waits(child): pass
                os.write(w0, feed); os.close(w0)
                out = b''
                while True:
                    piece = os.read(r1, 4096)
                    if not piece: break
                    out += piece
                print(child.wait(), len(out), out[-40:].decode().strip()[-10:])
            run(['list', '--json'], b'')
            run(['add'], b'piped text')
            run(['add', '--jsonl'], b'{"title":"late line"}')
            run(['import', '-', '--json', '--format', 'jsonl'], b'{"text":"late line"}')
            """
        let run = try Shell.run("python3", ["-c", script, ClipsProgram.path], environment: clips.environment)
        let answers = run.output.split(separator: "\n")
        try #require(answers.count == 4, "\(run)")
        #expect(
            answers[0].hasPrefix("0 ") && (Int(answers[0].split(separator: " ")[1]) ?? 0) > 1_000_000,
            "\(run)")
        #expect(answers[1] == "0 5 5001" && answers[2] == "0 5 5002" && answers[3].hasPrefix("0 "), "\(run)")
        #expect(try clips.sqlite3("SELECT text FROM Clip WHERE id = 5001") == "piped text")
    }
}
