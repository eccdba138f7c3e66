import FoundationEssentials
import Glibc

/// The speed of other systems that record changes by triggers in SQLite, relative to the same work without
/// recording.
enum RecordingPeers {
    private struct Phase: Decodable {
        let wall: Double
    }

    private static let names = [
        "shist": "sqlite-history", "schron": "sqlite-chronicle", "sjson": "sqlite-history-json",
        "sjsong": "sqlite-history-json, grouped", "audite": "audite",
    ]

    /// Returns each peer's speeds by kind of work: `bulk_insert`, `bulk_update`, `bulk_delete`,
    /// `single_commits`.
    private static func speeds(_ workspace: Workspace, for figure: String) throws -> [(
        name: String, speeds: [String: Double]
    )] {
        guard let folder = workspace.peers, let python = folder.file("venv/bin/python", for: figure),
            let script = folder.file("a_recording.py", for: figure), folder.file("a_rec", for: figure) != nil
        else { return [] }
        return try workspace.once("recording peers") {
            let results = workspace.newPath("recording.json")
            _ = try PeerFolder.output(of: [
                python, script, "--rounds", "\(workspace.count(5, quick: 1))", "--bulk",
                "\(workspace.count(100_000, quick: 20_000))", "--single",
                "\(workspace.count(5000, quick: 200))", "--designs",
                "raw," + names.keys.sorted().joined(separator: ","), "--dir", workspace.folder, "--json",
                results,
            ])
            guard let data = FileManager.default.contents(atPath: results) else {
                PeerFolder.leaveOut("recording peers", figure, "a_recording.py does not run")
                return []
            }
            let designs = try JSONDecoder().decode([String: [String: Phase]].self, from: data)
            return names.sorted { $0.value < $1.value }.compactMap { design, name in
                designs[design].map { (name, $0.mapValues(\.wall)) }
            }
        }
    }

    /// Returns a row for each peer, and one for the fastest, which is the goal.
    static func measure(
        _ work: String, beside ours: Measurement, _ workspace: Workspace, for figure: String, leads: Bool
    ) throws -> [Measurement] {
        guard let headline = ours.headline, let speed = ours.result?.median else { return [] }
        let known = try speeds(workspace, for: figure).compactMap { peer in
            peer.speeds[work].map { (name: peer.name, speed: $0) }
        }
        let rows = known.map { peer in
            Measurement(
                ours.subject, .ratio, Comparison(ours: [speed], beside: [peer.speed]), peer: peer.name,
                of: headline)
        }
        guard leads, let best = known.max(by: { $0.speed < $1.speed }) else { return rows }
        return rows + [
            Measurement(
                ours.subject, .ratio, Comparison(ours: [speed], beside: [best.speed]),
                peer: "the fastest trigger peer", of: headline, goal: Measurement.Goal(atLeast: 1))
        ]
    }
}
