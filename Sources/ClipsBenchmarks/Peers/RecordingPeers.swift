import FoundationEssentials

/// The speed of systems of other projects that record changes by triggers in SQLite, relative to the same work
/// without recording.
enum RecordingPeers {
    private static let names = [
        "audite": "audite", "schron": "sqlite-chronicle", "shist": "sqlite-history",
        "sjson": "sqlite-history-json", "sjsong": "sqlite-history-json, grouped",
    ]

    private typealias Peer = (name: String, speeds: [String: Double])

    private struct Phase: Decodable {
        let wall: Double
    }

    /// Returns each peer's speeds by kind of work: `bulk_insert`, `bulk_update`, `bulk_delete`.
    private static func peers(_ workspace: Workspace) throws -> [Peer] {
        guard let folder = workspace.peers, let script = folder.python("a_recording.py", for: "F3"),
            folder.file("a_rec", for: "F3") != nil
        else { return [] }
        return try workspace.once("recording peers") {
            let results = workspace.newPath("recording.json")
            _ = try ChildProcess.output(
                of: script + [
                    "--rounds", "\(workspace.count(5, quick: 1))",
                    "--bulk", "\(workspace.count(100_000, quick: 20_000))",
                    "--single", "1",
                    "--designs", "raw," + names.keys.sorted().joined(separator: ","),
                    "--dir", workspace.folder, "--json", results,
                ])
            guard let data = FileManager.default.contents(atPath: results) else {
                PeerFolder.reportSkipped("recording peers", "F3", "a_recording.py does not run")
                return []
            }
            let designs = try JSONDecoder().decode([String: [String: Phase]].self, from: data)
            return names.sorted { $0.value < $1.value }.compactMap { design, name in
                designs[design].map { (name, $0.mapValues(\.wall)) }
            }
        }
    }

    /// Returns a row for each peer, and one for the fastest, which is the goal.
    static func measure(_ work: String, below ours: Measurement, _ workspace: Workspace) throws
        -> [Measurement]
    {
        guard let speed = ours.result?.median else { return [] }
        func row(_ peer: String, _ theirs: Double, goal: Measurement.Goal? = nil) -> Measurement {
            let comparison = Comparison(ours: [speed], reference: [theirs])
            return ours.compared(with: peer, comparison, as: .ratio, goal: goal)
        }
        let known = try peers(workspace).compactMap { peer in
            peer.speeds[work].map { (name: peer.name, speed: $0) }
        }
        let rows = known.map { row($0.name, $0.speed) }
        guard let best = known.map(\.speed).max() else { return rows }
        return rows + [row("the fastest trigger peer", best, goal: .atLeast(1))]
    }
}
