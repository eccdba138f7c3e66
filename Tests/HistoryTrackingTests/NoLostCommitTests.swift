import HistoryTracking
import PersistentStore
import TestSupport
import Testing

/// Detection of every commit by file events alone: a commit that they miss is never seen, since nothing polls
/// and, in lockstep, nothing is written until the commit was seen. All cases are 102,000 commits.
@Suite(.serialized) struct NoLostCommitTests {
    static let commits = LongProof.count(400, of: 17_000, "commits of each writer")
    /// The time after which a commit counts as lost, regardless of the load of the machine.
    static let boundMilliseconds = 30_000

    enum Writer: String, CaseIterable {
        case ours
        case shell
        case python

        func start(_ store: String, durability: String) throws -> LineProcess {
            switch self {
            case .ours:
                return try StoreWriterProcess(store, author: "other", durability: durability).process
            case .shell:
                let shell = try LineProcess("sqlite3", [store])
                shell.send("PRAGMA synchronous = \(durability);")
                return shell
            case .python:
                let script = """
                    import sqlite3, sys
                    store = sqlite3.connect(sys.argv[1], isolation_level=None, timeout=10)
                    while line := sys.stdin.readline():
                        for statement in line.split(";"):
                            store.execute(statement)
                    """
                let python = try LineProcess("/usr/bin/python3", ["-c", script, store])
                python.send("PRAGMA synchronous = \(durability)")
                return python
            }
        }

        func line(_ burst: Int) -> String {
            let insert = "INSERT INTO Note (title) VALUES ('x')"
            return switch self {
            case .ours: "burst \(burst)"
            case .shell: String(repeating: insert + ";", count: burst)
            case .python: Array(repeating: insert, count: burst).joined(separator: ";")
            }
        }
    }

    @Test(arguments: Writer.allCases, ["normal", "full"])
    func `no commit is lost`(writer: Writer, durability: String) async throws {
        for burst in [1, 3] {
            let folder = try TemporaryFolder()
            var options = StoreOptions()
            options.pollsAsFallback = false
            let container = try await Notes.open(folder, options: options)
            let consumer = RecordingConsumer()
            let tracker = HistoryTracker(
                container: container,
                parameters: .quiet("reader", cursor: .transient(every: .seconds(60))),
                consumer: consumer)
            try await tracker.start()
            let process = try writer.start(container.path, durability: durability)
            var sent = 0
            var isLost = false
            while sent < Self.commits / 2, !isLost {
                process.send(writer.line(burst))
                sent += burst
                isLost = !consumer.waits(for: sent, milliseconds: Self.boundMilliseconds)
            }
            #expect(!isLost, "the burst of \(burst) that ends with commit \(sent)")
            #expect(consumer.numbers == consumer.numbers.sorted())
            #expect(Set(consumer.numbers).count == sent)
            process.killNow()
            await tracker.stop()
            await container.close()
        }
    }
}
