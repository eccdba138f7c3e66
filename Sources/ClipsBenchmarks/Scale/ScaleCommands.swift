import Glibc

/// Every command, as called from the shell, on a writable store.
struct ScaleCommands {
    let program: String
    let path: String
    /// The newest clips.
    let ids: [Int]
    let folder: String

    private struct Operation: Sendable {
        let name: String
        var growth = ScalePoint.Growth.none
        /// The words of the command line, for each round.
        let words: @Sendable (Int) -> [String]
    }

    func measure(rounds: Int) throws -> [ScalePoint] {
        setenv("EDITOR", "sed -i 's/^title: /title: Z/'", 1)
        // The first search builds the index.
        let index = try ChildProcess.run(
            line(["search", "--limit", "1", "index"]), measuringMemory: true)
        let building = ScalePoint(
            name: "search, building the index", growth: .readsAll, times: [index.seconds],
            memory: index.peakMemory)
        let operations = Self.queries + Self.lists + changes + (try history()) + others
        return try [building]
            + operations.map { operation in
                let runs = try (0..<(operation.growth == .readsAll ? 1 : rounds)).map {
                    try ChildProcess.run(line(operation.words($0)), measuringMemory: true)
                }
                return ScalePoint(
                    name: operation.name, growth: operation.growth, times: runs.map(\.seconds),
                    memory: runs.map(\.peakMemory).max())
            }
    }

    private func line(_ words: [String]) -> [String] { [program, "--store", path, "--quiet"] + words }

    /// Returns an operation that is the same in each round and named after its command line.
    private static func fixed(_ line: String, _ growth: ScalePoint.Growth = .none) -> Operation {
        Operation(name: line, growth: growth) { _ in line.split(separator: " ").map(String.init) }
    }

    private static let queries: [Operation] = {
        let common = ScaleQuery.all.map { name, query in
            Operation(name: "list, \(name), --limit 20") { _ in ["list", "--limit", "20", "--", query] }
        }
        return common + [
            Operation(name: "search, a common word") { _ in ["search", ScaleQuery.commonWord] },
            Operation(name: "search, two words") { _ in ["search", ScaleQuery.twoWords] },
        ]
    }()

    private static let lists = [
        fixed("list is:starred"), fixed("list", .readsAll), fixed("list is:unread", .readsAll),
        fixed("list --sort created --limit 20"), fixed("list --sort updated --limit 20", .scansAll),
        fixed("list --sort title --limit 20", .scansAll), fixed("list --sort url --limit 20"),
        fixed("list --sort author --limit 20", .scansAll),
        fixed("list --sort starred --limit 20", .scansAll),
        fixed("list --sort unread --limit 20", .scansAll), fixed("list --sort title", .readsAll),
    ]

    /// Operations on single clips, on a different clip in each round.
    private var changes: [Operation] {
        let id: @Sendable (Int, Int) -> String = { [ids] kind, round in "\(ids[kind * 10 + round])" }
        return [
            Operation(name: "show") { ["show", id(0, $0)] },
            Operation(name: "tag") { ["tag", id(1, $0), "+measured"] },
            Operation(name: "star") { ["star", id(2, $0)] }, Operation(name: "edit") { ["edit", id(3, $0)] },
            Operation(name: "delete") { ["delete", id(4, $0)] },
            Operation(name: "restore a clip deleted last") { ["restore", id(4, $0)] },
            Operation(name: "restore a clip deleted first", growth: .scansAll) {
                ["restore", "\(GrownStore.firstDeleted.lowerBound + $0)"]
            },
            Operation(name: "add") { ["add", "--url", "https://new.example/\($0)", "--title", "New"] },
            Operation(name: "extension") { ["extension", "--text", "New text \($0)"] },
        ]
    }

    private func history() throws -> [Operation] {
        let newest = try ChildProcess.output(of: line(["history", "--limit", "1", "--json"]))
        let marked = newest.split(separator: "\"token\":\"", maxSplits: 1)
        guard marked.count == 2 else { throw BenchmarkError("the history contains no token") }
        let token = String(marked[1].prefix { $0 != "\"" })
        return [
            Self.fixed("history --limit 20"),
            Self.fixed("history --author \(GrownStore.rareAuthor) --limit 20", .scansAll),
            Self.fixed("history --author unknown --limit 20", .scansAll),
            Self.fixed("history --after 10d --limit 20"),
            Operation(name: "history after a token") { _ in ["history", "--after", token] },
            Self.fixed("history", .readsAll), Self.fixed("history clean --dry-run", .readsAll),
        ]
    }

    private var others: [Operation] {
        [
            Self.fixed("consumers"), Self.fixed("export --format json", .readsAll),
            Self.fixed("doctor", .readsAll),
            Operation(name: "backup", growth: .readsAll) { [folder] _ in
                ["backup", "--force", "\(folder)/backup.db"]
            },
            Self.fixed("completions bash"),
        ]
    }
}

/// Queries for a grown store.
enum ScaleQuery {
    static let commonWord = sample.word(rank: 0)
    static let twoWords = sample.word(rank: 60) + " " + sample.word(rank: 90)
    private static let sample = SampleText()

    /// The queries with names.
    static let all = [
        ("all", ""), ("a common word", commonWord), ("two words", twoWords), ("is:starred", "is:starred"),
        ("is:unread", "is:unread"), ("is:read", "is:read"), ("without a common word", "-\(commonWord)"),
        ("a rare tag", "tag:\(GrownStore.rareTag)"), ("a rare author", "author:\(GrownStore.rareAuthor)"),
        ("author:app", "author:app"), ("site:con", "site:con"), ("a Chinese character", "海"),
    ]

    /// Those of the queries that are typed in the app.
    static let typed = [1, 2, 3, 4, 6, 7, 8].map { all[$0] }
}
