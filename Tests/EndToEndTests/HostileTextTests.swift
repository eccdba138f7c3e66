import Foundation
import TestSupport
import Testing

/// Untrusted text in output to a terminal: shown, never interpreted.
@Suite struct HostileTextTests {
    let clips: ClipsProgram
    private static let evil = "\u{1B}]0;owned\u{7}\u{1B}[31m\u{9B}2J\u{202E}abc\u{7F}"

    init() throws { clips = try ClipsProgram() }

    private func isInterpreted(_ text: String) -> Bool {
        text.unicodeScalars.contains {
            $0 != "\n" && $0 != "\r" && $0.properties.generalCategory == .control || $0.value == 0x202E
        }
    }

    private func save() throws {
        let evil = Self.evil
        let words = [
            "--title", evil, "--url", "https://a.org/\(evil)", "--tag", evil, "--note", evil, "--text", evil,
        ]
        #expect(try clips.run("add", "--author", evil, arguments: words).status == 0)
    }

    @Test(arguments: [
        "list", "show 1", "search abc", "history", "history --json", "list --json",
        "show 1 --json", "doctor", "doctor --json", "edit 1", "export --format json",
    ])
    func `a terminal interprets no command's output`(words: String) throws {
        try save()
        let words = words.split(separator: " ").map(String.init)
        let run = try clips.run(words[0], arguments: Array(words.dropFirst()))
        #expect(!run.output.isEmpty || words[0] == "edit")
        #expect(!isInterpreted(run.output) && !isInterpreted(run.errors), "\(run.output.debugDescription)")
    }

    @Test func `terminal-safe JSON has the same values`() throws {
        try save()
        let line = try clips.run("list", "--json").output
        let object = try #require(
            try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        #expect(object["title"] as? String == Self.evil)
    }

    /// A file receives every byte; a terminal does not.
    @Test(arguments: ["html", "csv", "markdown"])
    func `an export is unchanged in a file, and no terminal interprets it`(format: String) throws {
        try save()
        let file = try clips.run("export", "--format", format).output
        #expect(isInterpreted(file))
        let command = "'\(ClipsProgram.path)' export --format \(format)"
        let seen = try Shell.run("script", ["-qec", command, "/dev/null"], environment: clips.environment)
        #expect(seen.output.contains("abc") && !isInterpreted(seen.output), "\(seen.output.debugDescription)")
    }

    @Test func `an error that quotes an argument is one line`() throws {
        try clips.run("add", "--title", "a")
        let evil = Self.evil + "\nclips: all is well."
        let wrong: [[String]] = [
            ["--store", "/dev/null/\(evil)", "list"], ["show", evil], ["restore", evil],
            ["list", "--sort", evil],
            ["history", "--after", evil], ["history", "clean", "--before", evil], ["import", evil],
            ["import", "--format", evil, "x"], ["export", "--format", evil],
            ["export", "--format", "csv", "-o", "/dev/null/\(evil)"],
            ["backup", "/dev/null/\(evil)"], ["completions", evil], ["--script", evil], [evil],
            ["--color", evil, "--script", "/dev/null"], ["list", "--group", evil],
            ["add", "--jsonl", "--duplicates", evil],
            ["list", "--limit", evil], ["list", "--\(evil)"], ["--script", "/dev/null", "--size", evil],
        ]
        for words in wrong {
            let run = try clips.run(words[0], arguments: Array(words.dropFirst()))
            #expect(run.status == 1 || run.status == 2, "\(words)")
            #expect(!isInterpreted(run.errors), "\(words): \(run.errors.debugDescription)")
            #expect(!run.errors.contains("\nclips: all is well"), "\(words): \(run.errors.debugDescription)")
        }
    }

    @Test func `a program name with escape sequences is shown in the history, not interpreted`() throws {
        let name = "x\u{1B}[31m\u{7}"
        let path = clips.folder.path(of: name)
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: ClipsProgram.path)
        #expect(try Shell.run(path, ["add", "--title", "a"], environment: clips.environment).status == 0)
        for words in [["history"], ["history", "--json"]] {
            let run = try clips.run(words[0], arguments: Array(words.dropFirst()))
            #expect(
                run.output.contains("31m") && !isInterpreted(run.output), "\(run.output.debugDescription)")
        }
    }

    @Test func `a path that is too long for any system is an error`() throws {
        let run = try clips.run("list", "--store", String(repeating: "a/", count: 50_000) + "x")
        #expect(run.status == 1 && run.errors.hasSuffix("'clips add' creates a store.\n"))
        let writing = try clips.run("import", "--store", String(repeating: "a/", count: 50_000) + "x", "y")
        #expect(writing.status == 1 && writing.errors.hasSuffix("The option --store names another store.\n"))
    }

    @Test(arguments: [
        "../x", "..", "/tmp/x", "a/b", ".hidden", "", "a\u{0}b", "ä", String(repeating: "a", count: 129),
    ])
    func `a group's name is no path to another folder`(name: String) throws {
        let run = try clips.run("list", "--group", name)
        // The system ends a word at a zero byte, so that the store of the group 'a' is missing.
        #expect(run.status == (name.contains("\0") ? 1 : 2), "\(run.errors)")
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: clips.folder.path).allSatisfy {
                ["data", "config"].contains($0)
            })
    }

    @Test(arguments: [
        "x", "-1", "9223372036854775808", "1e5", "999999999999d", "-5d", "0000-00-00", "2026-13-40T99:99:99Z",
        "99999999-01-01", "7d444840-9dc0-11d1-b245-5ffdce74fad2.1.9223372036854775807",
        "7d444840-9dc0-11d1-b245-5ffdce74fad2.0.-1", "....", "NaN", "\u{661}\u{662}d", "",
    ])
    func `any text is a point in the history or an error`(point: String) throws {
        try clips.run("add", "--title", "a")
        for words in [
            ["history", "--after=\(point)"], ["history", "clean", "--dry-run", "--before=\(point)"],
        ] {
            let run = try clips.run(words[0], arguments: Array(words.dropFirst()))
            #expect((0...2).contains(run.status), "\(words)")
            #expect((run.status == 0) == run.errors.isEmpty, "\(words): \(run.errors)")
        }
    }
}

extension ClipsProgram {
    fileprivate func run(_ command: String, _ more: String..., arguments: [String]) throws -> Shell {
        try Shell.run(
            Self.path, [command] + more + arguments,
            environment: environment.merging(["EDITOR": "true"]) { $1 })
    }
}
