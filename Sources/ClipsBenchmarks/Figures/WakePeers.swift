/// Other people's ways to hear of a commit in another process, as their own programs measure them: the median
/// transaction and the median time from its end until the row was read, since ours counts from its beginning too.
struct WakePeer: Sendable {
    let name: String
    let isDurable: Bool
    /// How many times as fast ours is to be.
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
        // Where the folder's servers listen; see its c_servers.sh.
        return [
            "sh", "-c",
            "PGHOST=${TMPDIR:-/tmp}/clips-bench-srv/run PGPORT=5499 REDISPORT=6399 exec \"$@\"", "sh",
            probe, "lat", mode, commits, "rnd", store,
        ]
    }

    /// Nil, and told, when it is not there.
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

    /// In seconds.
    private static func median(_ command: [String]) throws -> Double? {
        let words = try PeerFolder.output(of: command).split(separator: " ")
        func value(_ name: String) -> Double? {
            guard let place = words.firstIndex(of: name[...]), place + 1 < words.count else { return nil }
            return Double(words[place + 1].filter { $0 != "\n" })
        }
        guard let transaction = value("writer_p50"), let rest = value("from_return_p50") else { return nil }
        return (transaction + rest) / 1_000_000
    }
}
