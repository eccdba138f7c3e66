import ClipsCore
import ClipsExchange
import Foundation
import TestSupport
import Testing

struct ExportFileTests {
    let program: ClipsProgram
    private var folder: String { program.folder.path(of: "out") }

    init() throws {
        program = try ClipsProgram()
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try program.run("add", "--url", "https://example.org/?a=1&b=2", "--title", "t")
    }

    private func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
    }

    @Test(arguments: [true, false])
    func `an export through a symbolic link replaces the target`(
        exists: Bool
    ) throws {
        if exists { try Data("old".utf8).write(to: URL(fileURLWithPath: folder + "/target")) }
        try FileManager.default.createSymbolicLink(atPath: folder + "/link", withDestinationPath: "target")
        for _ in 0..<2 {
            #expect(try program.run("export", "--format", "json", "-o", folder + "/link").status == 0)
            #expect(try FileManager.default.destinationOfSymbolicLink(atPath: folder + "/link") == "target")
            let written = try String(contentsOfFile: folder + "/target", encoding: .utf8)
            #expect(try written == program.run("export", "--format", "json").output)
            #expect(try names() == ["link", "target"])
        }
    }

    @Test func `a link to itself is an error`() throws {
        try FileManager.default.createSymbolicLink(atPath: folder + "/link", withDestinationPath: "link")
        #expect(try program.run("export", "--format", "json", "-o", folder + "/link").status == 1)
        #expect(try names() == ["link"])
    }

    @Test(arguments: [SIGKILL, SIGTERM, SIGINT]) func `a killed export leaves no file`(
        signal: Int32
    ) async throws {
        for number in 0..<3 { try program.run("add", "--title", "\(number)") }
        let count = LongProof.count(1 << 17, of: 1 << 20, "lines of each text of a killed export")
        let text = "replace(printf('%.*c', \(count), 'x'), 'x', 'words and more words' || char(10))"
        #expect(
            try program.sqlite3("UPDATE Clip SET text = \(text) WHERE title < '3' RETURNING 1") == "1\n1\n1")
        try Data("old".utf8).write(to: URL(fileURLWithPath: folder + "/file"))
        let process = try program.start(["export", "--format", "html", "-o", folder + "/file"])
        let descriptors = "/proc/\(process.processIdentifier)/fd"
        func isWriting() -> Bool {
            let numbers = (try? FileManager.default.contentsOfDirectory(atPath: descriptors)) ?? []
            return numbers.contains {
                let path = try? FileManager.default.destinationOfSymbolicLink(atPath: descriptors + "/" + $0)
                return path?.hasPrefix(folder + "/") == true
            }
        }
        var wasWriting = false
        _ = await soon {
            wasWriting = isWriting()
            return wasWriting || !process.isRunning
        }
        #expect(wasWriting)
        kill(process.processIdentifier, signal)
        process.waitUntilExit()
        #expect(try names() == ["file"])
        if process.terminationReason == .uncaughtSignal || process.terminationStatus != 0 {
            #expect(try String(contentsOfFile: folder + "/file", encoding: .utf8) == "old")
        }
        if signal == SIGINT && process.terminationStatus != 0 { #expect(process.terminationStatus == 130) }
    }

    @Test func `a URL with parameters is a link in Markdown`() throws {
        let text = try program.run("export", "--format", "markdown").output
        #expect(text.contains("[t](<https://example.org/?a=1&b=2>)"))
    }

    @Test func `the text of a clip is readable in Markdown, and is not read as other clips`() throws {
        let text = "## Head\n\n- [other](https://other.example)\n```\n<!-- code -->\n"
        try program.run(
            "add", "--title", "with text", "--note", "a [note](https://note.example)", input: text)
        let file = program.folder.path(of: "out.md")
        try program.run("export", "--format", "markdown", "-o", file, "--query", "title:with")
        let written = try String(contentsOfFile: file, encoding: .utf8)
        for line in ["  > ## Head", "  > - [other](https://other.example)", "  > ```", "  > <!-- code -->"] {
            #expect(written.contains(line + "\n"), "\(written)")
        }
        let copy = program.folder.path(of: "copy.db")
        try program.run("import", file, "--store", copy)
        let query = "SELECT group_concat(title || '|' || note || '|' || text) FROM"
        let stored = try program.sqlite3("\(query) Clip WHERE title = 'with text'")
        #expect(try program.sqlite3("ATTACH '\(copy)' AS copy; \(query) copy.Clip") == stored)
    }

    @Test func `a note has no headings, items, and fences in Markdown`() throws {
        try program.run("add", "--title", "n", "--note", "# a\n12) b\n- c\n~~~\n12 d")
        let written = try program.run("export", "--format", "markdown", "--query", "title:n").output
        #expect(
            written.contains("  > \\# a  \n  > 12\\) b  \n  > \\- c  \n  > \\~~~  \n  > 12 d\n"), "\(written)"
        )
    }

    @Test func `the lines of a text remain lines in Markdown`() throws {
        let text = "a\nb\n\nterm\n: words\n- item\n- item\n> c\n> d\n```\ne\nf\n```\n| g |\n| - |\n# h\ni"
        try program.run("add", "--title", "poem", "--note", "x\ny", "--text", text)
        let written = try program.run("export", "--format", "markdown", "--query", "title:poem").output
        let shown = "a  |b||term  |: words|- item|- item|> c  |> d|```|e|f|```|| g ||| - ||# h|i"
        let lines = written.split(separator: "\n").filter { $0.hasPrefix("  >") }.map { $0.dropFirst(4) }
        #expect(lines.joined(separator: "|") == "x  |y|" + shown, "\(written)")
    }

    @Test func `merged texts are shown and exported with a number for each page`() throws {
        for day in ["mon", "on tue"] {
            let text = "\(day): [report][1]\n\n[1]: https://\(day.suffix(3)).example/"
            try program.run(
                "add", "--url", "https://s.example/", "--text", text, "--duplicates", "merge")
        }
        let shown = try program.run("show", "2").output
        let exported = try program.run("export", "--format", "markdown").output
        for line in ["on tue: [report][1]", "mon: [report][2]"] { #expect(shown.contains(line), "\(shown)") }
        #expect(shown.contains("[1]: https://tue.example/\n[2]: https://mon.example/"), "\(shown)")
        for line in ["on tue: [report][2-1]", "mon: [report][2-2]", "[2-1]: https://tue.example/"] {
            #expect(exported.contains("  > \(line)"), "\(exported)")
        }
        #expect(exported.contains("  > [2-2]: https://mon.example/\n"), "\(exported)")
    }

    @Test func `each clip's links have labels of their own, and code remains as it is`() throws {
        let texts = [
            "[a][1], [1], [B][], `x[1] < y`, and \\[1] <b>\n\n```\nif a < b[1] { [c][1] }\n```\n\n[1]: https://one.example\n[b]: https://b.example\n",
            "> ~~~\n> <i>\n> ~~~\n\n[a][1] ` <i>\n` <b> `[^n]\n\n[1]: https://two.example\n[^n]: words\n",
        ]
        for (number, text) in texts.enumerated() {
            try program.run("add", "--title", "t\(number)", "--text", text)
        }
        let written = try program.run("export", "--format", "markdown").output
        for line in [
            "[a][2-1], [1][2-1], [B][2-B], `x[1] < y`, and \\[1] \\<b>", "if a < b[1] { [c][1] }",
            "[2-1]: https://one.example", "[2-b]: https://b.example", "> <i>", "[a][3-1] ` \\<i>",
            "` \\<b> `[^3-n]", "[3-1]: https://two.example", "[^3-n]: words",
        ] {
            #expect(written.contains("  > \(line)\n"), "\(line)\n\(written)")
        }
    }

    @Test func `after saved batches, a failure does not say that nothing was saved`() {
        struct Failure: Error, CustomStringConvertible {
            let description = "It is full. Nothing was saved; try again."
        }
        #expect(
            PartialSave(Failure(), saved: 500).description == "It is full. Nothing more was saved; try again."
        )
        #expect(PartialSave(Failure(), saved: 0).description == "It is full. Nothing was saved; try again.")
    }

    @Test func `an interrupted import counts only what it saved`() async throws {
        let text =
            (0..<600).map { "{\"url\":\"http://x.org/\($0)\"}\n" }.joined()
            + String(repeating: "bad\n", count: 50)
        var calls = 0
        var importer = ClipImporter()
        importer.isInterrupted = {
            calls += 1
            return calls == 4
        }
        let store = try await ClipStore(path: program.folder.path(of: "other.db"), author: "import")
        let report = await importer.run(
            try ClipImport(ByteSource(Array(text.utf8)), fileName: ""), into: store)
        #expect(report.isInterrupted && report.read == 500 && report.outcome.saved == 500)
        #expect(report.problemCount == 0 && report.failure == nil && report.form == "JSON lines")
    }
}
