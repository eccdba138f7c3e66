import Glibc
import PersistentStore

/// Other programs that show a growing file or table.
struct LivePeers {
    let workspace: Workspace
    /// The row that the peers are compared with.
    let result: Measurement
    /// Measures a block of ours.
    let ours: () throws -> [Double]

    func measure() throws -> [Measurement] { try [tail(), liveView(), watch()].compactMap { $0 } }

    private func compare(
        _ peer: String, rounds: Int, _ theirs: () throws -> [Double]
    ) throws -> Measurement {
        result.compared(with: peer, try Comparison(rounds: rounds, ours: ours, reference: theirs))
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
        return try compare("tail -f", rounds: workspace.count(5, quick: 2)) {
            try (0..<50).map { _ in
                usleep(UInt32.random(in: 1000...3000))
                number += 1
                let text = SampleClip.marker(number)
                let began = Moment.now
                write(file, text + "\n", text.utf8.count + 1)
                return try program.wait(for: [text], seconds: 5) - began
            }
        }
    }

    /// Measures the live view in C from the folder of peers, on the same table without history.
    private func liveView() throws -> Measurement? {
        guard let probe = workspace.peers?.file("d_live", for: "F2") else { return nil }
        let store = workspace.newPath("live.db")
        try SampleStore.make(store, isTracked: false)
        let view = try PaintedCommits([probe, store], showing: "READY", .probeWriter(store: store, .normal))
        return try compare("d_live", rounds: workspace.count(10, quick: 3)) { try view.measure(50) }
    }

    private func watch() throws -> Measurement? {
        guard workspace.peers != nil, PeerFolder.has("watch", for: "F2") else { return nil }
        let store = workspace.newPath("watched.db")
        try SampleStore.make(store)
        let query = "sqlite3 '\(store)' 'SELECT title FROM Clip ORDER BY id DESC LIMIT 30'"
        let view = try PaintedCommits(
            ["watch", "-t", "-n", "0.1", query], showing: SampleClip.title(99),
            .writer(store: store, .normal))
        return try compare("watch sqlite3", rounds: workspace.count(3, quick: 1)) {
            try view.measure(10)
        }
    }
}
