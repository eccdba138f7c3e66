import Foundation
import TestSupport
import Testing

struct ImportCommandTests {
    let program: ClipsProgram

    init() throws { program = try ClipsProgram() }

    private func file(_ name: String, _ text: String) throws -> String {
        let path = program.folder.path(of: name)
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        return path
    }

    @Test func `readable records are saved, the rest is reported with status 1`() throws {
        let run = try program.run("import", "--tag", "old", file("b.html", Samples.netscape))
        #expect(run.status == 1)
        #expect(run.errors.contains("b.html: Line 23: a bookmark has no URL."))
        #expect(run.errors.contains("Read 5 clips, saved 5, 2 not readable."))
        #expect(try program.sqlite3("SELECT count(*) FROM Clip WHERE tags LIKE '%old'") == "5")
        #expect(try program.sqlite3("SELECT count(*) FROM history WHERE kind = 3") == "1")
    }

    @Test func `several files, standard input, and a dry run are imported`() throws {
        let path = try file("p.json", Samples.pinboard)
        #expect(try program.run("import", "--dry-run", path).status == 0)
        let run = try program.run("import", "--json", path, "-", input: Samples.raindrop)
        #expect(run.status == 0)
        #expect(run.output.split(separator: "\n").count == 2 && run.output.contains("\"saved\":2"))
        #expect(try program.sqlite3("SELECT count(*) FROM Clip") == "4")
        let again = try program.run("import", "--duplicates", "merge", path)
        #expect(again.status == 0 && again.errors.contains("saved 0, 2 unchanged."))
    }

    @Test func `a missing file, a folder, and an invalid option are errors`() throws {
        #expect(try program.run("import", "/no/such/file").status == 1)
        #expect(try program.run("import", program.folder.path).status == 1)
        #expect(try program.run("import", "--duplicates", "maybe", "x").status == 2)
        #expect(try program.run("import", "--format", "doc", "x").status == 2)
        #expect(try program.run("import").status == 2)
        #expect(try program.run("export").status == 2)
    }

    @Test func `an export replaces the whole file, or writes to standard output`() throws {
        try program.run("import", "-", input: Samples.pinboard)
        let path = try file("out.md", "old")
        #expect(try program.run("export", "--format", "markdown", "-o", path).status == 0)
        let written = try String(contentsOfFile: path, encoding: .utf8)
        #expect(written.contains("[The title](<https://example.org/>)"))
        #expect(try program.run("export", "--format", "markdown").output == written)
        #expect(
            try program.run("export", "--format", "jsonl").output.split(separator: "\n").reversed()
                == program.run("list", "--json").output.split(separator: "\n"))
        #expect(try program.run("export", "--format", "csv", "-o", "/no/such/folder/x").status == 1)
        let names = try FileManager.default.contentsOfDirectory(atPath: program.folder.path)
        #expect(!names.contains { $0.hasPrefix("out.md.") })
    }

    @Test func `an interrupted import reports its result and leaves whole batches`() async throws {
        let pipe = Pipe()
        let process = try program.start(
            ["import", "-", "--format", "jsonl"], input: pipe.fileHandleForReading)
        let lines = (0..<1700).map { "{\"url\":\"http://x.org/\($0)\"}\n" }.joined()
        try pipe.fileHandleForWriting.write(
            contentsOf: Data((lines + String(repeating: " ", count: 1 << 20)).utf8))
        #expect(try await soon { try program.sqlite3("SELECT count(*) FROM Clip") == "1500" })
        process.interrupt()
        process.waitUntilExit()
        #expect(process.terminationStatus == 130 && process.terminationReason == .exit)
        #expect(try program.sqlite3("SELECT count(*) FROM Clip") == "1500")
        #expect(try program.sqlite3("PRAGMA integrity_check") == "ok")
    }

    @Test func `an existing URL is merged or skipped according to the policy`() throws {
        let first = try program.run("add", "--url", "http://x.org", "--note", "one").output
        let merged = try program.run("add", "--url", "http://x.org", "--note", "two", "--duplicates", "merge")
        #expect(merged.output == first && merged.errors.contains("the clips are merged"))
        #expect(try program.run("show", "1").output.contains("one"))
        #expect(try program.sqlite3("SELECT count(*) FROM Clip") == "1")
    }

    @Test func `an encoding that a file does not declare is named`() throws {
        let bytes = Array("https://a.org Gr".utf8) + [0xF6, 0xDF] + Array("e\n".utf8)
        try Data(bytes).write(to: URL(filePath: program.folder.path(of: "old.txt")))
        let run = try program.run("import", program.folder.path(of: "old.txt"))
        #expect(
            run.status == 0
                && run.errors.contains("Read as plain text in WINDOWS-1252, which its letters suggest."))
    }

    @Test func `a changed value is not an unreadable clip`() throws {
        let lines = "{\"url\":\"https://a.org\",\"tags\":[\"a,b\"]}\n{\"url\":\"https://b.org\"}\n"
        let run = try program.run("import", "-", input: lines)
        #expect(
            run.status == 1 && run.errors.contains("Read 2 clips, saved 2, 1 with a changed value."), "\(run)"
        )
        let both = try program.run("import", "-", input: lines + "{\"name\":\"only\"}\n")
        #expect(both.errors.contains("1 with a changed value, 1 not readable."), "\(both)")
    }

    @Test func `JSON lines are read by one set of rules, from a file and by add`() throws {
        let lines = """
            {broken
            {"url":null,"title":"nulls","text":null}
            {"title":"A","starred":"yes","url":"https://a.org","author":"me"}
            {"title":"B","created":"garbage"}
            {"title":"C","quotes":[{"text":""}]}
            {"title":"D","tag":["x"],"mood":"good","tags":["a,b"]}
            {"name":"only a name of a service"}
            {"url":"not a url"}
            {"url":"example.org/a","title":"\\ud83d"}
            {"url":5}
            []
            {"title":"own","uuid":"u1","created":"garbage"}

            """
        let reasons = [
            (1, "it is not JSON: a key is missing"),
            (4, "a date cannot be read; the clip is saved without it"),
            (6, "a tag has a comma, which is saved as a space"), (7, "it has no url, title, text or note"),
            (8, "'url' is not a URL; it is saved as it is"), (9, "half a surrogate pair is saved as U+FFFD"),
            (10, "'url' has a value of the wrong type"), (11, "it is not a JSON object"),
            (12, "'created' is not a time"),
        ].map { "Line \($0.0): \($0.1)." }
        let other = try ClipsProgram()
        let columns = "SELECT url, title, note, tags, starred, created < 1700000000000 FROM Clip ORDER BY id"
        let path = try file("x.jsonl", lines)
        let runs = [
            try program.run("import", path),
            try other.run("add", "--jsonl", "--author", "import", input: lines),
        ]
        for run in runs {
            #expect(run.errors.matches(of: /Line \d+: [^\n]*/).map { String($0.0) } == reasons, "\(run)")
            #expect(run.status != 0 && run.errors.lowercased().contains("not read: mood, quotes"), "\(run)")
        }
        #expect(try program.sqlite3(columns) == other.sqlite3(columns))
        #expect(
            try program.sqlite3("SELECT group_concat(title || starred || tags, '|') FROM Clip")
                == "nulls0|A1|B0|C0|D0a b,x|0|\u{FFFD}0")
        let strict = try other.run(
            "add", "--jsonl", "--strict", input: "{\"title\":\"B\",\"created\":\"garbage\"}\n")
        #expect(strict.status != 0 && strict.errors.contains("with --strict nothing was saved"), "\(strict)")
        let table = try program.run("import", file("x.csv", "url,title\nnotaurl,t\n"))
        #expect(table.status != 0 && table.errors.contains("Line 2: 'url' is not a URL"), "\(table)")
    }

    @Test func `an export as JSON is one array, and restores empty titles and authors`() throws {
        try program.run("add", "--url", "https://a.org", "--title", "![x")
        _ = try program.sqlite3(
            "INSERT INTO Clip (url, title, note, author) VALUES ('', '', 'only a note', '')")
        for format in ["json", "jsonl", "csv", "html", "markdown"] {
            let path = program.folder.path(of: "out." + (format == "markdown" ? "md" : format))
            try program.run("export", "--format", format, "-o", path)
            let other = try ClipsProgram()
            let run = try other.run("import", path)
            #expect(run.status == 0, "\(format) \(run)")
            let columns = "SELECT url, title, note, author FROM Clip ORDER BY id"
            #expect(try other.sqlite3(columns) == program.sqlite3(columns), "\(format)")
        }
        let check = "import json, sys; print([c['title'] for c in json.load(open(sys.argv[1]))])"
        let run = try Shell.run("python3", ["-c", check, program.folder.path(of: "out.json")])
        #expect(run.output == "['![x', '']\n", "\(run)")
    }
}
