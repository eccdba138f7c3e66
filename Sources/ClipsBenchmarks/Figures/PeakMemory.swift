extension Figure {
    static let peakMemory = Figure(
        name: "F8", title: "peak memory of the app with 1,000,000 clips, against 100"
    ) { workspace in
        let clips = try workspace.clipsProgram()
        let large = try LargeStore(workspace, clips: workspace.manyClips)
        let small = try LargeStore(workspace, clips: 100)
        let count = Quantity.grouped(large.clips)
        var results: [Measurement] = []
        for moves in [false, true] {
            let comparison = try Comparison(rounds: workspace.count(5, quick: 3)) {
                [try peak(clips, large, moves: moves)]
            } beside: {
                [try peak(clips, small, moves: moves)]
            }
            let when = moves ? "after G and pages" : "after the start"
            let bySize = Measurement(
                "peak memory, \(when)", .memory, comparison, beside: "100 clips",
                goal: Measurement.Goal(atMost: 1.5))
            let itself = Measurement(
                "its peak with \(count), \(when)", .memory, comparison.ours,
                goal: Measurement.Goal(atMost: 40 * 1_048_576))
            guard moves else {
                results += [bySize, itself]
                continue
            }
            let headline = "Peak memory, \(count) clips"
            results += [bySize.headlined("\(headline), against 100"), itself.headlined(headline)]
            results += try peers(workspace, comparison.ours, headline)
        }
        return results
    }

    private static func peers(_ workspace: Workspace, _ ours: [Double], _ headline: String) throws
        -> [Measurement]
    {
        guard let peers = try TerminalPeers.make(workspace), let own = Spread(ours) else { return [] }
        return TerminalPeer.allCases.compactMap { peer in
            let runs = peers.runs(peer, for: "F8")
            guard !runs.isEmpty else { return nil }
            let comparison = Comparison(ours: runs.map { _ in own.median }, beside: runs.map(\.peakMemory))
            return Measurement(
                "peak memory, all loaded", .memory, comparison, peer: peer.rawValue, of: headline)
        }
    }

    private static func peak(_ clips: String, _ store: LargeStore, moves: Bool) throws -> Double {
        let program = try TerminalProgram(Screen.app(clips, store.path))
        _ = try program.wait(for: Screen.titles(store))
        try program.waitUntilIdle()
        if moves {
            program.press("G")
            _ = try program.wait(for: [store.title(at: store.clips - 1)])
            let pageUp = "\u{1b}[5~"
            for _ in 0..<10 {
                program.press(pageUp)
                try program.waitUntilIdle(milliseconds: 50)
            }
        }
        return ProcessUsage(process: program.process).peakMemory
    }
}
