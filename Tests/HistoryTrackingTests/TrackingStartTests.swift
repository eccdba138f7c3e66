import HistoryTracking
import PersistentStore
import TestSupport
import Testing

/// The positions of trackers: the start of a new one, the delivered and the stored token, expected consumers.
@Suite struct TrackingStartTests {
    let folder: TemporaryFolder
    let container: PersistentContainer
    let context: StoreContext

    init() async throws {
        folder = try TemporaryFolder()
        container = try await Notes.open(folder)
        context = container.makeContext(author: "app")
    }

    private func save(_ count: Int) async throws {
        for _ in 0..<count { _ = try await context.save(inserting: ["title": "x"]) }
    }

    /// Follows the store from the beginning until everything is delivered, then stops.
    private func follow(
        _ parameters: TrackingParameters, skipped: Journal = Journal()
    ) async throws -> RecordingConsumer {
        var parameters = parameters
        parameters.start = .beginning
        let consumer = RecordingConsumer()
        let tracker = HistoryTracker(container: container, parameters: parameters, consumer: consumer)
        await tracker.registerRefreshObserver {
            skipped.add("\($0.after?.number ?? -1) to \($0.upTo.number)")
        }
        try await tracker.start()
        let newest = try await container.currentToken()
        #expect(await soon { await tracker.deliveredToken == newest })
        await tracker.stop()
        return consumer
    }

    @Test func `a tracker can start at the beginning, even long after the first commit`() async throws {
        try await save(3)
        for name in ["first", "later"] {
            let consumer = try await follow(.quiet(name))
            #expect(consumer.seen.refreshes == 0)
            #expect(try await consumer.numbers == container.transactions().map(\.number))
            try await save(2)
        }
        // It continues at its cursor.
        let again = try await follow(.quiet("first"))
        #expect(again.seen.refreshes == 0 && again.changes == 4)
    }

    @Test func `a transient or external cursor can start at the beginning too`() async throws {
        try await save(3)
        let shelf = TrackingParametersTests.Shelf()
        for (round, counts) in [(3, 3), (4, 1)].enumerated() {
            let transient = try await follow(.quiet("a", cursor: .transient(every: .seconds(60))))
            let external = try await follow(.quiet("b", cursor: .external(shelf)))
            #expect(transient.seen.refreshes == 0 && external.seen.refreshes == 0)
            #expect(transient.changes == counts.0 && external.changes == counts.1, "\(round)")
            try await save(1)
        }
    }

    @Test func `a start at the beginning of a purged history is a refresh, which reports the range`()
        async throws
    {
        try await save(3)
        let all = try await container.transactions()
        try await container.deleteHistory(HistoryDeleteRequest(.before(all[1].token)))
        let skipped = Journal()
        var parameters = TrackingParameters.quiet("reader")
        // A list that all programs share contains the own name.
        parameters.expectedConsumers = ["reader", "widget"]
        let consumer = try await follow(parameters, skipped: skipped)
        #expect(consumer.seen.refreshes == 1 && consumer.changes == 0)
        #expect(skipped.lines == ["0 to \(all[2].number)"])
        try await save(1)
        #expect(try await follow(.quiet("reader")).changes == 1)
    }

    @Test func `history that went unrecorded makes a start at the beginning a refresh`() async throws {
        try await save(2)
        let sql = "UPDATE store_metadata SET value = value + 1 WHERE key = 'generation'"
        await container.close()
        #expect(try Shell.run("sqlite3", [container.path, sql]).errors == "")
        let reopened = try await Notes.open(folder)
        var parameters = TrackingParameters.quiet("reader")
        parameters.start = .beginning
        let consumer = RecordingConsumer()
        let tracker = HistoryTracker(container: reopened, parameters: parameters, consumer: consumer)
        try await tracker.start()
        #expect(await soon { consumer.seen.refreshes == 1 })
        await tracker.stop()
        #expect(consumer.changes == 0)
    }

    @Test func `an expected consumer in another process gets the history since it was expected`()
        async throws
    {
        try await save(1)
        let first = try await container.transactions()[0].token
        try await save(1)
        try await container.deleteHistory(HistoryDeleteRequest(.before(container.currentToken())))
        var parameters = TrackingParameters.quiet("app")
        parameters.expectedConsumers = ["app", "widget"]
        parameters.cleaning = .byNotification(1)
        let tracker = HistoryTracker(container: container, parameters: parameters)
        try await tracker.start()
        #expect(await tracker.consumerName == "app")
        try await save(3)
        let newest = try await container.currentToken()
        #expect(await soon { await tracker.deliveredToken == newest })
        var preview = try await container.previewPurge(parameters.bounds)
        #expect(preview.transactions == 0)
        let lines = folder.path(of: "widget")
        let widget = try StoreWriterProcess(container.path, author: "extension")
        #expect(try widget.ask("follow widget \(lines) beginning") == "following")
        let cursor = { try await container.read { try $0.consumers() }.first { $0.name == "widget" } }
        #expect(try await soon { try await cursor()?.token == newest })
        let delivered = try Shell.run("cat", [lines]).output.split(separator: "\n").compactMap { Int64($0) }
        #expect(
            try await delivered == container.transactions(HistoryFetchRequest(.after(first))).map(\.number))
        #expect(delivered.count == 4)
        preview = try await container.previewPurge(parameters.bounds)
        #expect(preview.transactions == 4)
        await tracker.stop()
    }

    @Test func `an expected consumer that starts now does a refresh`() async throws {
        try await save(1)
        try await container.expectConsumer("reader")
        try await save(1)
        let consumer = RecordingConsumer()
        let tracker = HistoryTracker(
            container: container, parameters: .quiet("reader"), consumer: consumer)
        try await tracker.start()
        #expect(await tracker.consumerName == "reader")
        #expect(consumer.seen.refreshes == 1)
        try await save(1)
        #expect(await soon { consumer.changes == 1 })
        await tracker.stop()
        #expect(consumer.changes == 1)
    }

    @Test func `a consumer's error in its first refresh names the consumer and the type of the error`()
        async throws
    {
        struct Unprepared: HistoryConsumer {
            struct Reason: Error { let text = "secret" }
            func refresh(from snapshot: borrowing StoreSnapshot) throws { throw Reason() }
            func consume(_ transactions: [HistoryTransaction], in snapshot: borrowing StoreSnapshot) {}
        }
        let tracker = HistoryTracker(
            container: container, parameters: .quiet("report"), consumer: Unprepared())
        let error = await #expect(
            throws: StoreError.consumerFailed(name: "report", errorType: "Reason")
        ) { try await tracker.start() }
        #expect(
            error.map { "\($0)".hasPrefix("The consumer 'report' threw Reason in its first refresh") } == true
        )
        #expect(await tracker.deliveredToken == nil)
    }

    @Test(arguments: [false, true])
    func `an older copy restored between the first refresh and the registration causes another refresh`(
        isExpected: Bool
    ) async throws {
        /// Restores the copy while the first refresh reads.
        struct RestoringConsumer: HistoryConsumer {
            let (store, copy): (String, String)
            let recorder = RecordingConsumer()
            func refresh(from snapshot: borrowing StoreSnapshot) throws {
                if recorder.seen.refreshes == 0 { try Shell.run("sqlite3", [store, ".restore \(copy)"]) }
                try recorder.refresh(from: snapshot)
            }
            func consume(_ transactions: [HistoryTransaction], in snapshot: borrowing StoreSnapshot) throws {
                try recorder.consume(transactions, in: snapshot)
            }
        }
        try await save(1)
        if isExpected { try await container.expectConsumer("view") }
        let copy = folder.path(of: "older.db")
        #expect(try Shell.run("sqlite3", [container.path, ".backup \(copy)"]).errors == "")
        let older = try await container.currentToken()
        try await save(2)
        let consumer = RestoringConsumer(store: container.path, copy: copy)
        let tracker = HistoryTracker(container: container, parameters: .quiet("view"), consumer: consumer)
        try await tracker.start()
        #expect(consumer.recorder.seen.refreshes == 2)
        #expect(await tracker.storedToken == older)
        await tracker.stop()
    }

    @Test func `closing the container stops the tracker`() async throws {
        let consumer = RecordingConsumer()
        let tracker = HistoryTracker(container: container, parameters: .quiet("a"), consumer: consumer)
        try await tracker.start()
        await container.close()
        #expect(await soon { consumer.seen.states.last == .stopped })
        #expect(await tracker.deliveredToken == nil)
        await #expect(throws: StoreError.closed) { try await tracker.start() }
    }

    @Test func `the stored token is that of the store, and the delivered one may be ahead`() async throws {
        let tracker = HistoryTracker(
            container: container, parameters: .quiet("view", cursor: .transient(every: .seconds(3600))))
        #expect(await tracker.storedToken == nil)
        try await tracker.start()
        let start = try await container.currentToken()
        try await save(2)
        let newest = try await container.currentToken()
        #expect(await soon { await tracker.deliveredToken == newest })
        #expect(await tracker.storedToken == start)
        #expect(try await container.read { try $0.consumers() }.map(\.token) == [start])
        await tracker.stop()
        #expect(await tracker.deliveredToken == nil)

        let lasting = HistoryTracker(container: container, parameters: .quiet("reader"))
        try await lasting.start()
        try await save(1)
        let last = try await container.currentToken()
        #expect(await soon { await lasting.storedToken == last })
        #expect(try await container.read { try $0.consumers() }.map(\.token) == [last])
        await lasting.stop()
    }

    @Test func `merge observers can be added and removed while the tracker runs`() async throws {
        let (view, journal) = (container.makeContext(author: "view"), Journal())
        let id = try await context.save(inserting: ["title": "a"])
        _ = try await view.object(id)
        let tracker = HistoryTracker(container: container, parameters: .quiet("reader", contexts: [view]))
        try await tracker.start()
        func change(_ title: String) async throws {
            try await context.update(id, ["title": .text(title)])
            try await context.save()
            let newest = try await container.currentToken()
            #expect(await soon { await tracker.deliveredToken == newest })
        }
        try await change("b")
        let observer = await tracker.registerMergeObserver { result, _ in
            journal.add("\(result.updated.count)")
        }
        try await change("c")
        #expect(await tracker.removeObserver(observer))
        try await change("d")
        #expect(journal.lines == ["1"])
        await tracker.stop()
    }
}
