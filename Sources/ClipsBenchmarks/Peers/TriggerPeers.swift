import FoundationEssentials

/// The systems of other projects that record changes by triggers in SQLite.
private let triggerPeers = [
    "audite": "audite", "schron": "sqlite-chronicle", "shist": "sqlite-history",
    "sjson": "sqlite-history-json", "sjsong": "sqlite-history-json, grouped",
]

/// The speed of recording, relative to the same work without recording.
enum RecordingPeers {
    private typealias Peer = (name: String, speeds: [String: Double])

    private struct Phase: Decodable {
        let wall: Double
    }

    /// Returns each peer's speeds by kind of work: `bulk_insert`, `bulk_update`, `bulk_delete`,
    /// `single_commits`.
    private static func peers(_ workspace: Workspace, for figure: String) throws -> [Peer] {
        guard let folder = workspace.peers, let script = folder.python("a_recording.py", for: figure),
            folder.file("a_rec", for: figure) != nil
        else { return [] }
        return try workspace.once("recording peers") {
            let results = workspace.newPath("recording.json")
            _ = try ChildProcess.output(
                of: script + [
                    "--rounds", "\(workspace.count(5, quick: 1))",
                    "--bulk", "\(workspace.count(100_000, quick: 20_000))",
                    "--single", "\(workspace.count(5000, quick: 200))",
                    "--designs", "raw," + triggerPeers.keys.sorted().joined(separator: ","),
                    "--dir", workspace.folder, "--json", results,
                ])
            guard let data = FileManager.default.contents(atPath: results) else {
                PeerFolder.reportSkipped("recording peers", figure, "a_recording.py does not run")
                return []
            }
            let designs = try JSONDecoder().decode([String: [String: Phase]].self, from: data)
            return triggerPeers.sorted { $0.value < $1.value }.compactMap { design, name in
                designs[design].map { (name, $0.mapValues(\.wall)) }
            }
        }
    }

    /// Returns a row for each peer, and if `leads`, one for the fastest, which is the goal.
    static func measure(
        _ work: String, below ours: Measurement, _ workspace: Workspace, for figure: String, leads: Bool
    ) throws -> [Measurement] {
        guard let speed = ours.result?.median else { return [] }
        func row(_ peer: String, _ theirs: Double, goal: Measurement.Goal? = nil) -> Measurement {
            let comparison = Comparison(ours: [speed], reference: [theirs])
            return ours.compared(with: peer, comparison, as: .ratio, goal: goal)
        }
        let known = try peers(workspace, for: figure).compactMap { peer in
            peer.speeds[work].map { (name: peer.name, speed: $0) }
        }
        let rows = known.map { row($0.name, $0.speed) }
        guard leads, let best = known.map(\.speed).max() else { return rows }
        return rows + [row("the fastest trigger peer", best, goal: .atLeast(1))]
    }
}

/// The cost of reading and cleaning a long history, in C on the peers' tables; 10 changes per transaction.
enum HistoryPeers {
    struct Peer {
        let name: String
        /// Seconds for the newest 10 transactions.
        var fetch: Double?
        var changesCleaned: Double?
        /// Seconds that a writer waited during cleaning.
        var longestWait: Double?
    }

    static func measure(_ workspace: Workspace, for figure: String) throws -> [Peer] {
        guard let folder = workspace.peers, let script = folder.python("b_fetch_clean.py", for: figure),
            folder.file("b_clean", for: figure) != nil
        else { return [] }
        return try workspace.once("history peers") {
            let output = try ChildProcess.output(
                of: script + [
                    "--n", "\(workspace.count(1_000_000, quick: 20_000))",
                    "--reps", "\(workspace.count(3, quick: 1))",
                    "--designs", triggerPeers.keys.filter { $0 != "sjsong" }.sorted().joined(separator: ","),
                    "--strategies", "batch1000p", "--dir", workspace.folder,
                ])
            let peers = read(output)
            if peers.isEmpty {
                PeerFolder.reportSkipped("history peers", figure, "b_fetch_clean.py does not run")
            }
            return peers
        }
    }

    /// Parses two tables of text: fetching, then cleaning.
    private static func read(_ output: String) -> [Peer] {
        var peers: [String: Peer] = [:]
        for line in output.split(separator: "\n") {
            let cells = line.split(separator: "|").map { $0.filter { $0 != " " && $0 != "," } }
            guard let design = cells.first, let name = triggerPeers[design] else { continue }
            var peer = peers[name] ?? Peer(name: name)
            if cells.count == 5, let microseconds = Double(cells[2]) {
                peer.fetch = microseconds / 1_000_000
            } else if cells.count == 9, cells[1] == "batch1000p" {
                peer.changesCleaned = Double(cells[3])
                let milliseconds = cells[7].split(separator: "/").first.flatMap { Double($0) }
                peer.longestWait = milliseconds.map { $0 / 1000 }
            }
            peers[name] = peer
        }
        return peers.values.sorted { $0.name < $1.name }
    }
}
