import Foundation
import TestSupport
import Testing

/// The program in pipes, and in any locale and time zone.
@Suite(.serialized) struct PipeTests {
    private func store(_ count: Int) throws -> ClipsProgram {
        try ClipsProgram.copy(count) { clips in
            let first = "{\"title\":\"title 0\",\"url\":\"https://a.b/0\"}\n"
            #expect(try clips.run("extension", "--jsonl", "--quiet", input: first).status == 0)
            // A transaction for each thousand.
            for start in stride(from: 1, to: count, by: 1000) {
                _ = try clips.sqlite3(
                    """
                    WITH RECURSIVE n (i) AS (SELECT \(start) UNION ALL SELECT i + 1 FROM n
                    WHERE i + 1 < \(min(start + 1000, count)))
                    INSERT INTO Clip (title, url) SELECT 'title ' || i, 'https://a.b/' || i FROM n;
                    """)
            }
        }
    }

    @Test(arguments: [
        "list", "list --json", "list title", "search title --limit 5000", "history --json",
        "export --format csv",
        "export --format html",
    ])
    func `a closed pipe ends the program silently`(words: String) throws {
        let clips = try store(5000)
        let run = try clips.shell("$CLIPS \(words) | head -n 1 | wc -l; echo ${PIPESTATUS[0]}")
        // 128 and SIGPIPE, as of cat and grep.
        #expect(run.errors == "" && run.output == "1\n141\n", "\(run)")
    }

    @Test func `a closed pipe ends the program even if SIGPIPE is ignored`() throws {
        let clips = try store(5000)
        let run = try clips.shell("trap '' PIPE; $CLIPS list | head -n 1 | wc -l; echo ${PIPESTATUS[0]}")
        #expect(run.errors == "" && run.output == "1\n141\n", "\(run)")
    }

    @Test(arguments: [
        "list", "list --json", "show 1", "search title", "history", "export --format csv",
        "export --format html",
        "export --format json -o /dev/full", "man", "completions bash", "--help", "--version", "doctor",
        "history clean --dry-run",
    ])
    func `output that cannot be written is reported with status 1`(words: String) throws {
        let clips = try store(3)
        let run = try clips.shell("$CLIPS \(words) > /dev/full")
        #expect(run.status == 1, "\(run)")
        #expect(run.errors == "clips: The output cannot be written: No space left on device.\n")
    }

    @Test func `a closed output is reported, and nothing is written into the store's file`() throws {
        let clips = try store(1)
        let run = try clips.shell(
            "$CLIPS list >&-; echo $?; $CLIPS add --title b >&- 2>&-; $CLIPS list | wc -l")
        #expect(run.output == "1\n2\n", "\(run)")
        #expect(run.errors == "clips: The output cannot be written: Bad file descriptor.\n")
        #expect(try clips.sqlite3("PRAGMA integrity_check") == "ok")
    }

    @Test func `xargs passes IDs from one command to the next`() throws {
        let clips = try store(3)
        let run = try clips.shell(
            """
            $CLIPS list --json | grep -o '"id":[0-9]*' | cut -d: -f2 | xargs $CLIPS show | grep ^title
            $CLIPS list --json | grep -o '"id":[0-9]*' | cut -d: -f2 | xargs $CLIPS delete
            $CLIPS history --json | grep -o '"kind":"delete","object":[0-9]*' | grep -o '[0-9]*$' \\
                | xargs -n 1 $CLIPS restore --quiet; $CLIPS list | wc -l
            """)
        #expect(run.output == "title: title 2\ntitle: title 1\ntitle: title 0\n3\n", "\(run)")
        #expect(run.errors == "clips: Deleted 3 clips.\n")
    }

    @Test func `history --follow writes each line at its commit`() throws {
        let clips = try store(1)
        let feed = try LineProcess(
            "env",
            clips.environment.map { "\($0.key)=\($0.value)" } + [
                ClipsProgram.path, "history", "--follow", "--json",
            ])
        #expect(try feed.answer().contains("\"kind\":\"insert\""))
        for title in ["b", "c"] {
            try clips.run("add", "--title", title)
            #expect(try feed.answer().contains("\"author\":\"cli\""))
        }
        // After its reader exited, it ends at the next line.
        let status = clips.folder.path(of: "status")
        let piped = try clips.shell(
            """
            ($CLIPS history --follow; echo $? > '\(status)') | head -n 1 > /dev/null &
            for i in {1..1000}; do $CLIPS add --title d --quiet > /dev/null; test -s '\(status)' && break; done
            cat '\(status)'
            """)
        #expect(piped.output == "141\n" && piped.errors == "", "\(piped)")
    }

    @Test func `history --follow ends with its reader, without another commit`() throws {
        let clips = try store(1)
        let run = try clips.shell(
            "timeout 300 $CLIPS history --follow | head -n 1 | wc -l; echo ${PIPESTATUS[0]}")
        #expect(run.errors == "" && run.output == "1\n141\n", "\(run)")
    }

    @Test(arguments: [
        ["history", "--json"], ["history", "--follow", "--json"], ["list", "title", "--json"],
        ["search", "title", "--limit", "5000"], ["export", "--format", "json"],
    ])
    func `unread output holds no snapshot of the store`(words: [String]) async throws {
        // One long transaction and many short ones, each more than a pipe holds.
        let clips = try store(3000)
        for title in ["a", "b"] { try clips.run("add", "--title", title) }
        _ = try Shell.run(
            "sqlite3", [clips.storePath],
            input: String(repeating: "UPDATE Clip SET title = title || 'x' WHERE id % 100 = 1;\n", count: 40))
        let feed = try LineProcess(
            "env", clips.environment.map { "\($0.key)=\($0.value)" } + [ClipsProgram.path] + words)
        // It sleeps in write(2) on the full pipe.
        let wait = "/proc/\(feed.identifier)/syscall"
        func isBlocked() -> Bool {
            (try? String(contentsOfFile: wait, encoding: .utf8))?.hasPrefix("1 ") == true
        }
        #expect(await soon { isBlocked() })
        try clips.run("add", "--title", "later")
        #expect(try clips.sqlite3("PRAGMA wal_checkpoint(TRUNCATE)") == "0|0|0")
        // A commit has 16 pages; those of the smaller number are seven times those after which a checkpoint begins.
        let count = LongProof.count(450, of: 1200, "commits next to unread output")
        let writer = (0..<count).map {
            "UPDATE Clip SET note = hex(zeroblob(16000 + \($0))) WHERE id = \($0 % 50 + 1);\n"
        }
        let mode = LongProof.isWhole ? "" : "PRAGMA synchronous = OFF;\n"
        _ = try Shell.run("sqlite3", [clips.storePath], input: mode + writer.joined())
        // A checkpoint after each 1,000 pages begins the log from its start, unless a reader needs its pages.
        let size = try clips.shell("stat -c %s '\(clips.storePath)-wal'").output.dropLast()
        #expect(try #require(Int(size)) < 16 << 20 && isBlocked(), "\(size)")
    }

    @Test func `a transaction of any length is one line`() throws {
        let clips = try ClipsProgram()
        let clip = "{\"title\":\"x\"}\n"
        try clips.run("extension", "--jsonl", "--strict", input: String(repeating: clip, count: 2500))
        let lines = try clips.run("history", "--json").output.split(separator: "\n")
        #expect(lines.count == 1)
        let object = try JSONSerialization.jsonObject(with: Data(lines[0].utf8)) as? [String: Any]
        let changes = object?["changes"] as? [[String: Any]]
        let isWhole = changes?.compactMap { $0["object"] as? Int } == Array(1...2500)
        #expect(isWhole)
        #expect(object?["author"] as? String == "extension")
        let text = try clips.run("history").output
        #expect(
            text.hasSuffix("saved clip 6 “x”, and 2494 more\n") && !text.dropLast().contains("\n"), "\(text)")
    }

    @Test func `texts are the same in any locale`() throws {
        let clips = try ClipsProgram()
        try clips.run("add", "--title", "Größe 漢字 \u{1F600}", "--tag", "ключ")
        let expected = try clips.run("list", "--json").output
        let page = try clips.run("show", "1").output
        for locale in ["C", "POSIX", "", "de_DE.UTF-8", "tr_TR.UTF-8", "xx_YY.KOI8-R", "C.UTF-8"] {
            // Not in the environment of bash, which reports a missing locale itself.
            let run = try clips.shell(
                """
                clips() { env LC_ALL='\(locale)' LANG='\(locale)' "$CLIPS" "$@"; }
                clips list --json; clips show 1; clips search 'größe tag:КЛЮЧ' --json
                """)
            #expect(run.output == expected + page + expected && run.errors == "", "\(locale): \(run)")
        }
        let bare = try clips.shell("env -i CLIPS_STORE=\"$CLIPS_STORE\" $CLIPS list --json")
        #expect(bare.output == expected && bare.errors == "")
        #expect(
            try clips.shell("env LC_ALL=tr_TR.UTF-8 $CLIPS show 7").errors.hasPrefix(
                "clips: There is no clip 7."))
    }

    @Test func `times of JSON are UTC in any time zone, and days are local, as in queries`() throws {
        let clips = try ClipsProgram()
        try clips.run("add", "--title", "a")
        _ = try clips.sqlite3("UPDATE Clip SET created = 1763686800000")
        for zone in ["UTC", "Asia/Kolkata", "America/St_Johns", ":/none", "", "XXX-14", "nonsense"] {
            let day = zone == "America/St_Johns" ? "2025-11-20" : "2025-11-21"
            let run = try clips.shell(
                "$CLIPS list --json | grep -o '\"created\":\"[^\"]*\"'; $CLIPS list on:\(day)", ["TZ": zone])
            #expect(
                run.output == "\"created\":\"2025-11-21T01:00:00.000Z\"\n1  \(day)  cli  a\n"
                    && run.errors == "", "\(zone): \(run)")
        }
    }
}
