import FoundationEssentials
import Glibc

/// How fast others record what changes, in parts of the same work unrecorded: to be read beside F3.
enum RecordingPeers {
    private struct Phase: Decodable {
        let wall: Double
    }

    static func speeds(_ folder: String, _ workspace: Workspace) throws -> [Measurement] {
        let (python, script) = (folder + "/venv/bin/python", folder + "/a_recording.py")
        guard access(python, X_OK) == 0, access(script, R_OK) == 0 else { return [] }
        let results = workspace.newPath("recording.json")
        _ = try Figure.output(of: [
            python, script, "--rounds", "\(workspace.count(3, quick: 1))", "--bulk",
            "\(workspace.count(100_000, quick: 20_000))", "--single", "\(workspace.count(2000, quick: 200))",
            "--designs", "raw,shist,schron,sjson,sjsong,audite", "--dir", workspace.folder, "--json", results,
        ])
        let data = try Data(contentsOf: URL(fileURLWithPath: results))
        let designs = try JSONDecoder().decode([String: [String: Phase]].self, from: data)
        return designs.sorted { $0.key < $1.key }.flatMap { design, phases in
            phases.sorted { $0.key < $1.key }.map { phase, result in
                Measurement("speed of \(phase), \(design), beside unrecorded", .ratio, [result.wall])
            }
        }
    }
}
