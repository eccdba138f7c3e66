import ClipsCore
import Glibc
import LiveQuery
import PersistentStore

extension Figure {
    static let logSize = Figure(
        name: "WAL", title: "the -wal while two processes commit without a pause, with a live query open"
    ) { workspace in
        let seconds = workspace.count(60, quick: 10)
        var (bounded, unbounded): ([Saturation], [Saturation]) = ([], [])
        let comparison = try Comparison(
            rounds: workspace.count(3, quick: 1),
            ours: {
                bounded.append(try Saturation(workspace, seconds: seconds, limitsLog: true))
                return bounded.suffix(1).map(\.commitsInSecond)
            },
            reference: {
                unbounded.append(try Saturation(workspace, seconds: seconds, limitsLog: false))
                return unbounded.suffix(1).map(\.commitsInSecond)
            })
        let reference = "the log unbounded"
        return [
            Measurement(
                "greatest -wal in \(seconds) s of saturation", .memory, bounded.map(\.greatestLog),
                goal: .atMost(64 * 1_048_576), headline: "Greatest -wal in \(seconds) s of two writers"
            ).next(to: reference, unbounded.map(\.greatestLog)),
            Measurement("-wal at the end", .memory, bounded.map(\.lastLog))
                .next(to: reference, unbounded.map(\.lastLog)),
            Measurement(
                "commits in a second, two writers", .count, comparison, reference: reference,
                goal: .atLeast(0.9), headline: "Commits in a second, two writers and a live query"),
        ]
    }
}

/// Two processes that commit clips as fast as they can, while this one shows the newest ones in a live query.
private struct Saturation {
    private(set) var greatestLog = 0.0
    let lastLog: Double
    let commitsInSecond: Double

    init(_ workspace: Workspace, seconds: Int, limitsLog: Bool) throws {
        let path = try workspace.newStore()
        let container = try SampleStore.open(path)
        let request = FetchRequest(
            ClipModel.entity, sort: [SortKey(ClipAttribute.created.rawValue, isAscending: false)], limit: 40)
        let live = try blocking { try await LiveFetch(request, in: container) }
        let reader = Task.detached { for try await _ in live.snapshots {} }
        let writers = try (0..<2).map { _ in
            let writer = try Role.steadyWriter(store: path, pauses: false, limitsLog: limitsLog).start()
            _ = try writer.receive()
            return writer
        }
        let began = Moment.now
        while began.secondsSince < Double(seconds) {
            greatestLog = max(greatestLog, SampleStore.fileSize(path + "-wal"))
            usleep(5_000)
        }
        for writer in writers { writer.closeInput() }
        let commits = try writers.map { try $0.receive() }.reduce(0, +)
        lastLog = SampleStore.fileSize(path + "-wal")
        commitsInSecond = Double(commits) / began.secondsSince
        try blocking {
            await live.stop()
            try await reader.value
        }
        try container.closeBlocking()
        for end in ["", "-wal", "-shm", "-doorbell"] { unlink(path + end) }
    }
}
