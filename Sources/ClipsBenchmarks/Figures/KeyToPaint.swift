extension Figure {
    static let keyToPaint = Figure(
        name: "F9", title: "key to paint over 1,000,000 clips while another process commits 1,000 a second"
    ) { workspace in
        let app = try KeyedApp(workspace, clips: workspace.manyClips)
        let rounds = workspace.count(20, quick: 4)
        let block = workspace.count(100, quick: 50)
        let clips = Quantity.grouped(workspace.manyClips)
        let headline = "Key to paint, \(clips) clips, no writer"
        let echo = try TerminalProgram(Role.probeEcho.commandLine)
        _ = try echo.wait(for: ["ready"])
        func echoed() throws -> [Double] {
            try (0..<block).map { _ in
                // An app blocks while its terminal is not read.
                try app.program.read(seconds: KeyedApp.pause())
                return try echo.answer(to: "j")
            }
        }
        let quiet = try Comparison(rounds: max(2, rounds / 4), ours: { try app.press(block) }, beside: echoed)
        let busy = try app.whileOthersWrite {
            try Comparison(rounds: rounds, ours: { try app.press(block) }, beside: echoed)
        }
        guard let keys = Spread(busy.ours), let done = app.done else { return [] }
        let differences = try app.differences()
        let beside = "a key echoed by C"
        var slowest = Measurement(
            "slowest in a hundred of \(keys.count) keys", .time, [keys.p99],
            goal: Measurement.Goal(atMost: 0.016)
        ).headlined("Key to paint, p99, during 1,000 commits/s")
        slowest.besides = beside
        slowest.beside = Spread(busy.beside).flatMap { Spread([$0.p99]) }
        return try [
            slowest,
            Measurement(
                "key to paint, during 1,000 commits a second", .time, busy, beside: beside, goal: nil),
            Measurement(
                "concurrent commits a second", .count, [Double(done.commits) / done.seconds],
                goal: Measurement.Goal(atLeast: 950)),
            Measurement(
                "rows and count that differ from the store at the end", .count, [Double(differences)],
                goal: Measurement.Goal(atMost: 0)
            ).headlined("Rows that differ from the store at the end"),
            Measurement(
                "the app's processor time for each of 1,000 clips a second", .time,
                [app.processorTime / Double(done.commits)]),
            Measurement("key to paint, no writer", .time, quiet, beside: beside, goal: nil).headlined(
                headline),
        ]
            + peers(workspace, quiet.ours, headline)
            + ArrivalCost.measure(app, clips: workspace.count(200, quick: 40))
    }

    private static func peers(_ workspace: Workspace, _ ours: [Double], _ headline: String) throws
        -> [Measurement]
    {
        guard let peers = try TerminalPeers.make(workspace), let own = Spread(ours) else { return [] }
        return TerminalPeer.allCases.compactMap { peer in
            let keys = peers.runs(peer, for: "F9").flatMap(\.keys)
            guard !keys.isEmpty else { return nil }
            let comparison = Comparison(ours: keys.map { _ in own.median }, beside: keys)
            return Measurement("a key", .time, comparison, peer: peer.rawValue, of: headline)
        }
    }
}
