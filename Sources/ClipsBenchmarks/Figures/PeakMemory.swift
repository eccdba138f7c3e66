import Platform

extension Figure {
    static let peakMemory = Figure(
        name: "F8", title: "peak memory of the app with 1,000,000 clips, and with 100"
    ) { workspace in
        let large = try LargeStore(workspace, clips: workspace.manyClips)
        let small = try LargeStore(workspace, clips: 100)
        let clips = large.clips.grouped
        return try [false, true].flatMap { moves in
            let comparison = try Comparison(
                rounds: workspace.count(5, quick: 3), ours: { [try peak(workspace, large, moves: moves)] },
                reference: { [try peak(workspace, small, moves: moves)] })
            let moment = moves ? "after G and pages" : "after the start"
            let headline = moves ? "Peak memory, \(clips) clips" : nil
            let bySize = Measurement(
                "peak memory, \(moment)", .memory, comparison, reference: "100 clips", goal: .atMost(1.5),
                headline: headline.map { $0 + " compared with 100" })
            let itself = Measurement(
                "peak memory with \(clips) clips, \(moment)", .memory, comparison.ours,
                goal: .atMost(40 * 1_048_576), headline: headline)
            return [bySize, itself]
        }
    }

    private static func peak(_ workspace: Workspace, _ store: LargeStore, moves: Bool) throws -> Double {
        let program = try TerminalProgram(workspace.app(store.path))
        _ = try program.wait(for: store.firstTitles)
        try program.readUntilIdle()
        if moves {
            program.press("G")
            _ = try program.wait(for: [store.title(at: store.clips - 1)])
            let pageUp = "\u{1b}[5~"
            for _ in 0..<10 {
                program.press(pageUp)
                try program.readUntilIdle(milliseconds: 50)
            }
        }
        return program.usage.peakMemory
    }
}
