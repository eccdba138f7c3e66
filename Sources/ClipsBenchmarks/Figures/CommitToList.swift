import CBenchmarkProbes
import Glibc
import PersistentStore

extension Figure {
    static let commitToList = Figure(
        name: "F1", title: "commit in one process until the clip is in the live list of another"
    ) { workspace in
        var (results, lost): ([Measurement], [Measurement]) = ([], [])
        for durability in [StoreOptions.Durability.normal, .full] {
            results += try CommitToList(workspace, durability).measure()
        }
        for durability in [StoreOptions.Durability.normal, .full] {
            for burst in [1, 3] as [UInt8] {
                for writer in LostCommits.Writer.allCases {
                    lost.append(
                        try LostCommits(writer: writer, durability: durability, burst: burst).measure(
                            workspace))
                }
            }
        }
        return results + LostCommits.sum(lost, of: lost.count * LostCommits.commits(workspace))
            + lost
    }
}

/// Our writer and list in two processes, compared with the C probes in two processes.
private struct CommitToList {
    private let window: ListeningWindow
    private let writer: RoleWriter
    private let watch: OpaquePointer
    private let probeWriter: RoleWriter
    private let durability: StoreOptions.Durability
    private let workspace: Workspace

    init(_ workspace: Workspace, _ durability: StoreOptions.Durability) throws {
        self.workspace = workspace
        self.durability = durability
        let store = workspace.newPath("list.db")
        try SmallStore.make(store)
        window = try ListeningWindow(store: store)
        writer = try RoleWriter(.writer(store: store, durability))
        let bare = workspace.newPath("bare.db")
        try SmallStore.make(bare, isTracked: false)
        probeWriter = try RoleWriter(.probeWriter(store: bare, durability))
        guard let watch = probe_watch_open(bare) else {
            throw BenchmarkError("the C probe cannot watch the store")
        }
        self.watch = watch
    }

    func measure() throws -> [Measurement] {
        defer { probe_watch_close(watch) }
        let block = 100
        _ = try (ours(block), probe(block))
        let comparison = try Comparison(rounds: workspace.count(20, quick: 6)) {
            try ours(block)
        } beside: {
            try probe(block)
        }
        let name = "\(durability)"
        let headline = "Commit to another process's list, \(name)"
        var results = [
            Measurement(
                "commit to list, \(name)", .time, comparison, beside: "C probe",
                goal: Measurement.Goal(atMost: 2)
            ).headlined(headline)
        ]
        for peer in WakePeer.all where peer.isDurable == (durability == .full) {
            results += try [peer.measure(beside: { try ours(block) }, workspace, of: headline)]
                .compactMap { $0 }
        }
        try window.close()
        if let spread = Spread(comparison.ours) {
            results.append(
                Measurement(
                    "its p99 by its p50, \(name)", .ratio, [spread.p99 / spread.median],
                    goal: Measurement.Goal(atMost: 10)
                ).headlined("its p99 by its p50, \(name)"))
        }
        return results
    }

    /// Waits a random time, so that commits are not synchronized with the work after the previous one.
    private func pause() { usleep(UInt32.random(in: 500...1500)) }

    private func ours(_ count: Int) throws -> [Double] {
        try (0..<count).map { _ in
            pause()
            let wanted = window.newestID + 1
            try writer.commit(1)
            guard let seen = window.wait(for: wanted) else { throw BenchmarkError("a commit was lost") }
            return try seen - writer.begun()
        }
    }

    private func probe(_ count: Int) throws -> [Double] {
        try (0..<count).map { _ in
            pause()
            let wanted = probe_watch_newest(watch) + 1
            try probeWriter.commit(1)
            let seen = probe_watch_wait(watch, wanted, 500)
            guard seen > 0 else { throw BenchmarkError("the C probe lost a commit") }
            return try Moment(nanoseconds: seen) - probeWriter.begun()
        }
    }
}
