import Foundation
import TestSupport
import Testing

/// Every command in unusual surroundings: it does its work, or reports why not.
@Suite(.serialized) struct SurroundingsTests {
    struct Call: Sendable {
        let words: String
        /// Whether the command's result is standard output.
        var prints = false
        var needsStore = true
        var readsInput = false
        var needsTemporaryFile = false

        fileprivate func isLike(_ other: Call) -> Bool {
            prints == other.prints && needsStore == other.needsStore && readsInput == other.readsInput
                && needsTemporaryFile == other.needsTemporaryFile
        }
    }

    static let calls = [
        Call(words: "add --title b", prints: true, readsInput: true),
        Call(words: "extension --title b", prints: true, readsInput: true),
        Call(words: "list", prints: true), Call(words: "search first", prints: true),
        Call(words: "show 1", prints: true), Call(words: "edit 1", needsTemporaryFile: true),
        Call(words: "tag 1 +x"), Call(words: "star 1"), Call(words: "delete 1"), Call(words: "restore 2"),
        Call(words: "read 1"), Call(words: "archive 1"), Call(words: "unarchive 1"),
        Call(words: "unread 1 --json", prints: true), Call(words: "open 1"),
        Call(words: "random", prints: true), Call(words: "tags", prints: true),
        Call(words: "tags rename a b"), Call(words: "dedupe --yes"), Call(words: "check --fix-moved"),
        Call(words: "undo"),
        Call(words: "pick --help", prints: true, needsStore: false),
        Call(words: "import $F/lines.jsonl"), Call(words: "export --format json", prints: true),
        Call(words: "export --format json -o $F/export"), Call(words: "history", prints: true),
        Call(words: "history clean --before 0d", prints: true), Call(words: "consumers"),
        Call(words: "doctor", prints: true), Call(words: "backup $F/backup --force"),
        Call(words: "completions bash", prints: true, needsStore: false),
        Call(words: "browser --help", prints: true, needsStore: false),
        Call(words: "mcp --help", prints: true, needsStore: false),
        Call(words: "mirror --help", prints: true, needsStore: false),
        Call(words: "man", prints: true, needsStore: false),
        Call(words: "--help", prints: true, needsStore: false),
        Call(words: "--version", prints: true, needsStore: false), Call(words: "", prints: true),
    ]

    enum Surroundings: String, CaseIterable, Sendable {
        case usual = "$CLIPS %"
        case fullOutput = "$CLIPS % >/dev/full"
        case closedOutput = "$CLIPS % >&-"
        case readOnlyOutput = "$CLIPS % 1</dev/null"
        case closedInput = "$CLIPS % <&-"
        case folderAsInput = "$CLIPS % </"
        case closedErrors = "$CLIPS % 2>&-"
        case fullErrors = "$CLIPS % 2>/dev/full"
        case allClosed = "$CLIPS % <&- >&- 2>&-"
        case noHome = "env -u HOME -u XDG_DATA_HOME -u XDG_CONFIG_HOME -u CLIPS_STORE $CLIPS %"
        case noTemporaryFolder = "TMPDIR=/proc $CLIPS %"
        case emptyEnvironment = "env -i CLIPS_STORE=$CLIPS_STORE BROWSER=true EDITOR=true $CLIPS %"

        func expectation(_ call: Call) -> (status: Int32, errors: String) {
            switch self {
            // A clip is saved, whether or not its ID can be printed: a part is done.
            case .fullOutput where call.prints:
                (1, "written: No space left on device.")
            case .closedOutput where call.prints, .readOnlyOutput where call.prints:
                (1, "written: Bad file descriptor.")
            case .allClosed where call.prints: (1, "")
            case .folderAsInput where call.readsInput:
                (1, "clips: Standard input cannot be read: Is a directory.")
            case .noHome where call.needsStore: (1, "clips: No home folder is set")
            case .noTemporaryFolder where call.needsTemporaryFile:
                (1, "clips: Cannot create a file for the editor. Set TMPDIR to a writable folder.")
            default: (0, "")
            }
        }
    }

    private static func fill(_ clips: ClipsProgram) throws {
        try clips.run("add", "--title", "first", "--tag", "a", "--url", "https://a.b")
        try clips.run("add", "--title", "second")
        try clips.run("delete", "2")
        try "{\"title\":\"imported\",\"text\":\"x\"}\n".write(
            toFile: clips.folder.path(of: "lines.jsonl"), atomically: true, encoding: .utf8)
        _ = try clips.sqlite3("PRAGMA wal_checkpoint(TRUNCATE)")
        try FileManager.default.copyItem(atPath: clips.storePath, toPath: clips.folder.path(of: "template"))
    }

    /// The first call of each kind, and a sixth of the others, which is another one in each surroundings.
    private static func selection(_ surroundings: Surroundings) -> [Call] {
        let part = (Surroundings.allCases.firstIndex(of: surroundings) ?? 0) % 6
        let selected = calls.indices.filter { index in
            LongProof.isWhole || surroundings == .usual || index % 6 == part
                || calls.firstIndex { $0.isLike(calls[index]) } == index
        }
        if selected.count < calls.count {
            LongProof.omits("\(calls.count - selected.count) of \(calls.count) calls in \(surroundings)")
        }
        return selected.map { calls[$0] }
    }

    @Test(arguments: Surroundings.allCases)
    func `a command reports success only when it has done its work`(surroundings: Surroundings) throws {
        let clips = try ClipsProgram.copy(fill: Self.fill)
        for call in Self.selection(surroundings) {
            let script = "rm -f $CLIPS_STORE* && cp $F/template $CLIPS_STORE && "
            let command = surroundings.rawValue.replacing("%", with: call.words)
            let run = try clips.shell(script + command, ["F": clips.folder.path])
            let expected = surroundings.expectation(call)
            let name: Comment = "\(command): \(run)"
            #expect(run.status == expected.status, name)
            #expect(expected.errors.isEmpty || run.errors.contains(expected.errors), name)
            #expect(run.errors.split(separator: "\n").allSatisfy { $0.hasPrefix("clips: ") }, name)
            #expect(try clips.sqlite3("PRAGMA integrity_check") == "ok", name)
            // A clip is saved or retained.
            guard call.readsInput else { continue }
            let isSaved = try clips.sqlite3("SELECT count(*) FROM Clip WHERE title = 'b'") == "1"
            #expect(isSaved != run.errors.contains("The unsaved clip is retained in "), name)
        }
    }

    @Test func `every command has a row`() throws {
        let rows = Set(Self.calls.map { String($0.words.prefix { $0 != " " }) })
        #expect(try rows.isSuperset(of: ClipsProgram().commandNames()))
    }

    @Test(arguments: [
        "list", "search a", "show 1", "history", "consumers", "export --format csv", "", "doctor",
    ])
    func `a command that reads creates no store and no folder`(words: String) throws {
        let clips = try ClipsProgram()
        let path = clips.folder.path(of: "slip/store.db")
        let words = words.split(separator: " ").map(String.init)
        for more in [["--store", path], ["--group", "slip"], []] {
            let run = try Shell.run(ClipsProgram.path, words + more, environment: clips.environment)
            #expect(run.status == 1 && run.errors.hasPrefix("clips: There is no store at "), "\(run)")
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: clips.folder.path) == [])
    }
}
