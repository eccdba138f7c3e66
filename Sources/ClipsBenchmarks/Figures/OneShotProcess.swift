extension Figure {
    static let oneShotProcess = Figure(
        name: "F10", title: "'clips extension' as a whole process, and the sqlite3 shell"
    ) { workspace in
        let clips = try workspace.installed(workspace.clipsProgram())
        let shell = try workspace.installed(OneShot.shellProgram())
        return try [true, false].map { isOpen in
            let comparison = try OneShot.compare(
                workspace, clips, shell, isOpen: isOpen, rounds: workspace.count(20, quick: 8), runs: 20
            ) { try ChildProcess.run($0).seconds }
            let name = isOpen ? "store open in another process" : "no other process"
            return Measurement(
                "one clip, \(name)", .time, comparison, reference: "sqlite3", goal: .atMost(1),
                headline: "Process 'clips extension', \(name)")
        }
    }
}

/// Processes that save one clip and exit.
enum OneShot {
    /// Compares the costs of a number of processes in each round. Each program inserts into a separate store of the
    /// same kind, which may be open in this process.
    static func compare(
        _ workspace: Workspace, _ clips: String, _ shell: String, isOpen: Bool, rounds: Int,
        warmsUp: Bool = false, runs: Int = 1, _ cost: ([String]) throws -> Double
    ) throws -> Comparison {
        let stores = try (0..<2).map { _ in try workspace.newStore(clips: 1000) }
        let windows = try isOpen ? stores.map(ListeningWindow.init(store:)) : []
        var number = 10_000
        func block(_ command: (Int) -> [String]) throws -> [Double] {
            try (0..<runs).map { _ in
                number += 1
                return try cost(command(number))
            }
        }
        let comparison = try Comparison(rounds: rounds, warmsUp: warmsUp) {
            try block { Self.clips(clips, stores[0], $0) }
        } reference: {
            try block { Self.shell(shell, stores[1], $0) }
        }
        for window in windows { try window.close() }
        return comparison
    }

    static func clips(_ program: String, _ store: String, _ number: Int) -> [String] {
        [
            program, "extension", "--store", store, "--url", SampleClip.url(number), "--title",
            SampleClip.title(number), "--text", SampleClip.text(number),
        ]
    }

    static func shell(_ program: String, _ store: String, _ number: Int) -> [String] {
        let statements = "PRAGMA synchronous = FULL; " + SampleClip.insertion(number)
        return [program, "-cmd", ".timeout 5000", store, statements]
    }

    static func shellProgram() throws -> String {
        let path = try ChildProcess.output(of: ["sh", "-c", "command -v sqlite3"])
        guard path.hasSuffix("\n") else { throw BenchmarkError("sqlite3 is missing: install it") }
        return String(path.dropLast())
    }
}
