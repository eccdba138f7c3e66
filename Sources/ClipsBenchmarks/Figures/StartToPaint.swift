import Platform
extension Figure {
    static let startToPaint = Figure(
        name: "F7", title: "start to first full paint with 1,000,000 clips, with 100, and of less on a file"
    ) { workspace in
        let large = try LargeStore(workspace, clips: workspace.manyClips)
        let small = try LargeStore(workspace, clips: 100)
        let rounds = workspace.count(8, quick: 4)
        func block(_ command: [String], _ texts: [String]) throws -> [Double] {
            try (0..<workspace.count(10, quick: 5)).map { _ in
                try TerminalProgram.startTime(command, showing: texts)
            }
        }
        func start(_ store: LargeStore) throws -> [Double] {
            try block(workspace.app(store.path), store.firstTitles)
        }
        let clips = large.clips.grouped
        let result = try Measurement(
            "first paint, \(clips) clips", .time,
            Comparison(rounds: rounds, ours: { try start(large) }, reference: { try start(small) }),
            reference: "100 clips", goal: .atMost(1.1), headline: "Start to first paint, \(clips) clips")
        var results = [result]
        if PeerFolder.has("less", for: "F7") {
            let file = workspace.newPath("lines.txt")
            try Output.write(
                (1...large.clips).map { "\($0). \(SampleClip.title($0))" }.joined(separator: "\n"), to: file)
            let comparison = try Comparison(
                rounds: rounds, ours: { try start(large) },
                reference: { try block(["less", file], ["39. " + SampleClip.title(39)]) })
            results.append(result.compared(with: "less", comparison, goal: .atMost(2)))
        }
        guard let peers = try TerminalPeers.make(workspace) else { return results }
        return try results
            + TerminalPeer.allCases.filter { $0 != .less }.compactMap { peer in
                // Those that take seconds run once.
                let rounds = peer == .fzf ? workspace.count(5, quick: 2) : 1
                let comparison = try Comparison(
                    rounds: rounds, ours: { try start(large) },
                    reference: { peers.run(peer, for: "F7").map { [$0.start] } ?? [] })
                guard !comparison.reference.isEmpty else { return nil }
                return result.compared(with: peer.rawValue, comparison, goal: .atMost(1))
            }
    }
}
