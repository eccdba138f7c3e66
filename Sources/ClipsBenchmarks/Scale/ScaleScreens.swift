import FoundationEssentials

/// Every screen of the app and its actions, in one session on a screen without a terminal. The time of a step
/// is from its keys until the app is idle.
struct ScaleScreens {
    let program: String
    let path: String
    let clips: Int
    let folder: String

    private var stampsPath: String { "\(folder)/stamps.txt" }

    private struct Step {
        /// Empty for a step that only returns to the list.
        var name = ""
        let keys: [String]
    }

    private var steps: [Step] { moves + filters + sorts + others }

    private var moves: [Step] {
        [
            Step(name: "G", keys: ["G"]), Step(name: "to the middle", keys: ["\(clips / 2)G"]),
            Step(name: "ten pages down", keys: [String(repeating: "<PgDn>", count: 10)]),
            Step(name: "g", keys: ["g"]), Step(name: "j", keys: ["j"]),
        ]
    }

    private var filters: [Step] {
        let word = SampleWriting.commonWord
        let typed = [
            word, "light code", "is:starred", "is:unread", "-\(word)", "tag:\(SampleWriting.rareTag)",
            "author:\(SampleWriting.rareAuthor)",
        ]
        return typed.flatMap {
            [Step(name: "typing /\($0)", keys: ["/\($0)<Enter>"]), Step(keys: ["<Esc>"])]
        }
    }

    private var sorts: [Step] {
        let sorts = [
            ("m", "time changed"), ("t", "title"), ("u", "address"), ("a", "author"), ("g", "tags"),
            ("s", "star"), ("r", "unread"), ("c", "time saved"),
        ]
        return sorts.flatMap { key, name in
            [
                Step(name: "sorting by \(name)", keys: ["s\(key)", "g"]),
                Step(name: "five pages by \(name)", keys: [String(repeating: "<PgDn>", count: 5)]),
                Step(name: "G by \(name)", keys: ["G"]), Step(keys: ["g"]),
            ]
        }
    }

    private var others: [Step] {
        [
            Step(name: "history", keys: ["H"]), Step(name: "G in the history", keys: ["G"]),
            Step(name: "history of a rare author", keys: ["/author:\(SampleWriting.rareAuthor)<Enter>"]),
            Step(name: "consumers", keys: ["C"]), Step(keys: ["<Esc>", "<Esc>"]),
            Step(name: "help", keys: ["?"]), Step(keys: ["<Esc>"]), Step(name: "star", keys: ["g*"]),
            Step(name: "undo", keys: ["u"]),
        ]
    }

    func measure() throws -> [ScaleCurve.Point] {
        let empty = try (0..<5).map { _ in try run([]) }
        let steps = steps
        // The difference of the first two stamps is the cost of a stamp.
        let session = try run([[]] + steps.map(\.keys))
        let stamps = try String(decoding: Data(contentsOf: URL(filePath: stampsPath)), as: UTF8.self).split(
            separator: "\n"
        )
        .compactMap { Int($0) }
        guard stamps.count == steps.count + 2 else {
            throw BenchmarkError("the script printed too few times")
        }
        func seconds(_ index: Int) -> Double { Double(stamps[index + 1] - stamps[index]) / 1_000_000_000 }
        let stamp = seconds(0)
        var points = [
            ScaleCurve.Point(
                "screen: start to end of the app", .none, empty.map(\.seconds),
                memory: empty.map(\.peakMemory).max() ?? 0)
        ]
        for (index, step) in steps.enumerated() where !step.name.isEmpty {
            points.append(
                ScaleCurve.Point("screen: \(step.name)", .none, [max(0, seconds(index + 1) - stamp)]))
        }
        points.append(
            ScaleCurve.Point("screen: all of these", .whole, [session.seconds], memory: session.peakMemory))
        return points
    }

    private func run(_ steps: [[String]]) throws -> MeasuredRun {
        let stamp = ":sh date +%s%N >> \(stampsPath)"
        let lines = steps.isEmpty ? [] : [":sh rm -f \(stampsPath)", stamp] + steps.flatMap { $0 + [stamp] }
        let script = "\(folder)/screens.txt"
        try Data((lines + [""]).joined(separator: "\n").utf8).write(to: URL(filePath: script))
        return try MeasuredRun([program, "--store", path, "--script", script, "--size", "120x40"])
    }
}
