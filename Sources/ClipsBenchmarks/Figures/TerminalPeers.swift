/// A list of somebody else's on a terminal of the same size, over as many rows.
enum TerminalPeer: String, CaseIterable {
    case less, fzf, tig, newsboat

    struct Run {
        /// From the start until the first screenful was painted.
        let start: Double
        let peakMemory: Double
        /// From a key to the first byte painted.
        let keys: [Double]
    }

    fileprivate var downKey: String { self == .fzf ? "\u{1b}[A" : "j" }

    /// Starts it, lets it load all, goes down with keys.
    fileprivate func run(_ data: TerminalPeerData, keys count: Int) throws -> Run {
        let program = try TerminalProgram(data.command(self))
        var start = try program.wait(for: [data.firstText(self)], seconds: 120) - program.began
        if self == .newsboat {
            try program.settle()
            let opened = Moment.now
            program.press("\r")
            start += try program.wait(for: [data.row(30)], seconds: 300) - opened
        }
        if self == .fzf {
            _ = try program.wait(for: ["\(data.rows)/\(data.rows)"], seconds: 60)
        }
        try program.settle(milliseconds: self == .tig ? 500 : 150, atMost: 90)
        var keys: [Double] = []
        let began = Moment.now
        while keys.count < count, began.secondsSince < 5 {
            keys.append(try program.answer(to: downKey))
            try program.settle(milliseconds: 6)
        }
        return Run(start: start, peakMemory: ProcessUsage(process: program.process).peakMemory, keys: keys)
    }
}

/// Their runs, shared by the figures that read them: the longest take most of a minute each.
final class TerminalPeers {
    private let data: TerminalPeerData
    private let keys: Int
    private var runs: [TerminalPeer: [TerminalPeer.Run]] = [:]

    /// Nil without `--peers`.
    static func make(_ workspace: Workspace) throws -> TerminalPeers? {
        guard workspace.peers != nil else { return nil }
        return try workspace.once("terminal peers") { try TerminalPeers(workspace) }
    }

    private init(_ workspace: Workspace) throws {
        data = TerminalPeerData(rows: workspace.manyClips, folder: try workspace.dataFolder())
        keys = workspace.count(200, quick: 50)
    }

    /// One more run; nil, and told, when it cannot be had.
    func run(_ peer: TerminalPeer, for figure: String) -> TerminalPeer.Run? {
        guard PeerFolder.has(peer.rawValue, for: figure) else { return nil }
        do {
            try data.make(peer)
            let run = try peer.run(data, keys: keys)
            runs[peer, default: []].append(run)
            return run
        } catch {
            PeerFolder.leaveOut(peer.rawValue, figure, "\(error)")
            return nil
        }
    }

    /// What was run before, or one run.
    func runs(_ peer: TerminalPeer, for figure: String) -> [TerminalPeer.Run] {
        runs[peer] ?? run(peer, for: figure).map { [$0] } ?? []
    }
}
