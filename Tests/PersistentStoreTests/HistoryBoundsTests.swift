import Foundation
import PersistentStore
import TestSupport
import Testing

/// Bounds on history, by age, number, and share of the store.
@Suite struct HistoryBoundsTests {
    let folder: TemporaryFolder
    let clock = SettableClock()
    let container: PersistentContainer

    init() async throws {
        folder = try TemporaryFolder()
        _ = StatementSteps.count("")
        container = try await Notes.open(folder, options: clock.options())
    }

    private func save(_ transactions: Int, changes: Int = 1) async throws {
        let context = container.makeContext(author: "app")
        for _ in 0..<transactions {
            for _ in 0..<changes { try await context.insert("Note", ["title": "a"]) }
            try await context.save()
        }
    }

    private func changes() async throws -> Int {
        try await container.transactions().reduce(0) { $0 + $1.changes.count }
    }

    private let ages = HistoryBounds(maximumAge: .seconds(7 * 24 * 3600))

    @Test func `changes beyond the limit are purged in whole transactions, and their consumer gets an error`()
        async throws
    {
        let slow = try await container.registerConsumer("slow").token
        try await save(10, changes: 7)
        var bounds = ages
        for limit in [70, 69, 63, 62, 30, 30, 0] {
            bounds.maximumChanges = limit
            let before = try await changes()
            let result = try await container.purgeHistory(bounds)
            let retained = try await changes()
            #expect(retained <= limit && retained > limit - 7 && retained % 7 == 0, "\(limit)")
            #expect(before - retained == result.changes && result.changes == 7 * result.transactions)
            try await save(1, changes: 7)
            bounds.maximumChanges = 1_000_000
            #expect(try await container.purgeHistory(bounds).changes == 0)
        }
        await #expect(throws: StoreError.self) {
            try await container.transactions(HistoryFetchRequest(.after(slow)))
        }
        #expect(try await container.objects().count == 119)
    }

    @Test func `history uses no more than its share of the store`() async throws {
        let text = String(repeating: "long ", count: 200)
        let context = container.makeContext(author: "app")
        for _ in 0..<40 {
            for _ in 0..<25 { try await context.insert("Note", ["title": "a", "body": .text(text)]) }
            try await context.save()
        }
        var ids = try await container.objects().map(\.id)
        for _ in 0..<20 {
            for id in ids { try await context.update(id, ["title": .text("\(ids.count)")]) }
            try await context.save()
            ids.removeLast()
        }
        let before = try await changes()
        let sql = """
            SELECT sum(pgsize) * 1.0 / ((SELECT page_count FROM pragma_page_count)
            - (SELECT freelist_count FROM pragma_freelist_count)) / (SELECT page_size FROM pragma_page_size)
            FROM dbstat WHERE name LIKE 'history%'
            """
        func share() throws -> Double {
            Double(try Shell.run("sqlite3", [container.path, sql]).output.dropLast()) ?? 0
        }
        #expect(try share() > 0.3)
        var bounds = ages
        bounds.maximumStoreShare = 0.2
        let result = try await container.purgeHistory(bounds)
        let retained = try await changes()
        #expect(result.changes == before - retained)
        #expect(retained > before / 10 && retained < before)
        let now = try share()
        #expect(now < 0.22, "\(before) changes, \(retained) retained, \(result)")
        #expect(try await container.purgeHistory(bounds).transactions <= 1)
        bounds.maximumStoreShare = 1
        #expect(try await container.purgeHistory(bounds).transactions == 0)
    }

    @Test
    func `a clock ahead for one commit purges nothing unread, and delays ageing by no more than the age`()
        async throws
    {
        let unread = try await container.registerConsumer("unread").token
        try await save(2)
        let present = clock.now()
        clock.advance(days: 30)
        try await save(1)
        clock.set(present)
        try await save(3)
        #expect(try await container.purgeHistory(ages).transactions == 0)
        #expect(try await container.transactions(HistoryFetchRequest(.after(unread))).count == 6)
        clock.advance(days: 6)
        try await save(2)
        #expect(try await container.purgeHistory(ages).transactions == 0)
        clock.advance(days: 2)
        // The history that the first cleaning saw is eight days old now, regardless of its timestamps.
        #expect(try await container.purgeHistory(ages).transactions == 6)
        #expect(try await container.transactions().count == 2)
        clock.advance(days: 8)
        #expect(try await container.purgeHistory(ages).transactions == 2)
    }

    @Test func `history that every consumer has read is retained for the minimum age, within the size limit`()
        async throws
    {
        try await save(4)
        _ = try await container.registerConsumer("reader")
        var bounds = ages
        bounds.minimumAge = .seconds(3600)
        #expect(try await container.purgeHistory(bounds).transactions == 0)
        bounds.maximumChanges = 1
        #expect(try await container.purgeHistory(bounds).transactions == 3)
        clock.advance(seconds: 3601)
        #expect(try await container.purgeHistory(bounds).transactions == 1)
    }

    @Test func `the position of an age is found without reading all newer transactions`() async throws {
        let sql = """
            WITH RECURSIVE n (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 300000)
            INSERT INTO history (kind, at, began) SELECT CASE i % 2 WHEN 1 THEN 3 ELSE 4 END,
            CASE i % 2 WHEN 0 THEN 1700000000000 + i END, CASE i % 2 WHEN 1 THEN 1700000000000 + i + 1 END FROM n;
            """
        #expect(try Shell.run("sqlite3", [container.path], input: sql).errors == "")
        clock.set(SettableClock.start + 1_000 + 300_000)
        let before = StatementSteps.count(container.path)
        for age: Int64 in 0..<200 {
            let bounds = HistoryBounds(maximumAge: .milliseconds(300_990 + age % 5))
            _ = try await container.purgeHistory(bounds)
        }
        // Reading 300,000 rows backward takes more than 300,000 steps, each time.
        let steps = StatementSteps.count(container.path) - before
        #expect(steps > 200 && steps < 200 * 2000, "\(steps)")
        let oldest = try await container.transactions(HistoryFetchRequest(limit: 1))[0].timestamp
        #expect(oldest.timeIntervalSince1970 == Double(SettableClock.start + 10) / 1000)
    }

    @Test func `purged pages are returned to the file system`() async throws {
        let text = String(repeating: "x", count: 2000)
        let context = container.makeContext(author: "app")
        for _ in 0..<10 {
            for _ in 0..<200 { try await context.insert("Note", ["body": .text(text)]) }
            try await context.save()
        }
        for object in try await container.objects() { try await context.delete(object.id) }
        try await context.save()
        func pages() throws -> Int {
            Int(try Shell.run("sqlite3", [container.path, "PRAGMA page_count"]).output.dropLast()) ?? 0
        }
        let before = try pages()
        clock.advance(days: 8)
        try await save(1)
        #expect(try await container.purgeHistory(ages).changes == 4000)
        #expect(try pages() < before / 2)
        #expect(try Shell.run("sqlite3", [container.path, "PRAGMA integrity_check"]).output == "ok\n")
    }
}
