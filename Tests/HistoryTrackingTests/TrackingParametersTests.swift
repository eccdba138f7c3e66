import HistoryTracking
import PersistentStore
import Synchronization
import TestSupport
import Testing

/// Parameters of a tracker: authors, cursor storage, counts, and logging.
@Suite struct TrackingParametersTests {
    let folder: TemporaryFolder
    let container: PersistentContainer

    init() async throws {
        folder = try TemporaryFolder()
        container = try await Notes.open(folder)
    }

    private var quiet: TrackingParameters { .quiet("reader") }

    private func follow(
        _ parameters: TrackingParameters, _ work: () async throws -> Void
    ) async throws -> (RecordingConsumer, TrackingStatistics) {
        let consumer = RecordingConsumer()
        let tracker = HistoryTracker(container: container, parameters: parameters, consumer: consumer)
        try await tracker.start()
        try await work()
        let newest = try await container.currentToken()
        #expect(await soon { await tracker.deliveredToken == newest })
        let statistics = await tracker.statistics
        await tracker.stop()
        return (consumer, statistics)
    }

    private func save(as author: String?) async throws {
        _ = try await container.makeContext(author: author).save(inserting: ["title": "x"])
    }

    @Test func `all authors are delivered by default, a missing one too`() async throws {
        let (consumer, statistics) = try await follow(quiet) {
            for author in ["app", "guest", "guest", nil] { try await save(as: author) }
        }
        #expect(consumer.seen.transactions.map(\.author) == ["app", "guest", "guest", nil])
        #expect(statistics.transactions == 4 && statistics.changes == 4)
    }

    @Test func `a list of authors restricts delivery, and an empty one admits none`() async throws {
        var parameters = quiet
        parameters.predicate = .authors(["extension", nil])
        let (some, _) = try await follow(parameters) {
            for author in ["app", "extension", nil] { try await save(as: author) }
        }
        #expect(some.seen.transactions.map(\.author) == ["extension", nil])
        parameters.predicate = .authors([])
        let (none, _) = try await follow(parameters) { try await save(as: "app") }
        #expect(none.seen.transactions.isEmpty)
    }

    @Test(arguments: [false, true])
    func `a mirror's imports are delivered unless excluded`(included: Bool) async throws {
        var parameters = quiet
        if !included { parameters.predicate = .not(.author("mirror")) }
        let (consumer, _) = try await follow(parameters) {
            for author in ["app", "mirror", nil] { try await save(as: author) }
        }
        #expect(
            consumer.seen.transactions.map(\.author) == (included ? ["app", "mirror", nil] : ["app", nil]))
    }

    /// Stores cursors in memory, as a program's own settings file would.
    final class Shelf: CursorStorage {
        private let texts = Mutex<[String: String]>([:])
        var all: [String: String] { texts.withLock { $0 } }
        func cursor(forKey key: String) -> String? { texts.withLock { $0[key] } }
        func setCursor(_ text: String, forKey key: String) { texts.withLock { $0[key] = text } }
    }

    @Test func `an external cursor survives a restart, under its prefix`() async throws {
        let shelf = Shelf()
        var parameters = quiet
        parameters.cursor = .external(shelf, prefix: "test.")
        let (first, _) = try await follow(parameters) { try await save(as: "app") }
        #expect(first.seen.refreshes == 1 && first.changes == 1)
        let newest = try await container.currentToken()
        #expect(shelf.all.keys.sorted() == ["test.reader"])
        #expect(shelf.all["test.reader"]?.hasPrefix("\(newest) ") == true)
        #expect(try await container.read { try $0.consumers() }.isEmpty)
        try await save(as: "app")
        let (second, _) = try await follow(parameters) { try await save(as: "app") }
        #expect(second.seen.refreshes == 0 && second.changes == 2)
    }

    @Test(arguments: ["", "nonsense", "11111111-2222-4333-8444-555555555555.1.1"])
    func `a damaged or foreign cursor leads to a refresh and is repaired`(text: String) async throws {
        let shelf = Shelf()
        shelf.setCursor(text, forKey: "HistoryTracking.cursor.reader")
        var parameters = quiet
        parameters.cursor = .external(shelf)
        let (consumer, statistics) = try await follow(parameters) { try await save(as: "app") }
        #expect(consumer.seen.refreshes == 1 && statistics.refreshes == 1)
        let newest = try await container.currentToken()
        #expect(shelf.cursor(forKey: "HistoryTracking.cursor.reader")?.hasPrefix("\(newest) ") == true)
    }

    @Test func `an external cursor, of a history that an older file replaced, leads to a refresh`()
        async throws
    {
        let (shelf, key) = (Shelf(), "HistoryTracking.cursor.reader")
        var parameters = quiet
        parameters.cursor = .external(shelf)
        _ = try await follow(parameters) { try await save(as: "app") }
        let stored = try #require(shelf.cursor(forKey: key)).split(separator: " ")
        shelf.setCursor("\(stored[0]) 1", forKey: key)
        let (consumer, _) = try await follow(parameters) { try await save(as: "app") }
        #expect(stored.count == 2 && consumer.seen.refreshes == 1)
    }

    final class Log: TrackingLogger {
        private let entries = Mutex<[(LogType, String)]>([])
        var lines: [(LogType, String)] { entries.withLock { $0 } }
        func log(_ type: LogType, _ message: String) { entries.withLock { $0.append((type, message)) } }
    }

    struct Revealing: Error { let text: String }

    @Test func `messages are logged by level, and never contain user content`() async throws {
        for level in [LogLevel.off, .important] {
            let log = Log()
            var parameters = quiet
            parameters.logger = log
            parameters.logLevel = level
            parameters.failuresBeforeParking = 2
            let tracker = HistoryTracker(container: container, parameters: parameters)
            await tracker.registerObserver { changes in
                throw Revealing(text: changes.contextName ?? "")
            }
            try await tracker.start()
            _ = try await container.makeContext(author: "app", name: "secret").save(
                inserting: ["title": "secret"])
            #expect(await soon { await tracker.statistics.parked == 1 })
            await tracker.stop()
            #expect(log.lines.isEmpty == (level == .off))
            #expect(!log.lines.contains { $0.1.contains("secret") })
            if level == .important {
                #expect(log.lines.map(\.0) == [.info, .error, .fault, .info])
                #expect(log.lines.contains { $0.1.contains("Revealing") })
            }
        }
    }

    @Test func `a tracker that starts automatically needs no call`() async throws {
        var parameters = quiet
        parameters.startsAutomatically = true
        let consumer = RecordingConsumer()
        let tracker = HistoryTracker(container: container, parameters: parameters, consumer: consumer)
        #expect(await soon { consumer.seen.states == [.live] })
        try await save(as: "app")
        #expect(await soon { consumer.changes == 1 })
        await tracker.stop()
    }

    @Test func `a commit that recorded nothing causes no pass`() async throws {
        let consumer = RecordingConsumer()
        let tracker = HistoryTracker(container: container, parameters: quiet, consumer: consumer)
        try await tracker.start()
        try await save(as: "app")
        let newest = try await container.currentToken()
        #expect(await soon { await tracker.deliveredToken == newest })
        // The cursor's own move is a commit of the same store, which the second container's tracker also
        // receives.
        let passes = await tracker.statistics.passes
        let other = try await Notes.open(folder)
        let (heard, journal) = (try await container.events(), Journal())
        let listening = Task { for await _ in heard { journal.add("heard") } }
        for number in 0..<3 {
            _ = try await other.registerConsumer("another \(number)")
            #expect(await soon { journal.lines.count > number })
        }
        listening.cancel()
        #expect(await tracker.statistics.passes == passes)
        await tracker.stop()
    }
}
