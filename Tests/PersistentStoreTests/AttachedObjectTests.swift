import PersistentStore
import TestSupport
import Testing

/// Rows of another program's tables as objects, for fetches and contexts.
@Suite struct AttachedObjectTests {
    private struct Order: Record {
        var customer = ""
        var total: Double?

        static let entity = RecordEntity<Order>("orders") {
            RecordAttribute(\.customer)
            RecordAttribute(\.total)
        }
    }

    private static let orders = """
        CREATE TABLE orders (number INTEGER PRIMARY KEY, customer TEXT NOT NULL COLLATE NOCASE, total REAL);
        INSERT INTO orders VALUES (7, 'ada', 3), (8, 'Eve', 1.5), (9, 'bob', NULL);
        """

    @Test func `rows with an integer key are fetched like objects and records`() async throws {
        let owned = try OwnedDatabase(Self.orders + "CREATE TABLE words (word TEXT PRIMARY KEY, version);")
        let container = try await owned.attach(["orders", "words"])
        #expect(container.model.entities.map(\.name) == ["orders"])
        let request = FetchRequest(
            "orders", where: .compare("customer", .notEqual, "BOB"),
            sort: [SortKey("customer", isAscending: false)])
        let found = try await container.fetch(request)
        #expect(found.map(\.id.key) == [8, 7] && found.map { $0["total"] } == [.real(1.5), .real(3)])
        #expect(try await container.count(FetchRequest("orders")) == 3)
        let records = try await container.fetch(
            RecordRequest<Order>(where: \.total > 2, sort: [.ascending(\.customer)]))
        #expect(records.map(\.customer) == ["ada"])
        await #expect(throws: StoreError.unknownEntity("words")) {
            _ = try await container.fetch(FetchRequest("words"))
        }
        await #expect(throws: StoreError.self) {
            _ = try await container.execute(.delete("orders"), author: "me")
        }
        // The owner renames a column while the container is open.
        try owned.run(
            "ALTER TABLE orders RENAME COLUMN total TO amount; INSERT INTO orders VALUES (10, 'z', 9)")
        let renamed = try await container.fetch(FetchRequest("orders", where: .compare("amount", .equal, 9)))
        #expect(renamed.map(\.id.key) == [10])
        await #expect(throws: StoreError.unknownAttribute("total", entity: "orders")) {
            _ = try await container.fetch(FetchRequest("orders", sort: [SortKey("total")]))
        }
    }

    @Test(arguments: [MergePolicy.error, .byPropertyObjectTrumps, .storeTrumps])
    func `a context meets the owner's change of a row that it has read`(_ policy: MergePolicy) async throws {
        let owned = try OwnedDatabase(Self.orders)
        let container = try await owned.attach(["orders"])
        let context = container.makeContext(author: "me")
        await context.setMergePolicy(policy)
        let rows = try await context.fetch(FetchRequest("orders", sort: [.id]))
        try await context.update(rows[0].id, ["total": 4])
        try await context.update(rows[2].id, ["customer": "bo"])
        try await context.delete(rows[1].id)
        let new = try await context.insert("orders", ["customer": "new"])
        try owned.run("UPDATE orders SET customer = 'Ada', total = 5 WHERE number = 7")
        guard policy != .error else {
            let error = await #expect(throws: StoreError.self) { try await context.save() }
            guard case .conflict(let conflicts) = error else { throw error ?? .closed }
            #expect(conflicts.map(\.clashing) == [["total"]])
            return
        }
        let result = try await context.save()
        #expect(result.resolvedConflicts.map(\.objectID) == [rows[0].id])
        #expect(result.permanentID(new).key == 10)
        let total = policy == .storeTrumps ? "5.0" : "4.0"
        #expect(try owned.run("SELECT * FROM orders") == "7|Ada|\(total)\n9|bo|\n10|new|\n")
        let saved = try await container.transactions().last
        #expect(saved?.author == "me" && saved?.changes.map(\.kind).contains(.delete) == true)
        // The context knows its own changes, so that another one is no conflict.
        await context.setMergePolicy(.error)
        try await context.update(rows[2].id, ["customer": "eve"])
        try await context.update(rows[2].id, ["total": .null])
        #expect(try await context.save().token != nil)
        try await context.update(rows[2].id, ["total": .null])
        #expect(try await context.save().token == nil)
    }

    @Test func `without the history since a row was read, its change is a conflict`() async throws {
        let owned = try OwnedDatabase(Self.orders)
        let container = try await owned.attach(["orders"])
        let context = container.makeContext(author: "me")
        let rows = try await context.fetch(FetchRequest("orders", sort: [.id]))
        try owned.run(
            "UPDATE orders SET total = 1 WHERE number = 9; UPDATE orders SET total = 2 WHERE number = 9;")
        try await container.deleteHistory(HistoryDeleteRequest(.before(container.currentToken())))
        try await context.update(rows[0].id, ["total": 4])
        await #expect(throws: StoreError.self) { try await context.save() }
        await context.reset()
        _ = try await context.fetch(FetchRequest("orders"))
        try await context.update(rows[0].id, ["total": 4])
        try await context.save()
        #expect(try owned.run("SELECT total FROM orders WHERE number = 7") == "4.0\n")
    }

    @Test func `the owner's rules hold for saved rows`() async throws {
        let owned = try OwnedDatabase(
            """
            CREATE TABLE lists (id INTEGER PRIMARY KEY, name);
            CREATE TABLE tasks (id INTEGER PRIMARY KEY, list INTEGER REFERENCES lists ON DELETE CASCADE, title);
            CREATE TRIGGER trimmed AFTER INSERT ON tasks BEGIN UPDATE tasks SET title = trim(title); END;
            CREATE TRIGGER kept BEFORE UPDATE ON lists BEGIN SELECT raise(IGNORE); END;
            INSERT INTO lists VALUES (1, 'a');
            """)
        let container = try await owned.attach(["lists", "tasks"])
        let context = container.makeContext(author: "me")
        let list = try #require(try await context.fetch(FetchRequest("lists")).first)
        let task = try await context.insert("tasks", ["list": 1, "title": "  x "])
        let saved = try await context.save()
        #expect(saved.objects.map { $0["title"] } == ["x"] && saved.permanentID(task).key == 1)
        try await context.insert("tasks", ["list": 2])
        await #expect(throws: StoreError.self) { try await context.save() }
        await context.rollback()
        try await context.update(list.id, ["name": "b"])
        await #expect(throws: StoreError.self) { try await context.save() }
        await context.rollback()
        try await context.delete(list.id)
        try await context.save()
        #expect(try owned.run("SELECT count(*) FROM tasks") == "0\n")
        let kinds = try await container.transactions().last?.changes.map(OwnedDatabase.line)
        #expect(kinds?.count == 2)
    }
}
