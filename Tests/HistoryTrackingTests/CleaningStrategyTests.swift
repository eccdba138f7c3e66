import HistoryTracking
import PersistentStore
import Synchronization
import TestSupport
import Testing

/// The time at which a tracker cleans, the consumers it waits for, and cleaning by hand.
@Suite struct CleaningStrategyTests {
    let folder: TemporaryFolder
    let clock = SettableClock()
    let container: PersistentContainer
    let context: StoreContext

    init() async throws {
        folder = try TemporaryFolder()
        container = try await Notes.open(folder, options: clock.options())
        context = container.makeContext(author: "app")
    }

    private func tracker(
        _ cleaning: CleaningStrategy, _ change: (inout TrackingParameters) -> Void = { _ in }
    ) -> HistoryTracker {
        var parameters = TrackingParameters.quiet("view")
        parameters.cleaning = cleaning
        change(&parameters)
        return HistoryTracker(container: container, parameters: parameters)
    }

    /// Commits once, after which the tracker has processed the commit.
    private func commit(_ tracker: HistoryTracker) async throws {
        _ = try await context.save(inserting: ["title": "x"])
        let newest = try await container.currentToken()
        #expect(await soon { await tracker.deliveredToken == newest })
        // The cursor is written after the pass.
        #expect(try await soon { try await container.read { try $0.consumers() }.allSatisfy { $0.lag == 0 } })
    }

    private func retained() async throws -> Int { try await container.transactions().count }

    @Test func `without a strategy nothing is purged, however old, and by hand all processed history is`()
        async throws
    {
        let tracker = tracker(.none)
        try await tracker.start()
        for _ in 0..<5 { try await commit(tracker) }
        clock.advance(days: 100)
        for _ in 0..<5 { try await commit(tracker) }
        await tracker.stop()
        #expect(try await retained() == 10)
        let result = try await HistoryCleaner(container: container).clean()
        #expect(result.transactions == 10 && result.changes == 10)
        #expect(try await retained() == 0)
        #expect(try await container.objects().count == 10)
    }

    @Test func `cleaning by hand waits for a consumer that is behind, except one of a batch author`()
        async throws
    {
        _ = try await container.registerConsumer("behind", author: "widget")
        let tracker = tracker(.none)
        try await tracker.start()
        for _ in 0..<3 { _ = try await context.save(inserting: ["title": "x"]) }
        let newest = try await container.currentToken()
        #expect(await soon { await tracker.deliveredToken == newest })
        await tracker.stop()
        var result = try await HistoryCleaner(container: container).clean()
        #expect(result.transactions == 0)
        #expect(try await retained() == 3)
        result = try await HistoryCleaner(container: container, batchAuthors: ["widget"]).clean()
        #expect(result.transactions == 3)
    }

    @Test func `a tracker does not wait for the consumers of its batch authors`() async throws {
        _ = try await container.registerConsumer("import", author: "batch")
        let tracker = tracker(.byNotification(2)) { $0.batchAuthors = ["batch"] }
        try await tracker.start()
        for _ in 0..<2 {
            _ = try await context.save(inserting: ["title": "x"])
            let newest = try await container.currentToken()
            #expect(await soon { await tracker.deliveredToken == newest })
        }
        #expect(try await soon { try await retained() < 2 })
        await tracker.stop()
    }

    @Test func `by duration, a second launch cleans only after the interval`()
        async throws
    {
        var logs: [TrackingParametersTests.Log] = []
        for (launch, seconds) in [Int64(0), 3599, 1].enumerated() {
            clock.advance(seconds: seconds)
            for _ in 0..<3 { _ = try await context.save(inserting: ["title": "x"]) }
            let log = TrackingParametersTests.Log()
            logs.append(log)
            let tracker = tracker(.byDuration(.seconds(3600))) {
                $0.logger = log
                $0.logLevel = .detail
            }
            try await tracker.start()
            let newest = try await container.currentToken()
            #expect(await soon { await tracker.deliveredToken == newest })
            if launch != 1 { #expect(await soon { cleanings(log) == 1 }) }
            await tracker.stop()
        }
        #expect(logs.map(cleanings) == [1, 0, 1])
    }

    /// ```
    /// sqlite3:  insert  holds the lock          insert, holds the lock      releases it
    /// tracker:         pass    cleaning waits                         pass             cleans twice
    /// ```
    @Test func `by passes, a pass that ends during a cleaning is cleaned too`() async throws {
        // All history is too old, so cleaning waits for no consumer; a cursor in the store would wait for the
        // lock.
        clock.set(4_000_000_000_000)
        let tracker = tracker(.byNotification(1)) {
            $0.cursor = .external(TrackingParametersTests.Shelf())
            $0.bounds = HistoryBounds(maximumAge: .zero)
        }
        try await tracker.start()
        let shell = try LineProcess("sqlite3", [container.path])
        #expect(try shell.ask("PRAGMA busy_timeout = 10000;") == "10000")
        let insert = "INSERT INTO Note (title) VALUES ('x'); COMMIT; BEGIN IMMEDIATE; SELECT 'held';"
        for begin in ["BEGIN;", ""] {
            #expect(try shell.ask(begin + insert) == "held")
            let newest = try await container.currentToken()
            #expect(await soon { await tracker.deliveredToken == newest })
        }
        shell.send("COMMIT;")
        #expect(try await soon { try await retained() == 0 })
        await tracker.stop()
    }

    /// ```
    /// sqlite3:  insert, holds the lock                          releases it
    /// tracker:          pass    cleaning waits    stop waits                stopped
    /// ```
    @Test func `a stop waits for a running cleaning, after which none deletes history`() async throws {
        let log = TrackingParametersTests.Log()
        let waits = Mutex(0)
        var options = clock.options()
        // Called at each try for the lock; only a cleaning writes here.
        options.isInterrupted = {
            waits.withLock { $0 += 1 }
            return false
        }
        let folder = try TemporaryFolder()
        let container = try await Notes.open(folder, options: options)
        clock.set(4_000_000_000_000)
        var parameters = TrackingParameters.quiet("view", cursor: .external(TrackingParametersTests.Shelf()))
        parameters.cleaning = .byNotification(1)
        parameters.logger = log
        parameters.bounds = HistoryBounds(maximumAge: .zero)
        let tracker = HistoryTracker(container: container, parameters: parameters)
        try await tracker.start()
        let shell = try LineProcess("sqlite3", [container.path])
        let insert = "INSERT INTO Note (title) VALUES ('x'); BEGIN IMMEDIATE; SELECT 'held';"
        #expect(try shell.ask("PRAGMA busy_timeout = 10000;") == "10000")
        #expect(try shell.ask(insert) == "held")
        // A cleaning that took the lock before the shell is over.
        var attempts = 0
        while attempts < 20, await !soon(within: 2, { waits.withLock { $0 } > 0 }) {
            attempts += 1
            try #require(try shell.ask("COMMIT; " + insert) == "held")
        }
        let stop = Task { await tracker.stop() }
        let before = waits.withLock { $0 }
        #expect(await soon { waits.withLock { $0 } > before + 500 })
        #expect(!log.lines.contains { $0.1.hasSuffix("stopped") })
        #expect(try shell.ask("COMMIT; SELECT 'released';") == "released")
        await stop.value
        #expect(log.lines.last?.1.hasSuffix("stopped") == true)
        let left = try await container.transactions().count
        // The connection that writes does one after the other.
        _ = try await container.makeContext(author: "app").save(inserting: ["title": "y"])
        #expect(try await container.transactions().count == left + 1)
        clock.advance(days: 1)
        try await tracker.start()
        #expect(try await soon { try await container.transactions().isEmpty })
        await tracker.stop()
    }

    private func cleanings(_ log: TrackingParametersTests.Log) -> Int {
        log.lines.count { $0.1.contains("cleaned") }
    }
}
