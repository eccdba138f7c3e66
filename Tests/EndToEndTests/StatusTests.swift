import Foundation
import TestSupport
import Testing

/// The exit status of every command: 0 done, 1 failed or not found, 2 wrong usage.
@Suite struct StatusTests {
    /// The operands and options with which each command runs, or would.
    private static let commands = [
        "add": "--title b", "extension": "--title b", "list": "", "search": "a", "show": "1", "pick": "",
        "random": "", "open": "1", "edit": "1", "tag": "1 +t", "star": "1", "read": "1", "unread": "1",
        "undo": "", "archive": "1", "unarchive": "1", "delete": "1", "restore": "1", "tags": "",
        "tags rename": "t u", "tags merge": "t u", "tags delete": "t", "dedupe": "", "check": "--fix-moved",
        "import": "FOLDER/none", "export": "--format csv", "browser": "status", "mcp": "status",
        "history": "", "history clean": "", "mirror": "status", "doctor": "", "backup": "FOLDER/b",
        "backup restore": "FOLDER/none", "completions": "bash", "man": "", "consumers": "",
    ]
    /// Those that use no store, or create one.
    private static let withoutStore: Set = [
        "add", "extension", "import", "browser", "mcp", "completions", "man",
    ]

    let clips: ClipsProgram

    init() throws {
        clips = try ClipsProgram.copy {
            try $0.run("add", "--title", "a", "--url", "https://a.b", "--tag", "t")
        }
    }

    private func status(_ words: String, store: String? = nil, input: String = "") throws -> Int32 {
        let variables = clips.environment.merging(store.map { ["CLIPS_STORE": $0] } ?? [:]) { $1 }
        return try Shell.run(
            ClipsProgram.path,
            words.replacing("FOLDER", with: clips.folder.path).split(separator: " ").map(String.init),
            input: input, environment: variables
        ).status
    }

    @Test func `the table has every command`() throws {
        let page = try clips.run("man").output.replacing("\\-", with: "-")
        let names = page.matches(of: /\.SS "clips ([a-z ]+[a-z])/).map { String($0.1) }
        #expect(names.count > 30)
        for name in names { #expect(Self.commands.keys.contains { name.hasPrefix($0) }, "\(name)") }
        #expect(Set(try clips.commandNames()).isSubset(of: Self.commands.keys))
    }

    @Test(arguments: commands.sorted { $0.key < $1.key })
    func `wrong arguments are status 2, and a missing or other file is status 1`(
        name: String, operands: String
    ) throws {
        #expect(try status("\(name) --bad") == 2)
        #expect(try status("\(name) \(operands) --color blue") == 2)
        #expect(try status("\(name) \(operands) --store") == 2)
        #expect(try status("\(name) --help") == 0)
        guard !Self.withoutStore.contains(name) else { return }
        #expect(try status("\(name) \(operands)", store: clips.folder.path(of: "none.db")) == 1)
        #expect(try status("\(name) \(operands)", store: clips.folder.path) == 1)
        #expect(try status("\(name) \(operands) --group a/b", store: "") == 2)
    }

    @Test(arguments: ["show", "edit", "star", "read", "unread", "archive", "unarchive", "delete", "restore"])
    func `an ID without a clip is status 1, and a missing one status 2`(name: String) throws {
        for id in ["999", "abc", "zz-zz"] { #expect(try status("\(name) \(id)") == 1, "\(id)") }
        #expect(try status(name) == 2)
    }

    @Test(arguments: [
        "list zzz", "search zzz", "random zzz", "open zzz", "check zzz", "export --format csv --query zzz",
        "export --format csv --query zzz -o FOLDER/x", "star --query zzz", "delete --query zzz", "tag abc +x",
        "tags delete zzz", "tags rename zzz y", "tags merge zzz t", "tags rename t t", "history --author zzz",
        "undo --author zzz", "undo --redo", "import FOLDER/none", "import FOLDER", "--script FOLDER/none",
        "export --format csv -o FOLDER/none/x", "export --format csv -o FOLDER/clips.db",
        "import FOLDER/clips.db", "backup FOLDER", "backup FOLDER/clips.db", "backup --force FOLDER/clips.db",
        "backup restore FOLDER/none", "doctor --salvage FOLDER/clips.db", "add --jsonl --strict",
        "add --text -",
        "mirror status", "mirror conflicts",
    ])
    func `what is not found or cannot be done is status 1`(words: String) throws {
        #expect(try status(words, input: words.hasSuffix("strict") ? "{\n" : "") == 1)
    }

    @Test(arguments: [
        "nosuch", "help nosuch", "list --limit x", "list --sort x", "search", "export", "export --format x",
        "add stray", "add --tag a,b", "tag 1", "tag +a", "tag 1 +a,b", "tags rename a", "tags rename t a,b",
        "history --after soon", "history clean --before soon", "delete --query after:soonish",
        "delete --query tag:", "undo --since soon", "dedupe --duplicates x", "completions tcsh",
        "browser x", "mcp x", "mirror x", "mirror add", "mirror add nats://a.b", "pick --format x",
        "doctor --repair --salvage x", "add --fetch", "--size x --script /dev/null",
    ])
    func `wrong usage is status 2`(words: String) throws {
        #expect(try status(words) == 2)
    }

    @Test(arguments: ["list", "tags", "dedupe", "history", "consumers", "check", "export --format csv"])
    func `all of an empty store is status 0`(words: String) throws {
        try clips.run("delete", "1")
        try clips.run("history", "clean", "--before", "0d")
        #expect(try status(words) == 0)
    }

    @Test func `an export without a match leaves the file as it is`() throws {
        let path = clips.folder.path(of: "out.csv")
        try "mine".write(toFile: path, atomically: true, encoding: .utf8)
        let run = try clips.run("export", "--format", "csv", "--query", "zzz", "-o", path)
        #expect(run.status == 1 && run.errors.hasPrefix("clips: No clip matches; "), "\(run)")
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "mine")
    }

    @Test func `the help and the manual page say the rule`() throws {
        #expect(
            try clips.run("--help").output.contains(
                "exit status: 0 done, 1 failed or not found, 2 wrong usage"))
        #expect(try clips.run("man").output.contains("Wrong usage"))
    }

    @Test(arguments: [
        "list", "search a", "show 1", "random", "tags", "history", "dedupe --dry-run", "doctor",
        "undo --dry-run",
        "undo --since 1h --dry-run", "undo", "undo --since 1h", "history clean --dry-run",
        "check --fix-moved", "star 1", "edit 1", "open 1", "tags rename t u", "delete 1",
        "import FOLDER/none",
        "export --format jsonl", "consumers", "browser status", "mcp status", "add https://a.b",
    ])
    func `--json prints one object per line`(words: String) throws {
        if words.contains("dedupe") { try clips.run("add", "https://a.b") }
        let run = try Shell.run(
            ClipsProgram.path,
            ["--json"]
                + words.replacing("FOLDER", with: clips.folder.path).split(separator: " ").map(String.init),
            environment: clips.environment)
        let lines = run.output.split(separator: "\n")
        let isEmpty = ["consumers", "browser status", "mcp status", "check"].contains { words.hasPrefix($0) }
        #expect(isEmpty || !lines.isEmpty, "\(run)")
        for line in lines {
            let object = try JSONSerialization.jsonObject(with: Data(line.utf8))
            #expect(object is [String: Any], "\(line)")
        }
    }
}
