import CBenchmarkProbes
import Glibc

extension Figure {
    static let commitToList = Figure(
        name: "F1", title: "commit in one process until the clip is in the live list of another"
    ) { workspace in
        try [false, true].flatMap { try CommitToList(workspace, isDurable: $0).measure() }
    }
}

/// Our writer and list in two processes, compared with the C probes in two processes.
private struct CommitToList {
    private let window: ListeningWindow
    private let writer: RoleWriter
    private let watch: OpaquePointer
    private let probeWriter: RoleWriter
    private let isDurable: Bool
    private let workspace: Workspace

    init(_ workspace: Workspace, isDurable: Bool) throws {
        self.workspace = workspace
        self.isDurable = isDurable
        let (store, bare) = try (workspace.newStore(), workspace.newStore(isTracked: false))
        window = try ListeningWindow(store: store)
        writer = try RoleWriter(.writer(store: store, isDurable: isDurable))
        probeWriter = try RoleWriter(.probeWriter(store: bare, isDurable: isDurable))
        guard let watch = probe_watch_open(bare) else {
            throw BenchmarkError("the C probe cannot watch the store")
        }
        self.watch = watch
    }

    func measure() throws -> [Measurement] {
        defer { probe_watch_close(watch) }
        let comparison = try Comparison(
            rounds: workspace.count(20, quick: 6), warmsUp: true, ours: ours, reference: probe)
        let durability = isDurable ? "full" : "normal"
        let result = Measurement(
            "commit to list, \(durability)", .time, comparison, reference: "C probe",
            goal: .atMost(isDurable ? 1.4 : 2),
            headline: "Commit to another process's list, \(durability)")
        let peers = try WakePeer.all.filter { $0.isDurable == isDurable }.compactMap {
            try $0.measure(workspace, below: result, ours: ours)
        }
        try window.close()
        let spread = Spread(comparison.ours).map { [$0.p99 / $0.median] } ?? []
        return [result] + peers + [
            Measurement(
                "p99 relative to p50, \(durability)", .ratio, spread, goal: .atMost(10),
                headline: "Its p99 relative to its p50, \(durability)")
        ]
    }

    /// Repeats a measurement, with random pauses, so that commits are not synchronized with the work after
    /// the previous one.
    private func block(_ measure: () throws -> Double) throws -> [Double] {
        try (0..<100).map { _ in
            usleep(UInt32.random(in: 500...1500))
            return try measure()
        }
    }

    private func ours() throws -> [Double] {
        try block { try window.timeOfArrival(from: writer) }
    }

    private func probe() throws -> [Double] {
        try block {
            let wanted = probe_watch_newest(watch) + 1
            try probeWriter.commit(1)
            let seen = probe_watch_wait(watch, wanted, 500)
            guard seen > 0 else { throw BenchmarkError("the C probe lost a commit") }
            return try Moment(nanoseconds: seen) - probeWriter.begun()
        }
    }
}
