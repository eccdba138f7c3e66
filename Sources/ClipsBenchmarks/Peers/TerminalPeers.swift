/// A list program of another project, on a terminal of the same size, with the same number of rows.
enum TerminalPeer: String, CaseIterable {
    case less, fzf, tig, newsboat

    struct Run {
        /// Seconds from the start until the first screenful was painted.
        let start: Double
        let peakMemory: Double
        /// Seconds from a key to the first byte of output.
        let keys: [Double]
    }

    /// Starts the program, waits until it has loaded all rows, and moves down with keys.
    fileprivate func run(_ data: TerminalPeerData, keys count: Int) throws -> Run {
        let program = try TerminalProgram(data.command(self))
        var start = try program.wait(for: [data.firstText(self)], seconds: 120) - program.began
        if self == .newsboat {
            try program.readUntilIdle()
            let opened = Moment.now
            program.press("\r")
            start += try program.wait(for: [data.row(30)], seconds: 300) - opened
        }
        if self == .fzf { _ = try program.wait(for: ["\(data.rows)/\(data.rows)"], seconds: 60) }
        try program.readUntilIdle(milliseconds: self == .tig ? 500 : 150, atMost: 90)
        var keys: [Double] = []
        let began = Moment.now
        while keys.count < count, began.secondsSince < 5 {
            keys.append(try program.answer(to: self == .fzf ? "\u{1b}[A" : "j"))
            try program.readUntilIdle(milliseconds: 6)
        }
        return Run(start: start, peakMemory: program.usage.peakMemory, keys: keys)
    }
}

/// The runs of the peers, shared by the figures: the longest take almost a minute each.
final class TerminalPeers {
    private let data: TerminalPeerData
    private let keys: Int
    private var runs: [TerminalPeer: [TerminalPeer.Run]] = [:]

    /// Returns the peers; nil without `--peers`.
    static func make(_ workspace: Workspace) throws -> TerminalPeers? {
        guard workspace.peers != nil else { return nil }
        return try workspace.once("terminal peers") { try TerminalPeers(workspace) }
    }

    private init(_ workspace: Workspace) throws {
        data = TerminalPeerData(rows: workspace.manyClips, folder: try workspace.dataFolder())
        keys = workspace.count(200, quick: 50)
    }

    /// Runs a peer once more; returns nil and reports the reason if it cannot run.
    func run(_ peer: TerminalPeer, for figure: String) -> TerminalPeer.Run? {
        guard PeerFolder.has(peer.rawValue, for: figure) else { return nil }
        do {
            try data.make(peer)
            let run = try peer.run(data, keys: keys)
            runs[peer, default: []].append(run)
            return run
        } catch {
            PeerFolder.reportSkipped(peer.rawValue, figure, "\(error)")
            return nil
        }
    }

    /// Returns rows that compare our median with the earlier runs of each peer, or one new run.
    func rows(below ours: Measurement, for figure: String, _ values: (TerminalPeer.Run) -> [Double])
        -> [Measurement]
    {
        TerminalPeer.allCases.compactMap { peer in
            let runs = runs[peer] ?? run(peer, for: figure).map { [$0] } ?? []
            let theirs = runs.flatMap(values)
            guard let own = ours.ours, !theirs.isEmpty else { return nil }
            return ours.compared(
                with: peer.rawValue, Comparison(medianOf: [own.median], reference: theirs))
        }
    }
}
