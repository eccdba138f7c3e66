import FoundationEssentials
import Glibc

extension Figure {
    static let startToPaint = Figure(
        name: "F7", title: "start to first full paint with 1,000,000 clips, against 100, and less on a file"
    ) { workspace in
        let clips = try workspace.clipsProgram()
        let large = try LargeStore(workspace, clips: workspace.manyClips)
        let small = try LargeStore(workspace, clips: 100)
        let rounds = workspace.count(8, quick: 4)
        let block = workspace.count(10, quick: 5)
        func start(_ store: LargeStore) throws -> [Double] {
            try (0..<block).map { _ in
                try Screen.startTime(Screen.app(clips, store.path), Screen.titles(store))
            }
        }
        let count = Quantity.grouped(large.clips)
        let headline = "Start to first paint, \(count) clips"
        let bySize = try Comparison(rounds: rounds) {
            try start(large)
        } beside: {
            try start(small)
        }
        let result = Measurement(
            "first paint, \(count) clips", .time, bySize, beside: "100 clips",
            goal: Measurement.Goal(atMost: 1.5)
        ).headlined(headline)
        return try [result] + besideLess(workspace, rounds, block, headline) { try start(large) }
            + besidePeers(workspace, headline) { try start(large) }
    }

    private static func besideLess(
        _ workspace: Workspace, _ rounds: Int, _ block: Int, _ headline: String,
        _ ours: () throws -> [Double]
    ) throws -> [Measurement] {
        guard PeerFolder.has("less", for: "F7") else { return [] }
        let (file, lastLine) = try Screen.file(workspace, lines: workspace.manyClips)
        let comparison = try Comparison(rounds: rounds, ours: ours) {
            try (0..<block).map { _ in try Screen.startTime(["less", file], [lastLine]) }
        }
        return [
            Measurement(
                "first paint", .time, comparison, peer: "less", of: headline,
                goal: Measurement.Goal(atMost: 3))
        ]
    }

    /// Compares with the peers; those that take seconds run once.
    private static func besidePeers(
        _ workspace: Workspace, _ headline: String, _ ours: () throws -> [Double]
    ) throws -> [Measurement] {
        guard let peers = try TerminalPeers.make(workspace) else { return [] }
        return try TerminalPeer.allCases.filter { $0 != .less }.compactMap { peer in
            let rounds = peer == .fzf ? workspace.count(5, quick: 2) : 1
            let comparison = try Comparison(rounds: rounds, ours: ours) {
                peers.run(peer, for: "F7").map { [$0.start] } ?? []
            }
            guard !comparison.beside.isEmpty else { return nil }
            return Measurement(
                "first paint", .time, comparison, peer: peer.rawValue, of: headline,
                goal: Measurement.Goal(atMost: 1))
        }
    }
}

/// The app on a screen of 40 rows.
enum Screen {
    /// A number of rows that is visible regardless of the header and footer.
    private static let rows = 30

    static func app(_ program: String, _ store: String) -> [String] { [program, "--store", store] }

    static func titles(_ store: LargeStore) -> [String] { (0..<rows).map(store.title(at:)) }

    static func lastTitles(_ store: LargeStore) -> [String] {
        ((store.clips - rows)..<store.clips).map(store.title(at:))
    }

    static func startTime(_ command: [String], _ texts: [String]) throws -> Double {
        let program = try TerminalProgram(command)
        return try program.wait(for: texts) - program.began
    }

    /// Creates a text file with a number of lines; returns its path and the last line of its first screen.
    static func file(_ workspace: Workspace, lines: Int) throws -> (path: String, lastLine: String) {
        let path = workspace.newPath("lines.txt")
        var text = ""
        for number in 1...lines { text += "\(number). \(SampleClip.title(number))\n" }
        try Data(text.utf8).write(to: URL(filePath: path))
        return (path, "39. " + SampleClip.title(39))
    }
}
