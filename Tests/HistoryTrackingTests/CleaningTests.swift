import HistoryTracking
import PersistentStore
import Synchronization
import TestSupport
import Testing

/// Cleaning: purged and retained history.
@Suite(.serialized) struct CleaningTests {
    final class Clock: Sendable {
        private let time = Mutex<Int64>(1_700_000_000_000)
        func advance(seconds: Int64) { time.withLock { $0 += seconds * 1000 } }
        func now() -> Int64 { time.withLock { $0 } }
    }

    let folder: TemporaryFolder
    let clock = Clock()
    let container: PersistentContainer
    let context: StoreContext

    init() async throws {
        folder = try TemporaryFolder()
        var options = StoreOptions()
        let clock = clock
        options.clock = { clock.now() }
        options.durability = .normal
        container = try await Notes.open(folder, options: options)
        context = container.makeContext(author: "app")
    }

    private func save(_ count: Int) async throws {
        for _ in 0..<count { _ = try await context.save(inserting: ["title": "a"]) }
    }

    private func purge() async throws -> Int {
        try await container.purgeHistory(maximumAge: .seconds(7 * 24 * 3600)).transactions
    }

    @Test func `history that every consumer has processed is purged, and no cursor moves`() async throws {
        _ = try await container.registerConsumer("fast")
        let slow = try await container.registerConsumer("slow")
        try await save(5)
        let newest = try await container.currentToken()
        try await container.moveCursor(of: "fast", to: newest)
        #expect(try await purge() == 0)
        #expect(try await container.transactions(HistoryFetchRequest(.after(slow.token))).count == 5)
        let third = try await container.transactions()[2].token
        try await container.moveCursor(of: "slow", to: third)
        #expect(try await purge() == 3)
        #expect(try await container.transactions().count == 2)
        let cursors = try await container.read { try $0.consumers() }.map(\.token)
        #expect(cursors == [newest, third])
        try await container.removeConsumer("slow")
        #expect(try await purge() == 2)
        #expect(try await container.objects().count == 5)
    }

    @Test func `without consumers, only old history is purged`() async throws {
        try await save(3)
        #expect(try await purge() == 0)
        clock.advance(seconds: 8 * 24 * 3600)
        try await save(1)
        #expect(try await purge() == 3)
    }

    @Test func `history that is too old is purged despite a slow consumer, which then does a full refresh`()
        async throws
    {
        let consumer = RecordingConsumer()
        let parameters = TrackingParameters.quiet("laggard")
        var tracker = HistoryTracker(container: container, parameters: parameters, consumer: consumer)
        try await tracker.start()
        await tracker.stop()
        try await save(3)
        clock.advance(seconds: 8 * 24 * 3600)
        try await save(1)
        #expect(try await purge() == 3)
        let refreshes = consumer.seen.refreshes
        tracker = HistoryTracker(container: container, parameters: parameters, consumer: consumer)
        try await tracker.start()
        #expect(await soon { consumer.seen.refreshes == refreshes + 1 })
        await tracker.stop()
    }

    @Test func `two launches within the interval clean once, even if concurrent`() async throws {
        let second = try await PersistentContainer(
            path: container.path, model: Notes.model(),
            options: {
                var options = StoreOptions()
                let clock = clock
                options.clock = { clock.now() }
                return options
            }())
        let hour = Duration.seconds(3600)
        async let one = container.claimCleaning(every: hour)
        async let two = second.claimCleaning(every: hour)
        #expect(try await [one, two].count { $0 } == 1)
        clock.advance(seconds: 3599)
        #expect(try await !container.claimCleaning(every: hour))
        clock.advance(seconds: 1)
        #expect(try await second.claimCleaning(every: hour))
        #expect(try await !container.claimCleaning(every: hour))
    }

    @Test func `a process that never merges does not block a purge`() async throws {
        try await save(3)
        let passed = try await container.registerConsumer("reader")
        try await container.moveCursor(of: "reader", to: passed.token)
        var parameters = TrackingParameters.quiet("screen", cursor: .transient(every: .seconds(60)))
        parameters.predicate = .authors([])
        parameters.cleaning = .byDuration(.seconds(3600))
        let tracker = HistoryTracker(container: container, parameters: parameters)
        try await tracker.start()
        #expect(try await soon { try await container.transactions().isEmpty })
        await tracker.stop()
    }

    @Test func `by notification, cleaning follows every N passes that had transactions`() async throws {
        var parameters = TrackingParameters.quiet("reader")
        parameters.cleaning = .byNotification(3)
        let cleaning = HistoryTracker(container: container, parameters: parameters)
        try await cleaning.start()
        for _ in 0..<3 {
            try await save(1)
            let newest = try await container.currentToken()
            #expect(await soon { await cleaning.deliveredToken == newest })
        }
        #expect(try await soon { try await container.transactions().count < 3 })
        await cleaning.stop()
    }

    @Test func `a transient consumer whose process has exited does not block a purge`() async throws {
        let process = try StoreWriterProcess(container.path, author: "other")
        #expect(try process.ask("register reader") == "reader")
        // The second consumer of a name is transient.
        let mine = try await container.registerConsumer("reader")
        #expect(mine.name == "reader#2")
        try await save(2)
        let newest = try await container.currentToken()
        process.process.killNow()
        try await container.moveCursor(of: mine.name, to: newest)
        #expect(try await purge() == 0)
        try await container.moveCursor(of: "reader", to: newest)
        #expect(try await purge() == 2)
    }

    @Test func `purging 50,000 changes during writes delays the writer by less than the busy timeout`()
        async throws
    {
        let sql = """
            WITH RECURSIVE n (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 50000)
            INSERT INTO Note (title) SELECT 'x' FROM n;
            """
        #expect(try Shell.run("sqlite3", [container.path], input: sql).errors == "")
        try await save(1)
        let newest = try await container.currentToken()
        _ = try await container.registerConsumer("reader")
        try await container.moveCursor(of: "reader", to: newest)
        // A save that waited longer would fail.
        var options = StoreOptions()
        options.busyTimeout = .seconds(2)
        let writer = try await Notes.open(folder, options: options)
        let isDone = Mutex(false)
        let saves = Task {
            let context = writer.makeContext(author: "writer")
            while !isDone.withLock({ $0 }) {
                _ = try await context.save(inserting: ["title": "b"])
            }
        }
        let result = try await container.purgeHistory(maximumAge: .seconds(3600))
        isDone.withLock { $0 = true }
        try await saves.value
        #expect(result.changes == 50_001)
        let left = try Shell.run(
            "sqlite3", [container.path, "SELECT count(*) FROM history WHERE number <= \(newest.number - 1)"])
        #expect(left.output == "0\n")
        #expect(try await container.objects(FetchRequest("Note", limit: 1)).count == 1)
    }
}
