import HistoryTracking
import PersistentStore
import TestSupport
import Testing

/// Delivery of each transaction once and in order, through every interruption.
@Suite struct HistoryTrackerTests {
    let folder: TemporaryFolder
    let container: PersistentContainer
    let context: StoreContext

    init() async throws {
        folder = try TemporaryFolder()
        container = try await Notes.open(folder)
        context = container.makeContext(author: "app")
    }

    private func tracker(
        _ consumer: RecordingConsumer, name: String = "reader", cursor: CursorPolicy = .everyPass,
        where predicate: TransactionPredicate? = nil, contexts: [StoreContext] = [],
        failuresBeforeParking: Int = 5, retryPause: Duration = .seconds(1),
        in container: PersistentContainer? = nil
    ) -> HistoryTracker {
        var parameters = TrackingParameters.quiet(name, contexts: contexts, cursor: cursor)
        parameters.predicate = predicate
        parameters.failuresBeforeParking = failuresBeforeParking
        parameters.retryPause = retryPause
        return HistoryTracker(
            container: container ?? self.container, parameters: parameters, consumer: consumer)
    }

    private func stored(_ name: String) async throws -> ConsumerStatus? {
        try await container.read { try $0.consumers() }.first { $0.name == name }
    }

    @Test func `a first start reads everything, and a later one catches up without a new commit`()
        async throws
    {
        _ = try await context.save(inserting: ["title": "before"])
        let first = RecordingConsumer()
        let one = tracker(first)
        try await one.start()
        #expect(await soon { first.seen.refreshes == 1 })
        #expect(first.numbers.isEmpty)
        await one.stop()
        #expect(first.seen.states == [.live, .stopped])
        _ = try await context.save(inserting: ["title": "while away"])
        let second = RecordingConsumer()
        let two = tracker(second)
        try await two.start()
        #expect(await soon { second.changes == 1 })
        #expect(second.seen.refreshes == 0)
        await two.stop()
    }

    @Test func `each transaction arrives once under 100 signals`() async throws {
        let consumer = RecordingConsumer()
        // Merging leaves the tracker's thread, so signals arrive during a pass.
        let tracker = tracker(consumer, contexts: [container.makeContext(author: "view")])
        try await tracker.start()
        try await tracker.start()
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<100 {
                group.addTask {
                    let context = container.makeContext(author: "\(number)")
                    _ = try? await context.save(inserting: ["title": "x"])
                }
            }
        }
        #expect(await soon { consumer.numbers.count >= 100 })
        let newest = try await container.currentToken()
        #expect(await soon { await tracker.deliveredToken == newest })
        #expect(consumer.numbers.count == 100)
        #expect(consumer.numbers == consumer.numbers.sorted() && Set(consumer.numbers).count == 100)
        #expect(try await soon { try await stored("reader")?.token == newest })
        #expect(try await stored("reader")?.lag == 0)
        await tracker.stop()
    }

    @Test func `a consumer that throws receives the same batch again, and the cursor waits`() async throws {
        let consumer = RecordingConsumer(failures: 2)
        let tracker = tracker(consumer)
        try await tracker.start()
        let before = try await stored("reader")?.token
        _ = try await context.save(inserting: ["title": "a"])
        #expect(await soon { consumer.seen.failuresLeft < 2 })
        #expect(try await stored("reader")?.token == before)
        _ = try await context.save(inserting: ["title": "b"])
        #expect(await soon { consumer.changes >= 2 })
        #expect(consumer.changes == 2 && consumer.numbers == consumer.numbers.sorted())
        #expect(consumer.seen.states.contains { if case .failing = $0 { true } else { false } })
        #expect(await soon { consumer.seen.states.last == .live })
        await tracker.stop()
    }

    @Test func `an expired cursor leads to a refresh, after which delivery continues`() async throws {
        let consumer = RecordingConsumer()
        var tracker = tracker(consumer)
        try await tracker.start()
        await tracker.stop()
        for _ in 0..<3 { _ = try await context.save(inserting: ["title": "a"]) }
        _ = try await container.purgeHistory(maximumAge: .seconds(-60))
        tracker = self.tracker(consumer)
        let refreshes = consumer.seen.refreshes
        try await tracker.start()
        #expect(await soon { consumer.seen.refreshes == refreshes + 1 })
        _ = try await context.save(inserting: ["title": "b"])
        #expect(await soon { consumer.changes == 1 })
        #expect(consumer.seen.refreshes == refreshes + 1)
        await tracker.stop()
    }

    @Test func `two trackers of one name get two cursors, in one process and in two`() async throws {
        let consumers = (0..<2).map { _ in RecordingConsumer() }
        let trackers = consumers.map { tracker($0) }
        for tracker in trackers { try await tracker.start() }
        #expect(await trackers[0].consumerName == "reader")
        #expect(await trackers[1].consumerName == "reader#2")
        _ = try await context.save(inserting: ["title": "a"])
        for consumer in consumers { #expect(await soon { consumer.changes == 1 }) }
        let process = try StoreWriterProcess(container.path, author: "app")
        #expect(try process.ask("register reader") == "reader#3")
        for tracker in trackers { await tracker.stop() }
        #expect(try await stored("reader") != nil)
        #expect(try await stored("reader#2") == nil)
        process.process.killNow()
        let again = tracker(consumers[0])
        try await again.start()
        #expect(await again.consumerName == "reader")
        await again.stop()
    }

    @Test func `a long transaction arrives in pieces, and a restart repeats it from its beginning`()
        async throws
    {
        let consumer = RecordingConsumer(batchLimit: .split(10))
        let tracker = tracker(consumer)
        try await tracker.start()
        await tracker.stop()
        _ = try await context.save(inserting: ["title": "before"])
        for number in 0..<95 { try await context.insert("Note", ["title": .text("\(number)")]) }
        let token = try await context.save().token
        _ = try await context.save(inserting: ["title": "after"])
        let again = self.tracker(consumer)
        let pieces = Journal()
        await again.registerObserver { pieces.add("\($0.changes.count)") }
        try await again.start()
        let newest = try await container.currentToken()
        #expect(await soon { await again.deliveredToken == newest })
        let long = consumer.seen.transactions.filter { $0.token == token }
        #expect(long.map(\.changes.count) == Array(repeating: 10, count: 9) + [5])
        #expect(long.map(\.isComplete) == Array(repeating: false, count: 9) + [true])
        #expect(long.allSatisfy { $0.author == "app" && $0.number == token?.number })
        let numbers = consumer.seen.transactions.flatMap(\.changes).map(\.number)
        #expect(numbers.count == 97 && numbers == numbers.sorted() && Set(numbers).count == 97)
        #expect(pieces.lines == ["1"] + Array(repeating: "10", count: 9) + ["5", "1"])
        #expect(await again.statistics.transactions == 3)
        #expect(await again.statistics.changes == 97)
        await again.stop()
    }

    @Test func `the cursor stays before a long transaction until all of it is processed`() async throws {
        // Seven pieces, and the fourth is always refused.
        let consumer = RecordingConsumer(
            batchLimit: .split(10), refusing: { $0.first?.changes.first?.number == 33 })
        let tracker = tracker(consumer, failuresBeforeParking: .max)
        try await tracker.start()
        let before = try await container.currentToken()
        for number in 0..<65 { try await context.insert("Note", ["title": .text("\(number)")]) }
        try await context.save()
        #expect(
            await soon { consumer.seen.states.contains { if case .failing = $0 { true } else { false } } })
        #expect(consumer.changes == 30)
        #expect(await tracker.deliveredToken == before)
        #expect(try await stored("reader")?.token == before)
        await tracker.stop()
        let after = RecordingConsumer(batchLimit: .split(10))
        let again = self.tracker(after)
        try await again.start()
        #expect(await soon { after.changes == 65 })
        await again.stop()
    }

    @Test func `the name and cursor of an exited process are taken over`() async throws {
        let process = try StoreWriterProcess(container.path, author: "app")
        #expect(try process.ask("register reader") == "reader")
        let token = try await container.currentToken()
        process.process.killNow()
        _ = try await context.save(inserting: ["title": "a"])
        let registered = try await container.registerConsumer("reader")
        #expect(registered.name == "reader" && registered.token == token)
    }

    @Test func `a transient consumer starts at the present and is unregistered when it stops`() async throws {
        _ = try await context.save(inserting: ["title": "a"])
        let consumer = RecordingConsumer()
        let tracker = tracker(consumer, name: "screen", cursor: .transient(every: .seconds(60)))
        try await tracker.start()
        #expect(consumer.seen.refreshes == 1)
        #expect(try await stored("screen")?.isTransient == true)
        _ = try await context.save(inserting: ["title": "b"])
        #expect(await soon { consumer.changes == 1 })
        await tracker.stop()
        await tracker.stop()
        #expect(try await stored("screen") == nil)
        try await tracker.start()
        #expect(consumer.seen.refreshes == 2)
        await tracker.stop()
    }

    @Test func `a cursor never moves backward`() async throws {
        let start = try await container.registerConsumer("c").token
        _ = try await context.save(inserting: ["title": "a"])
        let newest = try await container.currentToken()
        try await container.moveCursor(of: "c", to: newest)
        try await container.moveCursor(of: "c", to: start)
        #expect(try await stored("c")?.token == newest)
    }

    @Test func `authors restrict delivery, and the cursor passes the rest`() async throws {
        let consumer = RecordingConsumer()
        let tracker = tracker(consumer, where: .author("wanted"))
        try await tracker.start()
        _ = try await context.save(inserting: ["title": "a"])
        _ = try await container.makeContext(author: "wanted").save(inserting: ["title": "b"])
        _ = try await context.save(inserting: ["title": "c"])
        let newest = try await container.currentToken()
        #expect(await soon { await tracker.deliveredToken == newest })
        #expect(consumer.seen.transactions.map(\.author) == ["wanted"])
        await tracker.stop()
    }

    @Test func `a batch over the limit is split into whole transactions or replaced by a refresh`()
        async throws
    {
        _ = try await container.registerConsumer("split")
        _ = try await container.registerConsumer("refresh")
        for _ in 0..<10 {
            for _ in 0..<4 { try await context.insert("Note", ["title": "x"]) }
            try await context.save()
        }
        let split = RecordingConsumer(batchLimit: .split(10))
        let one = tracker(split, name: "split")
        try await one.start()
        #expect(await soon { split.changes == 40 })
        #expect(split.seen.batches.count > 1 && split.seen.refreshes == 0)
        let refreshing = RecordingConsumer(batchLimit: .refreshBeyond(10))
        let two = tracker(refreshing, name: "refresh")
        try await two.start()
        #expect(await soon { refreshing.seen.refreshes == 1 })
        #expect(refreshing.numbers.isEmpty)
        await one.stop()
        await two.stop()
    }

    @Test(arguments: [BatchLimit.split(1000), .refreshBeyond(0)])
    func `contexts are updated, even by a full refresh`(limit: BatchLimit) async throws {
        let id = try await context.save(inserting: ["title": "a"])
        let view = container.makeContext(author: "app")
        _ = try await view.object(id)
        let consumer = RecordingConsumer(batchLimit: limit)
        let tracker = tracker(consumer, contexts: [view])
        try await tracker.start()
        try await context.update(id, ["title": "theirs"])
        try await context.save()
        let newest = try await container.currentToken()
        #expect(await soon { await tracker.deliveredToken == newest })
        try await view.update(id, ["title": "mine"])
        try await view.save()
        #expect(try await container.objects().first?["title"] == "mine")
        await tracker.stop()
    }

    @Test func `a replaced store is reported`() async throws {
        let consumer = RecordingConsumer()
        let tracker = tracker(consumer)
        try await tracker.start()
        #expect(try Shell.run("mv", [container.path, container.path + ".gone"]).status == 0)
        #expect(await soon { consumer.seen.states.last == .storeReplaced })
        await tracker.stop()
    }

    @Test func `a tracker without an owner releases the store`() async throws {
        weak var gone: HistoryTracker?
        do {
            let tracker = tracker(RecordingConsumer())
            try await tracker.start()
            gone = tracker
        }
        _ = try await context.save(inserting: ["title": "a"])
        #expect(await soon { gone == nil })
    }

    @Test func `a tracker started during a stop either is stopped or works`() async throws {
        let consumer = RecordingConsumer()
        let tracker = tracker(consumer)
        try await tracker.start()
        for number in 0..<20 {
            async let stopping: Void = tracker.stop()
            async let starting: Void = tracker.start()
            _ = try await (stopping, starting)
            try await tracker.start()
            #expect(await tracker.consumerName == "reader")
            _ = try await context.save(inserting: ["title": "x"])
            #expect(await soon { consumer.changes > number })
        }
        await tracker.stop()
    }

    @Test
    func `a consumer that fails repeatedly is retried once in a pause, however many commits have failed`()
        async throws
    {
        let consumer = RecordingConsumer(failures: .max)
        // Half a second after six failures, even of the short one: each doubles it.
        let pause = LongProof.count(8, of: 250, "milliseconds of the first pause of retries")
        let tracker = tracker(consumer, failuresBeforeParking: .max, retryPause: .milliseconds(pause))
        try await tracker.start()
        for _ in 0..<15 {
            let before = consumer.seen.batches.count
            _ = try await context.save(inserting: ["title": "x"])
            #expect(await soon { consumer.seen.batches.count > before })
        }
        // These batches take two pauses at least.
        let (before, began) = (consumer.seen.batches.count, ContinuousClock.now)
        #expect(await soon { consumer.seen.batches.count > before + 6 })
        #expect(ContinuousClock.now - began >= .milliseconds(500))
        await tracker.stop()
    }

    @Test func `after a failure the state is the watcher's`() async throws {
        var options = StoreOptions()
        options.usesFileEvents = false
        let container = try await Notes.open(folder, options: options)
        // Once among others, with an immediate retry, and once alone.
        let consumer = RecordingConsumer(failures: 2)
        let tracker = tracker(consumer, in: container)
        try await tracker.start()
        #expect(await soon { consumer.seen.states.last == .polling })
        _ = try await context.save(inserting: ["title": "x"])
        #expect(await soon { consumer.changes == 1 })
        #expect(await soon { consumer.seen.states.count == 4 })
        #expect(consumer.seen.states.last == .polling)
        await tracker.stop()
        #expect(consumer.seen.states.last == .stopped)
    }
}
