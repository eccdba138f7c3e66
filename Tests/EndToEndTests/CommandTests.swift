import Foundation
import TestSupport
import Testing

/// The commands as a shell sees them: their streams and exit statuses.
@Suite struct CommandTests {
    let clips: ClipsProgram

    init() throws { clips = try ClipsProgram() }

    @Test func `add prints the ID, list the clip, and show all its fields`() throws {
        let added = try clips.run(
            "add", "--url", "https://swift.org/a", "--title", "Swift", "--tag", "x", "--tag", "y", "--note",
            "mine", input: "line one\nline two\n")
        #expect(added.output == "1\n" && added.status == 0 && added.errors == "")
        let list = try clips.run("list").output
        #expect(list.hasSuffix("  cli  Swift  https://swift.org/a  [x, y]\n"), "\(list)")
        let page = try clips.run("show", "1").output
        for words in ["title: Swift", "tags: x, y", "note: mine", "\nline one\nline two\n"] {
            #expect(page.contains(words))
        }
    }

    @Test func `extension saves as its own author by default`() throws {
        try clips.run("extension", "--title", "a")
        try clips.run("extension", "--title", "b", "--author", "work")
        #expect(try clips.sqlite3("SELECT group_concat(author) FROM Clip") == "extension,work")
        #expect(try clips.run("history", "--author", "work").output.contains("saved clip 2 “b”"))
    }

    @Test func `global options precede or follow the command`() throws {
        let other = clips.folder.path(of: "deep/er/other.db")
        #expect(try clips.run("--store", other, "add", "--title", "a").status == 0)
        #expect(try clips.run("list", "--store=\(other)", "--json").output.contains("\"title\":\"a\""))
        #expect(FileManager.default.fileExists(atPath: clips.storePath) == false)
    }

    @Test func `a group's store is found by its name, and only its owner can read it`() throws {
        var program = try Shell.run(
            ClipsProgram.path, ["add", "--title", "a", "--group", "team.clips"],
            environment: clips.environment)
        #expect(program.status == 0)
        program = try Shell.run(
            "env",
            [
                "-i", "HOME=\(clips.folder.path)", "XDG_DATA_HOME=\(clips.folder.path(of: "data"))",
                ClipsProgram.path, "list", "--group", "team.clips",
            ])
        #expect(program.output.contains("  a\n"))
        let folder = clips.folder.path(of: "data/team.clips")
        func mode(_ path: String) throws -> Int? {
            try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        }
        #expect(try mode(folder) == 0o700)
        #expect(try mode(folder + "/clips.db") == 0o600)
    }

    @Test func `JSON has the same keys on every line and UTC times`() throws {
        try clips.run("add", "--title", "a\"\n\u{1F600}")
        let line = try clips.run("list", "--json").output
        let object = try #require(JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        #expect(
            Set(object.keys) == [
                "id", "uuid", "url", "title", "text", "note", "tags", "author", "starred", "unread",
                "archived", "created", "updated", "version",
            ])
        #expect((object["created"] as? String)?.hasSuffix("Z") == true)
        #expect(object["title"] as? String == "a\" \u{1F600}")
    }

    @Test func `invalid JSON lines are reported by number, and the others are saved`() throws {
        let input =
            "{\"url\":\"https://a.b\",\"tags\":\"x,y\"}\nnot json\n\n{\"url\":5}\n[]\n{}\n{\"title\":\"last\"}"
        let run = try clips.run("extension", "--jsonl", input: input)
        #expect(run.status == 1 && run.output == "1\n2\n")
        #expect(
            run.errors == """
                clips: Line 2: it is not JSON.
                clips: Line 4: 'url' has a value of the wrong type.
                clips: Line 5: it is not a JSON object.
                clips: Line 6: it has no url, title, text or note.
                clips: Saved 2 clips, left out 4 lines.

                """)
        let strict = try clips.run("extension", "--jsonl", "--strict", input: input)
        #expect(strict.status == 1 && strict.output == "")
        #expect(try clips.sqlite3("SELECT count(*) FROM Clip") == "2")
    }

    @Test func `show prints the stored text into a pipe, without controls`() throws {
        let text = "👩‍👩‍👧‍👦 🇩🇪\tx\u{1B}[31m\u{202E}\nनमस्ते\u{7F}"
        try clips.run("add", "--title", "🇩🇪 a", "--text", text)
        let page = try clips.run("show", "1").output
        #expect(page.contains("title: 🇩🇪 a\n"))
        try clips.run("tag", "1", "+👩‍👩‍👧‍👦")
        #expect(try clips.run("tags").output == "1  👩‍👩‍👧‍👦\n")
        #expect(page.hasSuffix("\n\n👩‍👩‍👧‍👦 🇩🇪\tx␛[31m\u{FFFD}\nनमस्ते␡\n"), "\(page.debugDescription)")
        let command = "'\(ClipsProgram.path)' show 1"
        let seen = try Shell.run("script", ["-qec", command, "/dev/null"], environment: clips.environment)
        #expect(seen.output.contains("👩 DE x␛[31m"), "\(seen.output.debugDescription)")
    }

    @Test func `a match of several lines is wrapped on a terminal`() throws {
        let words = (1...10).map { "word\($0)" }.joined(separator: " ")
        try clips.run("add", "--title", "a", "--text", "needle \(words) needle \(words)", "--tag", "needle")
        for columns in [20, 40, 80, 200] {
            let command = "stty rows 24 columns \(columns); '\(ClipsProgram.path)' search needle"
            let seen = try Shell.run(
                "script", ["-qec", command, "/dev/null"], environment: clips.environment)
            let text = seen.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
            #expect(text.contains("word9 word10") && !text.contains("Fatal"), "\(columns): \(seen)")
        }
    }

    @Test func `history prints authors and changes, as text and as JSON`() throws {
        try clips.run("add", "--title", "a")
        _ = try clips.sqlite3("UPDATE Clip SET starred = 1")
        try clips.run("delete", "1")
        let lines = try clips.run("history").output.split(separator: "\n")
        #expect(lines.count == 3 && lines[2].hasSuffix("deleted clip 1 “a”"))
        #expect(lines[0].contains("  cli  clips(") && lines[0].hasSuffix("saved clip 1 “a”"))
        #expect(lines[1].contains("  another program  ") && lines[1].hasSuffix("starred clip 1 “a”"))
        for name in ["another program", "(unknown)"] {
            let own = try clips.run("history", "--author", name).output.split(separator: "\n")
            #expect(own == [lines[1]])
        }
        let last = try clips.run("history", "--json", "--limit", "1").output
        let object = try #require(JSONSerialization.jsonObject(with: Data(last.utf8)) as? [String: Any])
        #expect(
            Set(object.keys) == [
                "transaction", "token", "timestamp", "author", "context", "process", "program", "changes",
            ])
        let change = try #require((object["changes"] as? [[String: Any]])?.first)
        #expect(change["kind"] as? String == "delete")
        #expect((change["tombstone"] as? [String: Any])?["title"] as? String == "a")
        let token = try #require(object["token"] as? String)
        #expect(try clips.run("history", "--after", token).output == "")
    }

    @Test func `an expired, foreign or future token is an error, not an empty answer`() throws {
        try clips.run("add", "--title", "a")
        let foreign = try clips.run("history", "--after", "00000000-0000-4000-8000-000000000000.1.1")
        #expect(foreign.status == 1 && foreign.errors.contains("belongs to another store"))
        let object = try clips.run("history", "--json").output
        let storeID = try #require(object.firstRange(of: /[0-9a-f-]{36}/).map { String(object[$0]) })
        #expect(try clips.run("history", "--after", "\(storeID).1.999").errors.contains("older copy"))
        #expect(try clips.run("history", "--after", "yesterdayish").status == 2)
    }

    @Test func `wrong usage is status 2 with a message, a missing clip status 1`() throws {
        try clips.run("add", "--title", "a")
        for (words, sentence) in [
            (["frobnicate"], "Unknown command 'frobnicate'."),
            (["list", "--bad"], "Unknown option '--bad'."),
            (["list", "--limit", "x"], "Use a number from 1."), (["list", "--limit"], "requires a value"),
            (["list", "--sort", "mood"], "Invalid value 'mood' for --sort."),
            (["show"], "Missing operand: ID."), (["add", "stray"], "'stray' is not a URL."),
        ] {
            let run = try Shell.run(ClipsProgram.path, words, environment: clips.environment)
            #expect(run.status == 2 && run.errors.contains(sentence) && run.output == "", "\(words): \(run)")
        }
        #expect(
            try clips.run("show", "7").errors == "clips: There is no clip 7. 'clips list' shows the IDs.\n")
        #expect(try clips.run("delete", "7").status == 1)
        #expect(try clips.run("add").errors.contains("There is nothing to save"))
    }

    @Test func `an unusable store is reported and not changed`() throws {
        func fails(_ path: String, _ sentence: String) throws {
            let run = try clips.run("add", "--title", "a", "--store", path)
            #expect(
                run.status == 1 && run.errors.contains(sentence)
                    && run.errors.split(separator: "\n").count <= 2, "\(run)")
        }
        let text = clips.folder.path(of: "notes.txt")
        try "just text, long enough to be no database header at all, surely so".write(
            toFile: text, atomically: true, encoding: .utf8)
        try fails(text, "is not a store of this program")
        #expect(try String(contentsOfFile: text, encoding: .utf8).hasPrefix("just text"))
        let foreign = clips.folder.path(of: "foreign.db")
        _ = try Shell.run("sqlite3", [foreign], input: "CREATE TABLE t (a);")
        try fails(foreign, "is not a store of this program")
        try clips.run("add", "--title", "a")
        _ = try clips.sqlite3("PRAGMA user_version = 99")
        try fails(clips.storePath, "written by a newer version")
        try fails("/proc/none/clips.db", "Cannot create folder")
        try fails(clips.folder.path, "is a folder, not a store")
    }

    @Test func `escape sequences in a title are shown, not interpreted`() throws {
        try clips.run("add", "--title", "\u{1B}]0;owned\u{7}\u{1B}[2J\u{202E}evil")
        for output in [try clips.run("list").output, try clips.run("show", "1").output] {
            #expect(!output.contains("\u{1B}") && !output.contains("\u{7}") && !output.contains("\u{202E}"))
        }
        #expect(try clips.sqlite3("SELECT instr(title, char(27)) FROM Clip") == "1")
    }

    @Test func `a text of megabytes is saved and shown unchanged`() throws {
        let megabytes = LongProof.count(4, of: 20, "megabytes of a text")
        let text = String(repeating: "0123456789abcde\n", count: megabytes << 16)
        #expect(try clips.run("extension", "--title", "big", input: text).output == "1\n")
        #expect(try clips.sqlite3("SELECT length(text) FROM Clip") == "\(text.utf8.count)")
        #expect(try clips.run("list").output.hasSuffix("  extension  big\n"))
        let shown = try clips.run("show", "1").output
        #expect(shown.hasSuffix(text + "\n") || shown.hasSuffix(text))
    }

    @Test func `the help of each command fits a screen and shows an example`() throws {
        let names = try clips.commandNames()
        // The everyday help omits "consumers".
        #expect(names.count == 31 && !names.contains("consumers"))
        for command in ["", "history clean", "consumers"] + names {
            let help = try Shell.run(
                ClipsProgram.path, command.split(separator: " ").map(String.init) + ["--help"],
                environment: clips.environment
            ).output
            #expect(command == "" || help.hasPrefix("usage: clips \(command) "), "\(command)")
            let lines = help.split(separator: "\n", omittingEmptySubsequences: false)
            // The last one is empty, after the last line's end.
            // That of import has a table of its formats.
            let most = command == "import" ? 75 : 25
            #expect(lines.count <= most && lines.allSatisfy { $0.count <= 80 }, "\(command)")
            #expect(help.contains(/example:\s+(sudo )?clips/), "\(command)")
        }
        #expect(try clips.run("--version").output.hasPrefix("clips "))
    }

    @Test func `history --follow prints each transaction as it is committed`() async throws {
        try clips.run("add", "--title", "before")
        let path = clips.folder.path(of: "feed")
        _ = FileManager.default.createFile(atPath: path, contents: nil)
        let feed = try clips.start(
            ["history", "--follow", "--json"], output: FileHandle(forWritingAtPath: path))
        defer { feed.terminate() }
        func lines() throws -> Int {
            try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").count
        }
        #expect(try await soon { try lines() == 1 })
        try clips.run("extension", "--title", "one")
        _ = try clips.sqlite3("INSERT INTO Clip (title) VALUES ('two')")
        #expect(try await soon { try lines() == 3 })
    }

    @Test func `a change number within a transaction means the whole transaction`() throws {
        try clips.run(
            "extension", "--jsonl", input: "{\"title\":\"a\"}\n{\"title\":\"b\"}\n{\"title\":\"c\"}\n")
        try clips.run("add", "--title", "d")
        let lines = try clips.run("history", "--after", "3").output.split(separator: "\n")
        #expect(lines.count == 1 && lines[0].hasSuffix("saved clip 4 “d”"))
    }

    @Test func `help and version are also commands`() throws {
        for (words, option) in [
            (["help"], ["--help"]), (["help", "help"], ["--help"]),
            (["help", "history"], ["history", "--help"]),
            (["version"], ["--version"]),
        ] {
            let asWord = try Shell.run(ClipsProgram.path, words, environment: clips.environment).output
            #expect(try asWord == Shell.run(ClipsProgram.path, option, environment: clips.environment).output)
        }
    }

    @Test(arguments: ["-", "/dev/stdin"])
    func `a script is read from a pipe`(name: String) throws {
        try clips.run("add", "--title", "a clip")
        let run = try Shell.run(
            "sh", ["-c", "printf ':dump -\n' | '\(ClipsProgram.path)' --script \(name)"],
            environment: clips.environment)
        #expect(run.status == 0 && run.output.contains("a clip") && run.errors == "")
    }

    @Test func `an address is opened by the command that BROWSER names`() throws {
        try clips.run("add", "--url", "https://example.org/opened")
        let script = clips.folder.path(of: "script")
        try "o\n:wait text=Opened\n".write(toFile: script, atomically: true, encoding: .utf8)
        #expect(try clips.run("--script", script).errors == "")
        #expect(clips.opened == "https://example.org/opened\n")
    }

    @Test(arguments: ["list", "search"])
    func `an invalid value in a query is reported next to the result`(command: String) throws {
        try clips.run("add", "--title", "a clip")
        for (word, sentence) in [
            (
                "is:foo",
                "Unknown field value 'is:foo'. Use is:starred, is:unread, is:read, is:archived, is:dead, "
                    + "is:moved, or is:unchecked."
            ),
            ("after:2026-13", "Unknown date 'after:2026-13'. Use 2026-11-01,"),
            ("on:2010-02-30", "Unknown date 'on:2010-02-30'. Use 2026-11-01,"),
            ("after:05/03/2010", "Unknown date 'after:05/03/2010'. Use 2026-11-01,"),
            ("on:nonsense", "Unknown date 'on:nonsense'. Use 2026-11-01,"),
        ] {
            let run = try clips.run(command, "clip", word)
            #expect(run.status == 1 && run.errors.contains("clips: \(sentence)"), "\(run)")
        }
        #expect(try clips.run(command, "clip", "is:unread", "after:2000").errors == "")
    }

    @Test func `a search takes words with a minus after its query, and reports clips beyond its limit`()
        throws
    {
        let titles = (0..<1200).map { #"{"title":"python \#($0) \#($0 % 2 == 0 ? "rust" : "")"}"# }
        try clips.run("add", "--jsonl", input: titles.joined(separator: "\n"))
        let run = try clips.run("search", "python", "-rust", "--limit", "3")
        #expect(run.status == 0 && run.output.split(separator: "\n").count == 3, "\(run)")
        #expect(run.errors.contains("clips: 3 of 600 clips. Use --limit N to print more."), "\(run.errors)")
        #expect(try clips.run("search", "python").errors.contains("20 of 1,200 clips"))
        #expect(try clips.run("search", "python", "--limit", "1200").errors == "")
        #expect(try clips.run("list", "-rust", "--quiet").output.split(separator: "\n").count == 600)
    }

    @Test func `a search and a filter without matches offer close words`() throws {
        try clips.run("add", "--title", "Learning Swift")
        let run = try clips.run("search", "swft")
        #expect(run.output == "" && run.errors == "clips: No clip matches; did you mean 'swift'?\n", "\(run)")
        let none = try clips.run("search", "qqqq").errors
        #expect(none == "clips: No clip matches; 'clips help search' describes queries.\n")
        let script = clips.folder.path(of: "script")
        try "/swft<Enter>\n:wait text=similar: swift\n:wait count=1\n".write(
            toFile: script, atomically: true, encoding: .utf8)
        let app = try clips.run("--script", script)
        #expect(app.status == 0 && app.errors == "", "\(app)")
    }
}
