/// Other mechanisms that report a commit to another process, measured by their own programs: the median
/// transaction plus the median time from its end until the row was read, because ours is measured from its
/// beginning too.
struct WakePeer: Sendable {
    private let name: String
    let isDurable: Bool
    /// The factor by which ours must be faster.
    private let goal: Double
    /// The mode of the folder's `c_wake`; nil for a script.
    private let mode: String?

    static let all = [
        WakePeer(name: "PostgreSQL NOTIFY", isDurable: true, goal: 1, mode: "pg"),
        WakePeer(
            name: "PostgreSQL NOTIFY, asynchronous commit", isDurable: false, goal: 1.2, mode: "pgasync"),
        WakePeer(name: "honker", isDurable: false, goal: 3, mode: nil),
        WakePeer(name: "Redis PUBLISH", isDurable: false, goal: 1.3, mode: "dbredis"),
    ]

    private func command(_ workspace: Workspace) -> [String]? {
        let commits = "\(workspace.count(500, quick: 150))"
        guard let folder = workspace.peers else { return nil }
        guard let mode else {
            return folder.python("c_honker.py", for: "F1").map { $0 + [commits, "rnd"] }
        }
        // The addresses of the folder's servers; see its c_servers.sh.
        let script = "PGHOST=${TMPDIR:-/tmp}/clips-bench-srv/run PGPORT=5499 REDISPORT=6399 exec \"$@\""
        return folder.file("c_wake", for: "F1").map {
            ["sh", "-c", script, "sh", $0, "lat", mode, commits, "rnd", workspace.newPath("wake.db")]
        }
    }

    /// Measures the peer; returns nil and reports the reason if it is missing.
    func measure(_ workspace: Workspace, below result: Measurement, ours: () throws -> [Double]) throws
        -> Measurement?
    {
        guard let command = command(workspace) else { return nil }
        guard try !Self.median(command).isEmpty else {
            let reason = "it does not run; its servers start with c_servers.sh start"
            PeerFolder.reportSkipped(name, "F1", reason)
            return nil
        }
        let comparison = try Comparison(
            rounds: workspace.count(5, quick: 2), ours: ours, reference: { try Self.median(command) })
        return result.compared(with: name, comparison.asSpeed, goal: .atLeast(goal))
    }

    /// Returns the median in seconds; empty if the program does not run.
    private static func median(_ command: [String]) throws -> [Double] {
        let words = try ChildProcess.output(of: command).split(whereSeparator: \.isWhitespace)
        let values = ["writer_p50", "from_return_p50"].compactMap { name in
            words.firstIndex(of: name[...]).flatMap { words.dropFirst($0 + 1).first }.flatMap { Double($0) }
        }
        return values.count == 2 ? [(values[0] + values[1]) / 1_000_000] : []
    }
}
