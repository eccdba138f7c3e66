import HistoryTracking
import PersistentStore
import TestSupport
import Testing

/// Trackers of a store that another program makes unreadable.
@Suite struct UnreadableStoreTests {
    let folder: TemporaryFolder
    let container: PersistentContainer

    init() async throws {
        folder = try TemporaryFolder()
        container = try await Notes.open(folder)
    }

    private func follow() async throws -> (HistoryTracker, RecordingConsumer) {
        _ = try await container.makeContext(author: "app").save(inserting: ["title": "a"])
        let consumer = RecordingConsumer()
        let tracker = HistoryTracker(
            container: container, parameters: .quiet("reader"), consumer: consumer)
        try await tracker.start()
        let newest = try await container.currentToken()
        #expect(await soon { await tracker.deliveredToken == newest })
        return (tracker, consumer)
    }

    private func ask(_ sql: String) throws {
        #expect(try Shell.run("sqlite3", [container.path, sql]).errors == "")
    }

    private func failure(_ consumer: RecordingConsumer) -> StoreError? {
        guard case .failing(.store(let error)) = consumer.seen.states.last else { return nil }
        return error
    }

    @Test func `a migration by another process is reported, without a later commit`() async throws {
        let (tracker, consumer) = try await follow()
        let newer = try StoreWriterProcess(container.path, author: "new", version: 2)
        #expect(await soon { failure(consumer) == .newerStore(path: container.path) })
        #expect(try Int(newer.ask("insert 1")) != nil)
        await #expect(throws: StoreError.newerStore(path: container.path)) { try await container.objects() }
        await tracker.stop()
    }

    @Test(arguments: [
        "DROP TABLE Note", "DROP TABLE history", "ALTER TABLE Note RENAME COLUMN rank TO grade",
    ])
    func `a changed schema is reported, although no history follows the cursor`(sql: String) async throws {
        let (tracker, consumer) = try await follow()
        try ask(sql)
        #expect(await soon { if case .schemaChanged = failure(consumer) { true } else { false } })
        await tracker.stop()
    }

    @Test func `a tracker continues when the schema is as before`() async throws {
        let (tracker, consumer) = try await follow()
        try ask("ALTER TABLE Note RENAME COLUMN rank TO grade")
        #expect(await soon { failure(consumer) != nil })
        try ask("ALTER TABLE Note RENAME COLUMN grade TO rank; INSERT INTO Note (title) VALUES ('b')")
        #expect(await soon { consumer.seen.states.last == .live && consumer.changes == 1 })
        await tracker.stop()
    }

    @Test func `a schema error that a consumer passes on parks no transaction`() async throws {
        let error = StoreError.schemaChanged(path: container.path, reason: "its index has no rows")
        let consumer = RecordingConsumer(failures: 3, throwing: error)
        var parameters = TrackingParameters.quiet("reader")
        parameters.failuresBeforeParking = 1
        parameters.start = .beginning
        _ = try await container.makeContext(author: "app").save(inserting: ["title": "a"])
        let tracker = HistoryTracker(container: container, parameters: parameters, consumer: consumer)
        try await tracker.start()
        #expect(await soon { consumer.changes == 1 })
        #expect(consumer.seen.states.contains(.failing(.store(error))))
        #expect(await tracker.parkedTransactions.isEmpty)
        await tracker.stop()
    }
}
