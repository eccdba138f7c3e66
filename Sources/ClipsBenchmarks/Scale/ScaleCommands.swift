import FoundationEssentials
import Glibc

/// Every command, as called from the shell, on a writable store.
struct ScaleCommands {
    let program: String
    let path: String
    /// The newest clips.
    let ids: [Int]
    /// The clips that were deleted first.
    let deleted: [Int]
    let folder: String

    private struct Operation {
        let name: String
        var growth = ScaleCurve.Growth.none
        /// The words of the command line, for each round.
        let words: (Int) -> [String]
    }

    func measure(rounds: Int) throws -> [ScaleCurve.Point] {
        setenv("EDITOR", "sed -i 's/^title: /title: Z/'", 1)
        // The first search builds the index.
        let index = try MeasuredRun(line(["search", "--limit", "1", "index"]))
        var points = [
            ScaleCurve.Point("search, building the index", .whole, [index.seconds], memory: index.peakMemory)
        ]
        let token = try newestToken()
        for operation in queries + sorts + marks + history(after: token) + others {
            var times: [Double] = []
            var memory = 0.0
            for round in 0..<(operation.growth == .whole ? 1 : rounds) {
                let run = try MeasuredRun(line(operation.words(round)))
                times.append(run.seconds)
                memory = max(memory, run.peakMemory)
            }
            points.append(ScaleCurve.Point(operation.name, operation.growth, times, memory: memory))
        }
        return points
    }

    private func line(_ words: [String]) -> [String] { [program, "--store", path, "--quiet"] + words }

    private func fixed(_ name: String, _ words: [String]) -> Operation { fixed(name, .none, words) }

    private func fixed(_ name: String, _ growth: ScaleCurve.Growth, _ words: [String]) -> Operation {
        Operation(name: name, growth: growth) { _ in words }
    }

    private var queries: [Operation] {
        let queries = [
            "", SampleWriting.commonWord, "light code", "is:starred", "is:unread", "is:read",
            "-\(SampleWriting.commonWord)", "tag:\(SampleWriting.rareTag)",
            "author:\(SampleWriting.rareAuthor)", "author:app", "site:con", "海",
        ]
        return queries.map { fixed("list \($0) --limit 20", ["list", "--limit", "20", "--", $0]) } + [
            fixed("list is:starred", ["list", "is:starred"]),
            fixed("search \(SampleWriting.commonWord)", ["search", SampleWriting.commonWord]),
            fixed("search light code", ["search", "light", "code"]), fixed("list", .whole, ["list"]),
            fixed("list is:unread", .whole, ["list", "is:unread"]),
        ]
    }

    private var sorts: [Operation] {
        ["created", "updated", "title", "url", "author", "starred", "unread"].map {
            fixed(
                "list --sort \($0) --limit 20", $0 == "created" || $0 == "url" ? .none : .steps,
                ["list", "--sort", $0, "--limit", "20"])
        } + [fixed("list --sort title", .whole, ["list", "--sort", "title"])]
    }

    /// Operations on single clips, on a different clip in each round.
    private var marks: [Operation] {
        func id(_ kind: Int, _ round: Int) -> String { "\(ids[kind * 10 + round])" }
        return [
            Operation(name: "show") { ["show", id(0, $0)] },
            Operation(name: "tag") { ["tag", id(1, $0), "+measured"] },
            Operation(name: "star") { ["star", id(2, $0)] }, Operation(name: "edit") { ["edit", id(3, $0)] },
            Operation(name: "delete") { ["delete", id(4, $0)] },
            Operation(name: "restore a clip deleted last") { ["restore", id(4, $0)] },
            Operation(name: "restore a clip deleted first", growth: .steps) {
                ["restore", "\(deleted[$0])"]
            },
            Operation(name: "add") { ["add", "--url", "https://new.example/\($0)", "--title", "New"] },
            Operation(name: "extension") { ["extension", "--text", "New text \($0)"] },
        ]
    }

    private func history(after token: String) -> [Operation] {
        func history(_ name: String, _ growth: ScaleCurve.Growth, _ words: String...) -> Operation {
            fixed("history \(name)", growth, ["history"] + words)
        }
        return [
            history("--limit 20", .none, "--limit", "20"),
            history("of a rare author", .steps, "--author", SampleWriting.rareAuthor, "--limit", "20"),
            history("of an unknown author", .steps, "--author", "unknown", "--limit", "20"),
            history("after a date", .none, "--after", "10d", "--limit", "20"),
            history("after a token", .none, "--after", token), history("", .whole),
            history("clean --dry-run", .whole, "clean", "--dry-run"),
        ]
    }

    private var others: [Operation] {
        [
            fixed("consumers", ["consumers"]),
            fixed("export --format json", .whole, ["export", "--format", "json"]),
            fixed("doctor", .whole, ["doctor"]),
            fixed("backup", .whole, ["backup", "--force", "\(folder)/backup.db"]),
            fixed("completions bash", ["completions", "bash"]),
        ]
    }

    private func newestToken() throws -> String {
        let output = "\(folder)/newest.txt"
        _ = try MeasuredRun(line(["history", "--limit", "1", "--json"]), output: output)
        let text = try String(decoding: Data(contentsOf: URL(filePath: output)), as: UTF8.self)
        let marked = text.split(separator: "\"token\":\"", maxSplits: 1)
        guard marked.count == 2 else { throw BenchmarkError("the history contains no token") }
        return String(marked[1].prefix { $0 != "\"" })
    }
}
