extension Figure {
    static let oneShotProcess = Figure(
        name: "F10", title: "'clips extension' as a whole process, and the sqlite3 shell"
    ) { workspace in
        let clips = try workspace.clipsProgram()
        return try [true, false].map { isOpen in
            // Each program inserts into a separate store of the same kind.
            let stores = [workspace.newPath("one-shot.db"), workspace.newPath("shell.db")]
            for store in stores { try SampleStore.make(store, clips: 1000) }
            let windows = try isOpen ? stores.map(ListeningWindow.init(store:)) : []
            var number = 10_000
            func block(_ command: (Int) -> [String]) throws -> [Double] {
                try (0..<20).map { _ in
                    number += 1
                    return try ChildProcess.run(command(number)).seconds
                }
            }
            let comparison = try Comparison(rounds: workspace.count(20, quick: 8)) {
                try block {
                    [
                        clips, "extension", "--store", stores[0], "--url", SampleClip.url($0), "--title",
                        SampleClip.title($0), "--text", SampleClip.text($0),
                    ]
                }
            } reference: {
                try block {
                    let statements = "PRAGMA synchronous = FULL; " + SampleClip.insertion($0)
                    return ["sqlite3", "-cmd", ".timeout 5000", stores[1], statements]
                }
            }
            for window in windows { try window.close() }
            let name = isOpen ? "store open in another process" : "no other process"
            return Measurement(
                "one clip, \(name)", .time, comparison, reference: "sqlite3", goal: .atMost(1),
                headline: "Process 'clips extension', \(name)")
        }
    }
}
