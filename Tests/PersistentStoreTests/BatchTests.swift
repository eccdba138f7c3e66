import Glibc
import PersistentStore
import Synchronization
import TestSupport
import Testing

/// Batch operations, each recorded as one transaction.
@Suite(.serialized) struct BatchTests {
    let folder: TemporaryFolder
    let container: PersistentContainer

    init() async throws {
        folder = try TemporaryFolder()
        container = try await Notes.open(
            folder,
            model: Notes.model(more: [
                AttributeDescription(
                    "slug", .text, isOptional: true, isUnique: true, ignoresCase: true,
                    history: [.preservesValueOnDeletion])
            ]))
    }

    private func fill(_ count: Int) async throws {
        let rows = (0..<count).map {
            ["title": AttributeValue.text("\($0)"), "rank": .integer(Int64($0 % 10))]
        }
        try await container.execute(.insert("Note", rows: rows), author: "filler")
    }

    private func count() async throws -> Int {
        try await container.read { try $0.count(FetchRequest("Note")) }
    }

    @Test func `a batch is one transaction under its names and is merged by a context with these names`()
        async throws
    {
        let context = container.makeContext(author: "app", name: "import")
        let start = try await container.currentToken()
        var insert = BatchRequest.insert("Note") {
            (0..<2500).lazy.map { ["title": .text("\($0)"), "rank": .integer(Int64($0 % 2))] }
        }
        insert.returnsObjectIDs = true
        let inserted = try await container.execute(insert, author: "app", contextName: "import")
        let updated = try await container.execute(
            .update("Note", where: .equal("rank", 1), set: ["body": "odd", "rank": 1]),
            author: "app", contextName: "import")
        let deleted = try await container.execute(
            .delete("Note", where: .equal("rank", 0)), author: "app", contextName: "import")
        #expect([inserted, updated, deleted].map(\.rows) == [2500, 1250, 1250])
        #expect(inserted.objectIDs?.map(\.key) == Array(1...2500) && updated.objectIDs == nil)
        let transactions = try await container.transactions(HistoryFetchRequest(.after(start)))
        #expect(transactions.map(\.changes.count) == [2500, 1250, 1250])
        #expect(transactions.map(\.token) == [inserted, updated, deleted].map(\.token))
        #expect(transactions.allSatisfy { $0.author == "app" && $0.contextName == "import" })
        #expect(transactions[1].changes.allSatisfy { $0.updatedAttributes == ["body"] })
        #expect(transactions[2].changes.first?.tombstone?["title"] == "0")
        let merged = try await context.merge(transactions)
        #expect(merged.inserted.count == 1250 && merged.updated.isEmpty && merged.deleted.isEmpty)
        // The triggers are back.
        _ = try await context.save(inserting: ["title": "one"])
        #expect(try await container.transactions().last?.changes.count == 1)
    }

    @Test func `rows that already have the new values are neither changed nor recorded`() async throws {
        try await fill(10)
        let update = BatchRequest.update("Note", set: ["rank": 3])
        #expect(try await container.execute(update, author: "a").rows == 9)
        let again = try await container.execute(update, author: "a")
        #expect(again.rows == 0 && again.token == nil)
        #expect(try await container.transactions().count == 2)
        let versions = try await container.objects().map(\.version)
        #expect(versions == [2, 2, 2, 1, 2, 2, 2, 2, 2, 2])
    }

    @Test func `a batch raises versions, so that a save on an old version is a conflict`() async throws {
        try await fill(2)
        let context = container.makeContext(author: "app")
        let notes = try await context.fetch(FetchRequest("Note"))
        try await container.execute(.update("Note", set: ["rank": 99]), author: "app")
        for note in notes { try await context.update(note.id, ["title": "ours"]) }
        await #expect(throws: StoreError.self) { try await context.save() }
    }

    @Test func `a conflicting row fails the batch, is skipped, or updates the stored row`() async throws {
        let context = container.makeContext(author: "app")
        let first = try await context.save(inserting: ["slug": "a", "title": "old", "rank": 5])
        let rows: [[String: AttributeValue]] = [
            ["slug": "b", "title": "new"], ["slug": "A", "title": "clash"], ["slug": .null], ["slug": "B"],
        ]
        var request = BatchRequest.insert("Note", rows: rows)
        request.returnsObjectIDs = true
        let error = await #expect(throws: StoreError.self) {
            try await container.execute(request, author: "a")
        }
        guard case .constraint = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(try await count() == 1)
        request.duplicates = .skip
        let skipped = try await container.execute(request, author: "a")
        #expect(skipped.rows == 2 && skipped.skipped == 2 && skipped.objectIDs?.count == 2)
        #expect(try await container.objects().map { $0["title"] } == ["old", "new", ""])
        request.duplicates = .replace
        let replaced = try await container.execute(request, author: "a")
        #expect(replaced.rows == 4 && replaced.objectIDs?[1] == first)
        let objects = try await container.objects()
        #expect(objects.map { $0["title"] } == ["clash", "new", "", ""])
        #expect(objects[0]["rank"] == 5 && objects[0]["slug"] == "A" && objects[0].version == 2)
        let last = try await container.transactions().last?.changes.map { "\($0.kind) \($0.objectID.key)" }
        #expect(last?.first == "update 1" && last?.contains { $0.hasPrefix("delete") } == false)
    }

    @Test func `progress is reported periodically, with the total if it is known`() async throws {
        let reports = Mutex<[(done: Int, total: Int?)]>([])
        let report: @Sendable (Int, Int?) -> Void = { done, total in
            reports.withLock { $0.append((done, total)) }
        }
        func taken() -> [(done: Int, total: Int?)] {
            reports.withLock { list in
                defer { list = [] }
                return list
            }
        }
        let rows = Array(repeating: ["title": AttributeValue.text("x")], count: 3500)
        try await container.execute(.insert("Note", rows: rows), author: "a", progress: report)
        #expect(taken().map(\.done) == [1000, 2000, 3000])
        let unknown = BatchRequest.insert("Note") { (0..<1500).lazy.map { _ in [:] } }
        try await container.execute(unknown, author: "a", progress: report)
        #expect(taken().map(\.total) == [nil])
        try await fill(5000)
        _ = taken()
        try await container.execute(
            .update("Note", set: ["body": "x"]), author: "a", progress: report)
        #expect(taken().allSatisfy { $0.total == 10_000 && $0.done <= 10_000 })
        try await container.execute(.delete("Note"), author: "a", progress: report)
        #expect(taken().last.map { [$0.done, $0.total] } == [10_000, 10_000])
    }

    @Test func `a cancelled batch stores nothing`() async throws {
        try await fill(10_000)
        let before = try await container.currentToken()
        let insert = BatchRequest.insert("Note") {
            (0..<5000).lazy.map { index -> [String: AttributeValue] in
                if index == 2500 { withUnsafeCurrentTask { $0?.cancel() } }
                return ["title": "cancelled"]
            }
        }
        let cancel: @Sendable (Int, Int?) -> Void = { _, _ in withUnsafeCurrentTask { $0?.cancel() } }
        let container = container
        let batches: [@Sendable () async throws -> BatchResult] = [
            { try await container.execute(insert, author: "a") },
            {
                try await container.execute(
                    .update("Note", set: ["body": "x"]), author: "a", progress: cancel)
            },
            { try await container.execute(.delete("Note"), author: "a", progress: cancel) },
        ]
        for batch in batches {
            let result = await Task { try await batch() }.result
            #expect(throws: StoreError.cancelled) { try result.get() }
        }
        #expect(try await count() == 10_000)
        #expect(try await container.currentToken() == before)
        #expect(try Shell.run("sqlite3", [container.path, "PRAGMA integrity_check"]).output == "ok\n")
    }

    @Test func `names that the model lacks fail the batch`() async throws {
        let rows: [[String: AttributeValue]] = [["title": "good"], ["titel": "bad"]]
        await #expect(throws: StoreError.unknownAttribute("titel", entity: "Note")) {
            try await container.execute(.insert("Note", rows: rows), author: "a")
        }
        await #expect(throws: StoreError.unknownAttribute("titel", entity: "Note")) {
            try await container.execute(.update("Note", set: ["titel": 1]), author: "a")
        }
        await #expect(throws: StoreError.unknownEntity("Nope")) {
            try await container.execute(.delete("Nope"), author: "a")
        }
        #expect(try await count() == 0)
    }

    @Test func `a running batch admits readers and makes another writer wait`() async throws {
        try await fill(3)
        let path = container.path
        let seen = Mutex<[String]>([])
        let insert = BatchRequest.insert("Note") {
            (0..<3000).lazy.map { index -> [String: AttributeValue] in
                if index == 2500 {
                    let read = try? Shell.run("sqlite3", [path, "SELECT count(*) FROM Note"]).output
                    let insert = ".timeout 0\nINSERT INTO Note DEFAULT VALUES;"
                    let write = try? Shell.run("sqlite3", [path], input: insert).errors
                    seen.withLock { $0 = [read ?? "", write ?? ""] }
                }
                return ["title": "x"]
            }
        }
        try await container.execute(insert, author: "a")
        let answers = seen.withLock { $0 }
        #expect(answers.first == "3\n")
        #expect(answers.last?.contains("locked") == true)
    }

    @Test func `a batch that cannot get the write lock names its holder`() async throws {
        let path = folder.path(of: "held.db")
        let process = try StoreWriterProcess(path, author: "holder")
        var options = StoreOptions()
        options.busyTimeout = .milliseconds(30)
        let container = try await PersistentContainer(path: path, model: Notes.model(), options: options)
        #expect(try process.ask("hold") == "holding")
        let error = await #expect(throws: StoreError.self) {
            try await container.execute(.delete("Note"), author: "a")
        }
        guard case .busy(_, let holder, _) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(holder == "StoreWriterTool (process \(process.process.identifier))")
    }

    @Test func `rows deleted by a batch through a foreign key are recorded`() async throws {
        let sql = """
            PRAGMA foreign_keys = ON;
            ALTER TABLE Note ADD COLUMN parent INTEGER REFERENCES Note (id) ON DELETE CASCADE;
            INSERT INTO Note (id, rank, parent) VALUES (1, 1, NULL), (2, 0, 1), (3, 0, 2), (4, 0, NULL);
            """
        #expect(try Shell.run("sqlite3", [container.path], input: sql).errors == "")
        let delete = BatchRequest.delete("Note", where: .equal("rank", 1))
        try await container.execute(delete, author: "a")
        let last = try #require(try await container.transactions().last)
        #expect(Set(last.changes.map(\.objectID.key)) == [1, 2, 3])
    }

    @Test(arguments: [UInt64(1), 2, 3, 4])
    func `a batch is recorded as the triggers would record it`(seed: UInt64) async throws {
        let paths = ["ranges.db", "triggers.db"].map { folder.path(of: $0) }
        var stores = [try await PersistentContainer(path: paths[0], model: container.model)]
        // A copy has the same identity, so that IDs are equal.
        try await stores[0].backUp(to: paths[1])
        stores.append(try await PersistentContainer(path: paths[1], model: container.model))
        // A trigger of another program makes a batch use the store's own triggers.
        let sql = "CREATE TRIGGER theirs AFTER DELETE ON Note WHEN 0 BEGIN SELECT 1; END;"
        #expect(try Shell.run("sqlite3", [paths[1]], input: sql).errors == "")
        var random = SeededRandom(seed: seed)
        func value(_ name: String) -> AttributeValue {
            switch name {
            case "rank": .integer(.random(in: 0...2, using: &random))
            case "slug": [.null, "a", "A", "b", "c"].randomElement(using: &random) ?? .null
            case "body": [.null, "", "x", "X"].randomElement(using: &random) ?? .null
            default: ["", "a", "A", "\u{E9}"].randomElement(using: &random) ?? .null
            }
        }
        func values() -> [String: AttributeValue] {
            var values: [String: AttributeValue] = ["created": 1]
            for name in ["title", "body", "rank", "slug"] where Bool.random(using: &random) {
                values[name] = value(name)
            }
            return values
        }
        for round in 0..<25 {
            let predicate: ObjectPredicate? =
                [nil, .equal("rank", value("rank")), .contains("title", "a")].randomElement(using: &random)
                ?? nil
            var insert = BatchRequest.insert("Note", rows: (0..<6).map { _ in values() })
            insert.duplicates = [.fail, .skip].randomElement(using: &random) ?? .skip
            var changes = values()
            if Bool.random(using: &random) { changes["slug"] = nil }
            let kind = Int.random(in: 0...4, using: &random)
            var results: [String] = []
            for store in stores {
                do {
                    let result =
                        switch kind {
                        case 0:
                            try await store.execute(.delete("Note", where: predicate), author: "a")
                        case 1...2:
                            try await store.execute(
                                .update("Note", where: predicate, set: changes), author: "a")
                        default: try await store.execute(insert, author: "a")
                        }
                    results.append("\(result.rows) \(result.skipped) \(result.token?.number ?? 0)")
                } catch { results.append("\(error)") }
            }
            #expect(results[0] == results[1], "seed \(seed), round \(round)")
        }
        var histories: [[[HistoryChange]]] = []
        var objects: [[StoredObject]] = []
        for store in stores {
            histories.append(try await store.transactions().map(\.changes))
            objects.append(try await store.objects())
        }
        #expect(histories[0] == histories[1], "seed \(seed)")
        #expect(objects[0] == objects[1], "seed \(seed)")
        #expect(histories[0].count > 8)
    }

    @Test func `a batch uses the memory of a few rows`() async throws {
        @Sendable func resident() -> Int {
            let words = (try? Shell.run("cat", ["/proc/\(getpid())/statm"]).output)?.split(separator: " ")
            return words.flatMap { $0.count > 1 ? Int($0[1]) : nil }.map { $0 * 4096 } ?? 0
        }
        let text = String(repeating: "x", count: 1000)
        let insert = BatchRequest.insert("Note") { (0..<60_000).lazy.map { _ in ["title": .text(text)] } }
        let most = Mutex(0)
        let look: @Sendable (Int, Int?) -> Void = { done, _ in
            if done % 10_000 == 0 { most.withLock { $0 = max($0, resident()) } }
        }
        let before = resident()
        try await container.execute(insert, author: "a", progress: look)
        try await container.execute(
            .update("Note", set: ["rank": 1]), author: "a", progress: look)
        let grown = most.withLock { $0 } - before
        #expect(grown < 30_000_000, "\(grown) bytes for 60 MB of rows")
    }
}
