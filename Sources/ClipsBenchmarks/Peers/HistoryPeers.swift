import Glibc

/// The cost of reading and cleaning a long history in other systems, in C on their tables; 10 changes per
/// transaction.
enum HistoryPeers {
    struct Peer {
        let name: String
        /// Seconds for the newest 10 transactions.
        var fetch: Double?
        var changesCleaned: Double?
        /// Seconds that a writer waited during cleaning.
        var longestWait: Double?
    }

    private static let names = [
        "shist": "sqlite-history", "schron": "sqlite-chronicle", "sjson": "sqlite-history-json",
        "audite": "audite",
    ]

    static func measured(_ workspace: Workspace, for figure: String) throws -> [Peer] {
        guard let folder = workspace.peers, let python = folder.file("venv/bin/python", for: figure),
            let script = folder.file("b_fetch_clean.py", for: figure),
            folder.file("b_clean", for: figure) != nil
        else { return [] }
        return try workspace.once("history peers") {
            let output = try PeerFolder.output(of: [
                python, script, "--n", "\(changes(workspace))", "--reps", "\(workspace.count(3, quick: 1))",
                "--designs", names.keys.sorted().joined(separator: ","), "--strategies", "batch1000p",
                "--dir", workspace.folder,
            ])
            let peers = read(output)
            if peers.isEmpty { PeerFolder.leaveOut("history peers", figure, "b_fetch_clean.py does not run") }
            return peers
        }
    }

    static func changes(_ workspace: Workspace) -> Int { workspace.count(1_000_000, quick: 20_000) }

    /// Parses two tables of text: fetching, then cleaning.
    private static func read(_ output: String) -> [Peer] {
        var peers: [String: Peer] = [:]
        for line in output.split(separator: "\n") {
            let cells = line.split(separator: "|").map { $0.filter { $0 != " " && $0 != "," } }
            guard let design = cells.first, let name = names[design] else { continue }
            var peer = peers[name] ?? Peer(name: name)
            if cells.count == 5, let microseconds = Double(cells[2]) {
                peer.fetch = microseconds / 1_000_000
            } else if cells.count == 9, cells[1] == "batch1000p" {
                peer.changesCleaned = Double(cells[3])
                peer.longestWait = cells[7].split(separator: "/").first.flatMap { Double($0) }.map {
                    $0 / 1000
                }
            }
            peers[name] = peer
        }
        return peers.values.sorted { $0.name < $1.name }
    }
}
