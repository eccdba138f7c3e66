import PersistentStore
import TestSupport
import Testing

/// A store that processes only write to and no process cleans.
@Suite struct HistoryTrimmingTests {
    let folder: TemporaryFolder
    let clock = SettableClock()

    init() throws { folder = try TemporaryFolder() }

    private func open(_ bounds: HistoryBounds?) async throws -> PersistentContainer {
        try await Notes.open(folder, options: clock.options(bounds: bounds))
    }

    private func rows(_ container: PersistentContainer, _ condition: String = "1") throws -> Int {
        let sql = "SELECT count(*) FROM history WHERE \(condition)"
        return Int(try Shell.run("sqlite3", [container.path, sql]).output.dropLast()) ?? -1
    }

    @Test func `single commits, each in its own opening of the store, stay within the bound`()
        async throws
    {
        let bounds = HistoryBounds(maximumChanges: 500)
        var maxRows = 0
        var container = try await open(bounds)
        for round in 0..<60 {
            await container.close()
            container = try await open(bounds)
            let context = container.makeContext(author: "extension")
            for _ in 0..<100 { try await context.insert("Note", ["title": "a"]) }
            let token = try await context.save().token
            #expect(try await container.transactions().last?.token == token, "\(round)")
            maxRows = max(maxRows, try rows(container, "kind < 3"))
        }
        #expect(maxRows > 500 && maxRows <= 500 + 1024 + 100)
        #expect(try await container.objects().count == 6000)
    }

    @Test func `a backlog shrinks during further writes`() async throws {
        var container = try await open(nil)
        let sql = """
            WITH RECURSIVE n (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 100)
            INSERT INTO Note (title) SELECT 'x' FROM n;
            """
        let input = String(repeating: sql, count: 300)
        #expect(try Shell.run("sqlite3", [container.path], input: "BEGIN;\(input)COMMIT;").errors == "")
        #expect(try rows(container, "kind < 3") == 30_000)
        await container.close()
        container = try await open(HistoryBounds(maximumAge: .seconds(1_000_000_000), maximumChanges: 1000))
        let context = container.makeContext(author: "app")
        for _ in 0..<12 {
            for _ in 0..<1022 { try await context.insert("Note", [:]) }
            try await context.save()
        }
        #expect(try rows(container, "kind < 3") <= 1000 + 1022)
    }

    @Test func `transactions that are too old are purged, and others are retained`() async throws {
        let container = try await open(HistoryBounds(maximumAge: .seconds(3600)))
        let context = container.makeContext(author: "app")
        for _ in 0..<200 { _ = try await context.save(inserting: [:]) }
        clock.advance(seconds: 3601)
        for _ in 0..<300 { _ = try await context.save(inserting: [:]) }
        #expect(try await container.transactions().count == 300)
    }

    @Test func `a consumer behind the bound gets an error, and a mirror loses nothing`() async throws {
        let container = try await open(HistoryBounds(maximumChanges: 100))
        let slow = try await container.registerConsumer("slow").token
        let context = container.makeContext(author: "app")
        for _ in 0..<800 { _ = try await context.save(inserting: [:]) }
        await #expect(throws: StoreError.self) {
            try await container.transactions(HistoryFetchRequest(.after(slow)))
        }
        let mirror = try await container.registerConsumer("mirror", retention: .always).token
        for _ in 0..<1100 { _ = try await context.save(inserting: [:]) }
        #expect(try await container.transactions(HistoryFetchRequest(.after(mirror))).count == 1100)
        #expect(try await container.transactions().count == 1100)
    }

    @Test func `a commit succeeds even if another writer prevents its trimming`() async throws {
        let container = try await open(HistoryBounds(maximumChanges: 10))
        let process = try StoreWriterProcess(container.path, author: "other")
        let context = container.makeContext(author: "app")
        for _ in 0..<340 { _ = try await context.save(inserting: [:]) }
        #expect(try process.ask("burst 100") == "done")
        #expect(try await container.objects().count == 440)
        #expect(try await context.save(inserting: [:]).isPermanent)
    }

    @Test func `one transaction larger than the bound is purged whole`() async throws {
        let container = try await open(HistoryBounds(maximumChanges: 1000))
        let context = container.makeContext(author: "app")
        for _ in 0..<20_000 { try await context.insert("Note", [:]) }
        let token = try await context.save().token
        #expect(try await container.transactions().isEmpty)
        #expect(try await container.currentToken() == token)
        for _ in 0..<350 { _ = try await context.save(inserting: [:]) }
        #expect(try await container.transactions().count == 350)
        #expect(try rows(container) <= 3 * 350 + 1)
    }
}
