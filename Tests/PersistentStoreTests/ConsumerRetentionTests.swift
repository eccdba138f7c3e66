import PersistentStore
import TestSupport
import Testing

/// Consumers that block purges, and their retention.
@Suite struct ConsumerRetentionTests {
    let folder: TemporaryFolder
    let clock = SettableClock()

    init() throws { folder = try TemporaryFolder() }

    private func open(bounds: HistoryBounds? = nil) async throws -> PersistentContainer {
        try await Notes.open(folder, options: clock.options(bounds: bounds))
    }

    private func save(_ count: Int, to container: PersistentContainer) async throws {
        let context = container.makeContext(author: "app")
        for _ in 0..<count { _ = try await context.save(inserting: [:]) }
    }

    @Test func `a purge never deletes history that a mirror has not read, and names the mirror`() async throws
    {
        let container = try await open()
        let mirror = try await container.registerConsumer("mirror", retention: .always)
        try await save(5, to: container)
        clock.advance(days: 100)
        let bounds = HistoryBounds(maximumAge: .seconds(3600), maximumChanges: 0, maximumStoreShare: 0)
        var result = try await container.purgeHistory(bounds)
        #expect(result.transactions == 0 && result.retained == 5 && result.blockedBy == ["mirror"])
        let all = try await container.transactions(HistoryFetchRequest(.after(mirror.token)))
        #expect(all.count == 5)
        try await container.moveCursor(of: "mirror", to: all[2].token)
        result = try await container.purgeHistory(bounds)
        #expect(result.transactions == 3 && result.retained == 2)
        let rest = HistoryFetchRequest(.after(all[2].token))
        #expect(try await container.transactions(rest).map(\.number) == all[3...].map(\.number))
    }

    @Test
    func
        `a registered consumer that never ran loses nothing within its retention, and gets an error after it`()
        async throws
    {
        let container = try await open()
        let never = try await container.registerConsumer("never")
        _ = try await container.registerConsumer("fast")
        try await save(3, to: container)
        try await container.moveCursor(of: "fast", to: container.currentToken())
        #expect(try await container.purgeHistory(maximumAge: .seconds(3600)).transactions == 0)
        #expect(try await container.transactions(HistoryFetchRequest(.after(never.token))).count == 3)
        clock.advance(seconds: 3601)
        #expect(try await container.purgeHistory(maximumAge: .seconds(3600)).transactions == 3)
        await #expect(throws: StoreError.tokenExpired(oldest: try await container.currentToken())) {
            try await container.transactions(HistoryFetchRequest(.after(never.token)))
        }
    }

    @Test func `a purge does not wait for consumers of batch authors, but waits for a mirror`() async throws {
        let container = try await open()
        _ = try await container.registerConsumer("import", author: "batch")
        _ = try await container.registerConsumer("screen", author: "app")
        try await save(3, to: container)
        try await container.moveCursor(of: "screen", to: container.currentToken())
        let hour = Duration.seconds(3600)
        #expect(try await container.purgeHistory(maximumAge: hour, ignoring: ["other"]).transactions == 0)
        #expect(try await container.purgeHistory(maximumAge: hour, ignoring: ["batch"]).transactions == 3)
        _ = try await container.registerConsumer(
            "import", author: "batch", retention: .always, startingAt: container.currentToken())
        try await container.resetCursor(of: "import", to: container.currentToken())
        try await save(1, to: container)
        try await container.moveCursor(of: "screen", to: container.currentToken())
        #expect(try await container.purgeHistory(maximumAge: hour, ignoring: ["batch"]).transactions == 0)
    }

    @Test func `an expected consumer holds the history until it runs, under its own name`() async throws {
        let container = try await open()
        try await save(2, to: container)
        try await container.expectConsumer("widget", author: "extension")
        try await container.expectConsumer("widget", author: "another")
        let record = try await container.read { try $0.consumers() }[0]
        #expect(record.process == nil && !record.isRunning && record.author == "extension")
        #expect(record.token == container.beginningToken && record.lag == 2)
        _ = try await container.registerConsumer("fast")
        let month = HistoryBounds()
        let blocked = try await container.purgeHistory(month)
        #expect(blocked.transactions == 0)
        // Another process is the real one.
        let process = try StoreWriterProcess(container.path, author: "extension")
        #expect(try process.ask("register widget") == "widget")
        let second = try await container.registerConsumer("widget")
        #expect(second.name == "widget#2")
        let registered = try await container.read { try $0.consumers() }.first { $0.name == "widget" }
        #expect(registered?.token == container.beginningToken && registered?.isRunning == true)
        #expect(try await container.transactions(HistoryFetchRequest(.after(record.token))).count == 2)
        // From now on it is a consumer like any other.
        try await container.expectConsumer("widget")
        try await container.moveCursor(of: "widget", to: container.currentToken())
        try await container.moveCursor(of: second.name, to: container.currentToken())
        #expect(try await container.purgeHistory(month).transactions == 2)
    }

    @Test func `a consumer expected after a purge holds the rest, up to the maximum age`() async throws {
        let container = try await open()
        try await save(3, to: container)
        let all = try await container.transactions()
        try await container.deleteHistory(HistoryDeleteRequest(.before(all[1].token)))
        try await container.expectConsumer("widget")
        #expect(try await container.registerConsumer("widget").token == all[0].token)
        try await container.removeConsumer("widget")
        try await container.expectConsumer("widget")
        let hour = HistoryBounds(maximumAge: .seconds(3600))
        #expect(try await container.purgeHistory(hour).transactions == 0)
        clock.advance(seconds: 3601)
        let preview = try await container.previewPurge(hour)
        #expect(try await container.purgeHistory(hour) == preview && preview.transactions == 2)
        let reserved = try await container.registerConsumer("widget").token
        await #expect(throws: StoreError.tokenExpired(oldest: try await container.currentToken())) {
            try await container.transactions(HistoryFetchRequest(.after(reserved)))
        }
    }

    @Test func `the name of an exited transient consumer can be expected, and no preview waits for one`()
        async throws
    {
        let container = try await open()
        let holder = try await container.registerConsumer("view")
        let process = try StoreWriterProcess(container.path, author: "other")
        #expect(try process.ask("register view") == "view#2")
        try await save(2, to: container)
        try await container.moveCursor(of: holder.name, to: container.currentToken())
        let bounds = HistoryBounds()
        var preview = try await container.previewPurge(bounds)
        #expect(preview.transactions == 0)
        process.process.killNow()
        preview = try await container.previewPurge(bounds)
        #expect(preview.transactions == 2)
        // The preview did not unregister it.
        #expect(try await container.read { try $0.consumers() }.map(\.name) == ["view", "view#2"])
        try await container.expectConsumer("view#2")
        #expect(try await container.read { try $0.consumers() }[1].process == nil)
        #expect(try await container.purgeHistory(bounds).transactions == 0)
    }

    @Test func `the store reports a consumer's retention, and the last registration decides`()
        async throws
    {
        let container = try await open()
        _ = try await container.registerConsumer("view")
        #expect(try await container.read { try $0.consumers() }.map(\.retention) == [.withinBounds])
        _ = try await container.registerConsumer("view", retention: .always)
        #expect(try await container.read { try $0.consumers() }.map(\.retention) == [.always])
    }

    @Test func `work in the store and the cursor are committed together or not at all`() async throws {
        let folder = try TemporaryFolder()
        let container = try await Notes.open(folder)
        _ = try await container.registerConsumer("worker")
        _ = try await container.makeContext(author: "other").save(inserting: ["title": "to be counted"])
        let newest = try await container.currentToken()
        func count(as consumer: String) async throws {
            try await container.write(author: "worker") { transaction throws(StoreError) in
                try transaction.insert("Note", ["title": "counted"])
                try transaction.moveCursor(of: consumer, to: newest)
            }
        }
        await #expect(throws: StoreError.unknownConsumer("missing")) { try await count(as: "missing") }
        #expect(try await container.objects().count == 1)
        try await count(as: "worker")
        #expect(try await container.objects().count == 2)
        #expect(try await container.read { try $0.consumers() }.map(\.token) == [newest])
    }

    @Test func `a store from before retentions gets them, and its consumers retain their cursors`()
        async throws
    {
        var container = try await open()
        let token = try await container.registerConsumer("old").token
        try await save(2, to: container)
        await container.close()
        let sql = """
            ALTER TABLE history_consumer DROP COLUMN retention; DROP INDEX history_origin_by_author;
            UPDATE store_metadata SET value = 'older' WHERE key = 'model';
            """
        #expect(try Shell.run("sqlite3", [container.path], input: sql).errors == "")
        container = try await open()
        let records = try await container.read { try $0.consumers() }
        #expect(records.map(\.retention) == [.withinBounds] && records[0].token == token)
        #expect(try await container.transactions(HistoryFetchRequest(.after(token))).count == 2)
        let plan = try Shell.run(
            "sqlite3",
            [
                container.path,
                "EXPLAIN QUERY PLAN SELECT id FROM history_origin WHERE author IS 'a' AND context IS NULL AND program IS 'b'",
            ])
        #expect(plan.output.contains("history_origin_by_author"))
    }

    @Test
    func `the cursor of an unregistered consumer cannot be moved, and nothing is saved with it`()
        async throws
    {
        let container = try await open()
        let token = try await container.currentToken()
        await #expect(throws: StoreError.unknownConsumer("missing")) {
            try await container.moveCursor(of: "missing", to: token)
        }
        await #expect(throws: StoreError.unknownConsumer("missing")) {
            try await container.resetCursor(of: "missing", to: token)
        }
        #expect("\(StoreError.unknownConsumer("missing"))".contains("'missing'"))
    }

    @Test func `the lag is exact for short history and estimated for long history`() async throws {
        let container = try await open()
        let start = try await container.registerConsumer("slow").token
        try await save(20, to: container)
        var record = try await container.read { try $0.consumers() }[0]
        #expect(record.lag == 20 && record.isLagExact)
        let sql = """
            WITH RECURSIVE n (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 40000)
            INSERT INTO history (kind, at) SELECT CASE i % 2 WHEN 1 THEN 3 ELSE 4 END, 1700000000000 FROM n;
            """
        #expect(try Shell.run("sqlite3", [container.path], input: sql).errors == "")
        record = try await container.read { try $0.consumers() }[0]
        #expect(!record.isLagExact && (19_900...20_100).contains(record.lag))
        #expect(record.token == start)
    }
}
