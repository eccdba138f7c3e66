import Glibc
import PersistentStore

/// Other programs that show a growing file or table.
struct LivePeers {
    let workspace: Workspace
    let headline: String
    /// Measures a block of ours.
    let ours: () throws -> [Double]

    func measure() throws -> [Measurement] {
        try [tail(), liveView(), watch()].compactMap { $0 }
    }

    private func tail() throws -> Measurement? {
        guard PeerFolder.has("tail", for: "F2") else { return nil }
        let path = workspace.newPath("lines.txt")
        let file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        defer { close(file) }
        write(file, "nothing yet\n", 12)
        let program = try TerminalProgram(["tail", "-f", path])
        _ = try program.wait(for: ["nothing yet"])
        var number = 0
        return try compare("tail -f", rounds: workspace.count(5, quick: 2), block: 50) {
            number += 1
            let text = SampleClip.marker(number)
            let began = Moment.now
            write(file, text + "\n", text.utf8.count + 1)
            return try program.wait(for: [text], seconds: 5) - began
        }
    }

    /// Measures the live view in C from the folder of peers, on the same table without history.
    private func liveView() throws -> Measurement? {
        guard let folder = workspace.peers, let probe = folder.file("d_live", for: "F2") else { return nil }
        let store = workspace.newPath("live.db")
        try SmallStore.make(store, isTracked: false)
        let writer = try RoleWriter(.probeWriter(store: store, .normal))
        let program = try TerminalProgram([probe, store])
        _ = try program.wait(for: ["READY"])
        var number = 0
        return try compare(
            "d_live", rounds: workspace.count(10, quick: 3), block: 50, goal: Measurement.Goal(atMost: 1.5)
        ) {
            number += 1
            try writer.commit(1)
            let painted = try program.wait(for: ["number \(number) "], seconds: 5)
            return try painted - writer.begun()
        }
    }

    private func watch() throws -> Measurement? {
        guard workspace.peers != nil, PeerFolder.has("watch", for: "F2") else { return nil }
        let store = workspace.newPath("watched.db")
        try SmallStore.make(store)
        let writer = try RoleWriter(.writer(store: store, .normal))
        let query = "sqlite3 '\(store)' 'SELECT title FROM Clip ORDER BY id DESC LIMIT 30'"
        let program = try TerminalProgram(["watch", "-t", "-n", "0.1", query])
        _ = try program.wait(for: [SampleClip.title(99)])
        var number = 0
        return try compare("watch sqlite3", rounds: workspace.count(3, quick: 1), block: 10) {
            number += 1
            try writer.commit(1)
            let painted = try program.wait(for: [SampleClip.marker(number)], seconds: 5)
            return try painted - writer.begun()
        }
    }

    private func compare(
        _ peer: String, rounds: Int, block: Int, goal: Measurement.Goal? = nil, _ one: () throws -> Double
    ) throws -> Measurement {
        let comparison = try Comparison(rounds: rounds, ours: ours) {
            try (0..<block).map { _ in
                usleep(UInt32.random(in: 1000...3000))
                return try one()
            }
        }
        return Measurement("commit to paint", .time, comparison, peer: peer, of: headline, goal: goal)
    }
}
