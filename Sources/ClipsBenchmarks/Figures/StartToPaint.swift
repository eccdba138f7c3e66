import Platform

extension Figure {
    static let startToPaint = Figure(
        name: "F7", title: "start to first full paint with 1,000,000 clips, with 100, and of less on a file"
    ) { workspace in
        let large = try LargeStore(workspace, clips: workspace.manyClips)
        let small = try LargeStore(workspace, clips: 100)
        let rounds = workspace.count(8, quick: 4)
        let block = workspace.count(10, quick: 5)
        func start(_ store: LargeStore) throws -> [Double] {
            try (0..<block).map { _ in
                let program = try TerminalProgram(workspace.app(store.path))
                return try program.wait(for: store.firstTitles) - program.began
            }
        }
        let clips = large.clips.grouped
        let result = try Measurement(
            "first paint, \(clips) clips", .time,
            Comparison(rounds: rounds, ours: { try start(large) }, reference: { try start(small) }),
            reference: "100 clips", goal: .atMost(1.1), headline: "Start to first paint, \(clips) clips")
        let peers = TerminalPeers(rows: large.clips, folder: try workspace.dataFolder())
        return [result]
            + TerminalPeer.allCases.compactMap { peer in
                let isFast = peer == .less
                guard isFast || workspace.peers != nil, PeerFolder.has(peer.rawValue, for: "F7") else {
                    return nil
                }
                do {
                    try peers.make(peer)
                    let comparison = try Comparison(
                        // Those that take seconds run once.
                        rounds: isFast ? rounds : peer == .fzf ? workspace.count(5, quick: 2) : 1,
                        ours: { try start(large) },
                        reference: { try (0..<(isFast ? block : 1)).map { _ in try peers.start(peer) } })
                    return result.compared(with: peer.rawValue, comparison, goal: .atMost(isFast ? 2 : 1))
                } catch {
                    PeerFolder.reportSkipped(peer.rawValue, "F7", "\(error)")
                    return nil
                }
            }
    }
}
