import FoundationEssentials

/// Every screen of the app and its actions, in one session on a screen without a terminal. The time of a step
/// is from its keys until the app is idle.
struct ScaleScreens {
    let command: [String]
    let clips: Int
    let folder: String

    private var stampsPath: String { "\(folder)/stamps.txt" }

    /// Keys with a name; nil for a step that only returns to the list.
    private typealias Step = (name: String?, keys: [String])

    private var steps: [Step] {
        let moves: [Step] = [
            ("G", ["G"]), ("to the middle", ["\(clips / 2)G"]),
            ("ten pages down", [String(repeating: "<PgDn>", count: 10)]), ("g", ["g"]), ("j", ["j"]),
        ]
        let filters: [Step] = ScaleQuery.typed.flatMap { name, query -> [Step] in
            [("typing /, \(name)", ["/\(query)<Enter>"]), (nil, ["<Esc>"])]
        }
        let keys = [
            ("m", "time changed"), ("t", "title"), ("u", "address"), ("a", "author"), ("g", "tags"),
            ("s", "star"), ("r", "unread"), ("c", "time saved"),
        ]
        let sorts: [Step] = keys.flatMap { key, name -> [Step] in
            [
                ("sorting by \(name)", ["s\(key)", "g"]),
                ("five pages by \(name)", [String(repeating: "<PgDn>", count: 5)]),
                ("G by \(name)", ["G"]), (nil, ["g"]),
            ]
        }
        let others: [Step] = [
            ("history", ["H"]), ("G in the history", ["G"]),
            ("history of a rare author", ["/author:\(GrownStore.rareAuthor)<Enter>"]), ("consumers", ["C"]),
            (nil, ["<Esc>", "<Esc>"]), ("help", ["?"]), (nil, ["<Esc>"]), ("star", ["g*"]), ("undo", ["u"]),
        ]
        return moves + filters + sorts + others
    }

    func measure() throws -> [ScalePoint] {
        let empty = try (0..<5).map { _ in try run([]) }
        let steps = steps
        // The difference of the first two stamps is the cost of a stamp.
        let session = try run([[]] + steps.map(\.keys))
        let file = try String(decoding: Data(contentsOf: URL(filePath: stampsPath)), as: UTF8.self)
        let stamps = file.split(separator: "\n").compactMap { Int($0) }
        guard stamps.count == steps.count + 2 else {
            throw BenchmarkError("the script printed too few times")
        }
        let seconds = zip(stamps, stamps.dropFirst()).map { Double($1 - $0) / 1_000_000_000 }
        let start = ScalePoint(
            name: "screen: start to end of the app", times: empty.map(\.seconds),
            memory: empty.map(\.peakMemory).max())
        let points = zip(steps, seconds.dropFirst()).compactMap { step, time in
            step.name.map { ScalePoint(name: "screen: \($0)", times: [max(0, time - seconds[0])]) }
        }
        let all = ScalePoint(
            name: "screen: all of these", growth: .readsAll, times: [session.seconds],
            memory: session.peakMemory)
        return [start] + points + [all]
    }

    private func run(_ steps: [[String]]) throws -> ChildProcess.Exit {
        let stamp = ":sh date +%s%N >> \(stampsPath)"
        let lines = steps.isEmpty ? [] : [":sh rm -f \(stampsPath)", stamp] + steps.flatMap { $0 + [stamp] }
        let script = "\(folder)/screens.txt"
        try Output.write((lines + [""]).joined(separator: "\n"), to: script)
        return try ChildProcess.run(command + ["--script", script, "--size", "120x40"])
    }
}
