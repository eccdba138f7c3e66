import PersistentStore
import SQLite
import TestSupport
import Testing

/// Writers without this library, on their own connections: no change between them is lost, and no stale save
/// overwrites their rows.
@Suite struct ExternalWriterTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private static let steps = [
        "INSERT INTO Note (title) VALUES ('x')", "DELETE FROM Note WHERE id = (SELECT max(id) FROM Note)",
        "UPDATE Note SET title = title || '!'", "INSERT OR REPLACE INTO Note (id, title) VALUES (1, 'r')",
    ]

    /// A cursor that is moved after each commit reads each change once, in every order of three commits on
    /// two connections, even if timestamps do not increase.
    @Test(arguments: [false, true])
    func `a cursor misses no commit of two connections in any order`(isClockAhead: Bool) async throws {
        let container = try await Notes.open(folder)
        let setup = try Connection(path: container.path, access: .readWrite)
        try setup.execute("PRAGMA synchronous = OFF; INSERT INTO Note (title) VALUES ('first')")
        if isClockAhead { try setup.execute("UPDATE history SET at = at + 3600000 WHERE at NOT NULL") }
        var (cursor, present) = (
            HistoryToken(storeID: container.storeID, generation: 1, number: 0), Set<ObjectID>()
        )
        let choices = [true, false].flatMap { isFirst in Self.steps.map { (isFirst, $0) } }
        // Each round has new connections, so the first one to commit is the first of two equal ones.
        for one in choices where one.0 {
            for two in choices {
                for three in choices {
                    // New connections, so that their counts of changes are equal.
                    let first = try Connection(path: container.path, access: .readWrite)
                    let second = try Connection(path: container.path, access: .readWrite)
                    for (isFirst, sql) in [one, two, three] {
                        if isFirst { try first.execute(sql) } else { try second.execute(sql) }
                        let (new, stored, newest) = try await container.read { [cursor] in
                            (
                                try $0.transactions(HistoryFetchRequest(.after(cursor))),
                                Set(try $0.fetch(FetchRequest("Note")).map(\.id)), try $0.newestToken()
                            )
                        }
                        for change in new.flatMap(\.changes) {
                            switch change.kind {
                            case .insert: #expect(present.insert(change.objectID).inserted)
                            case .update: #expect(present.contains(change.objectID))
                            case .delete: #expect(present.remove(change.objectID) != nil)
                            }
                        }
                        try #require(present == stored, "\(one), \(two), \(three)")
                        cursor = newest
                    }
                }
            }
        }
    }

    @Test(arguments: [
        "REPLACE INTO Note (id, title) VALUES (1, 'theirs')",
        "DELETE FROM Note WHERE id = 1; INSERT INTO Note (id, title) VALUES (1, 'theirs')",
        "DELETE FROM Note WHERE id = 1; INSERT INTO Note (id, version, title) VALUES (1, 1, 'theirs')",
        "UPDATE Note SET title = 'theirs', version = 1 WHERE id = 1",
        "UPDATE Note SET rowid = 9 WHERE id = 1; UPDATE Note SET rowid = 1, title = 'theirs' WHERE id = 9",
    ])
    func `a save on a replaced object is a conflict, and succeeds after a new fetch`(sql: String)
        async throws
    {
        let container = try await Notes.open(folder)
        let context = container.makeContext(author: "app")
        let id = try await context.save(inserting: ["title": "a"])
        for title in ["b", "c"] {
            try await context.update(id, ["title": .text(title)])
            try await context.save()
        }
        try Connection(path: container.path, access: .readWrite).execute(sql)
        try await context.update(id, ["title": "stale"])
        await #expect(throws: StoreError.self) { try await context.save() }
        #expect(try await container.objects().map { $0["title"] } == ["theirs"])
        await context.rollback()
        _ = try await context.fetch(FetchRequest("Note"))
        try await context.update(id, ["title": "fresh"])
        try await context.save()
        #expect(try await container.objects().map { $0["title"] } == ["fresh"])
    }

    @Test(arguments: 1...5)
    func `a version that a statement sets is never that of a later object`(offset: Int) async throws {
        let container = try await Notes.open(folder)
        let context = container.makeContext(author: "app")
        let id = try await context.save(inserting: ["title": "a"])
        let writer = try Connection(path: container.path, access: .readWrite)
        try writer.execute("UPDATE Note SET version = (SELECT max(number) + \(offset) FROM history)")
        _ = try await context.fetch(FetchRequest("Note"))
        try writer.execute("REPLACE INTO Note (id, title) VALUES (1, 'theirs')")
        try await context.update(id, ["title": "stale"])
        await #expect(throws: StoreError.self) { try await context.save() }
        #expect(try await container.objects().map { $0["title"] } == ["theirs"])
    }

    @Test func `a version never falls, even if a row is moved or its version set`() async throws {
        let container = try await Notes.open(folder)
        let writer = try Connection(path: container.path, access: .readWrite)
        var versions: [Int64: Int64] = [:]
        for sql in [
            "INSERT INTO Note (id, title) VALUES (1, 'a'), (2, 'b')", "UPDATE Note SET version = 1000000",
            "UPDATE Note SET version = version + 1", "REPLACE INTO Note (id, title) VALUES (1, 'c')",
            "UPDATE Note SET title = 'd', version = \(Int64.max) WHERE id = 1",
            "UPDATE Note SET id = 9 WHERE id = 2",
            "DELETE FROM Note WHERE id = 9", "INSERT INTO Note (id) VALUES (9), (2)",
            "REPLACE INTO Note (id, version) VALUES (2, 1000000)",
            "REPLACE INTO Note (id, version) VALUES (2, 1)",
        ] {
            try writer.execute(sql)
            for object in try await container.objects() {
                let known = versions.updateValue(object.version, forKey: object.id.key) ?? 0
                #expect(object.version >= known, "\(sql): \(object)")
            }
        }
        #expect(try await container.check() == [])
    }

    @Test func `a store whose versions exceed its numbers is upgraded`() async throws {
        let container = try await Notes.open(folder)
        let writer = try Connection(path: container.path, access: .readWrite)
        let raises = try writer.texts("SELECT sql FROM sqlite_schema WHERE name = 'Note_raises_version'")
        try writer.execute(
            """
            CREATE TRIGGER own BEFORE INSERT ON Note BEGIN SELECT 1; END; INSERT INTO Note (title) VALUES ('a');
            DROP TRIGGER Note_raises_version; UPDATE Note SET version = 1000000;
            """)
        await container.close()
        let reopened = try await Notes.open(folder)
        // SQLite runs the newest first: before a change the owner's, and after it those of the history.
        let order = try writer.texts(
            "SELECT name FROM sqlite_schema WHERE type = 'trigger' ORDER BY rowid DESC")
        let own = try #require(order.firstIndex(of: "own"))
        #expect(
            order.suffix(from: own + 1).allSatisfy { $0.contains("notes_clashes") } && own == order.count - 3)
        #expect(
            try writer.texts("SELECT sql FROM sqlite_schema WHERE name = 'Note_raises_version'") == raises)
        try writer.execute("REPLACE INTO Note (id, title) VALUES (1, 'b')")
        #expect(try await reopened.objects().allSatisfy { $0.version > 1_000_000 })
        #expect(try await reopened.check() == [])
    }

    @Test func `the ID of a row is tracked under each of its names`() async throws {
        let container = try await Notes.open(folder)
        let writer = try Connection(path: container.path, access: .readWrite)
        try writer.execute("INSERT INTO Note (title) VALUES ('a')")
        var last: Int64 = 1
        for name in ["id", "rowid", "oid", "_rowid_", "ROWID"] {
            let token = try await container.currentToken()
            try writer.execute("UPDATE OR REPLACE Note SET \(name) = \(last + 1)")
            let changes = try await container.transactions(HistoryFetchRequest(.after(token))).flatMap(
                \.changes)
            #expect(changes.map(\.kind) == [.delete, .insert])
            #expect(changes.map(\.objectID.key) == [last, last + 1])
            last += 1
        }
    }

    @Test
    func `the text of a conflict that evicted nothing is discarded with its object, or by the next write`()
        async throws
    {
        let container = try await Notes.open(folder)
        let writer = try Connection(path: container.path, access: .readWrite)
        let texts = "SELECT count(*) FROM history_replaced_Note WHERE title NOT NULL"
        let ignored = "INSERT OR IGNORE INTO Note (id, title) VALUES (1, 'other')"
        try writer.execute("INSERT INTO Note (title) VALUES ('secret'), ('second'); \(ignored)")
        #expect(try writer.integer(texts) == 1)
        try writer.execute("UPDATE Note SET title = 'x' WHERE id = 2")
        #expect(try writer.integer(texts) == 0)
        try writer.execute("\(ignored); DELETE FROM Note WHERE id = 1")
        #expect(try writer.integer(texts) == 0)
        try writer.execute("INSERT OR IGNORE INTO Note (id, title) VALUES (2, 'other')")
        _ = try await container.execute(.delete("Note"), author: "app")
        #expect(try writer.integer(texts) == 0)
        let token = try await container.currentToken()
        try writer.execute("INSERT INTO Note (title) VALUES ('new')")
        let changes = try await container.transactions(HistoryFetchRequest(.after(token))).flatMap(\.changes)
        #expect(changes.map(\.kind) == [.insert])
    }

    @Test func `a tombstone has the preserved attributes only`() async throws {
        let model = try StoreModel(
            version: 1,
            entities: [
                EntityDescription(
                    "Note",
                    attributes: [
                        AttributeDescription(
                            "title", .text, isOptional: true, history: [.preservesValueOnDeletion]),
                        AttributeDescription("age", .integer, isOptional: true, history: [.recordsOldValue]),
                    ])
            ])
        let container = try await Notes.open(folder, model: model)
        let context = container.makeContext(author: "app")
        let ids = [
            try await context.save(inserting: ["age": 42]),
            try await context.save(inserting: ["title": "b", "age": 42]),
        ]
        try await context.delete(ids[0])
        try await context.save()
        _ = try await container.execute(.delete("Note"), author: "app")
        let tombstones = try await container.transactions().suffix(2).map { $0.changes[0].tombstone }
        #expect(tombstones == [["title": .null], ["title": "b"]])
    }
}
