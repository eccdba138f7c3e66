/// Other mechanisms that report a commit to another process, measured by their own programs: the median
/// transaction plus the median time from its end until the row was read, because ours is measured from its
/// beginning too.
struct WakePeer: Sendable {
    let name: String
    let isDurable: Bool
    /// The goal: the factor by which ours must be faster.
    let lead: Double?
    private let command: @Sendable (PeerFolder, _ commits: String, _ store: String) -> [String]?

    static let all = [
        WakePeer(name: "PostgreSQL NOTIFY", isDurable: true, lead: 3) { wake($0, "pg", $1, $2) },
        WakePeer(name: "PostgreSQL NOTIFY, asynchronous commit", isDurable: false, lead: 3) {
            wake($0, "pgasync", $1, $2)
        },
        WakePeer(name: "honker", isDurable: false, lead: 3) { folder, commits, _ in
            guard let python = folder.file("venv/bin/python", for: "F1"),
                let script = folder.file("c_honker.py", for: "F1")
            else { return nil }
            return [python, script, commits, "rnd"]
        },
        WakePeer(name: "Redis PUBLISH", isDurable: false, lead: nil) { wake($0, "dbredis", $1, $2) },
        WakePeer(name: "a pipe after COMMIT", isDurable: false, lead: nil) { wake($0, "dbpipe", $1, $2) },
    ]

    private static func wake(_ folder: PeerFolder, _ mode: String, _ commits: String, _ store: String)
        -> [String]?
    {
        guard let probe = folder.file("c_wake", for: "F1") else { return nil }
        // The addresses of the folder's servers; see its c_servers.sh.
        return [
            "sh", "-c",
            "PGHOST=${TMPDIR:-/tmp}/clips-bench-srv/run PGPORT=5499 REDISPORT=6399 exec \"$@\"", "sh",
            probe, "lat", mode, commits, "rnd", store,
        ]
    }

    /// Measures the peer; returns nil and prints the reason if it is missing.
    func measure(beside ours: () throws -> [Double], _ workspace: Workspace, of headline: String) throws
        -> Measurement?
    {
        guard let folder = workspace.peers,
            let command = command(
                folder, "\(workspace.count(500, quick: 150))", workspace.newPath("wake.db"))
        else { return nil }
        guard try Self.median(command) != nil else {
            PeerFolder.leaveOut(name, "F1", "it does not run; its servers start with c_servers.sh start")
            return nil
        }
        let comparison = try Comparison(rounds: workspace.count(5, quick: 2), ours: ours) {
            try Self.median(command).map { [$0] } ?? []
        }
        return Measurement(
            "commit to list", .time, comparison.asSpeed, peer: name, of: headline,
            goal: lead.map { Measurement.Goal(atLeast: $0) })
    }

    /// Returns the median in seconds.
    private static func median(_ command: [String]) throws -> Double? {
        let words = try PeerFolder.output(of: command).split(separator: " ")
        func value(_ name: String) -> Double? {
            guard let index = words.firstIndex(of: name[...]), index + 1 < words.count else { return nil }
            return Double(words[index + 1].filter { $0 != "\n" })
        }
        guard let transaction = value("writer_p50"), let rest = value("from_return_p50") else { return nil }
        return (transaction + rest) / 1_000_000
    }
}
