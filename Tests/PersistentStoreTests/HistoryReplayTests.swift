import Foundation
import PersistentStore
import TestSupport
import Testing

/// Replays of the whole history, which must produce exactly the stored objects.
@Suite struct HistoryReplayTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private static func model() throws -> StoreModel {
        try Notes.model(more: [
            AttributeDescription(
                "slug", .text, isOptional: true, isUnique: true, ignoresCase: true,
                history: [.preservesValueOnDeletion]),
            // Distinguishes a row from the next one under its ID.
            AttributeDescription(
                "mark", .text, defaultValue: .uuid, history: [.preservesValueOnDeletion]),
            AttributeDescription("parent", referencing: "Note", onDeletion: .cascade, isOptional: true),
        ])
    }

    /// Triggers of the owner, which run between those of the history.
    private static let ownTriggers = [
        "AFTER INSERT ON Note BEGIN UPDATE Note SET rank = 5 WHERE id = new.id; END",
        "AFTER UPDATE OF title ON Note BEGIN UPDATE Note SET rank = rank + 1, body = 'b' WHERE id = new.id; END",
        "BEFORE INSERT ON Note BEGIN DELETE FROM Note WHERE slug = new.slug; END",
        "AFTER INSERT ON Note WHEN new.title <> 'log' BEGIN INSERT INTO Note (title) VALUES ('log'), ('log'); END",
        "AFTER INSERT ON Note WHEN new.title = 'x' BEGIN DELETE FROM Note WHERE id = new.id; END",
        """
        AFTER INSERT ON Note WHEN (SELECT count(*) FROM Note) > 6
        BEGIN DELETE FROM Note WHERE id = (SELECT min(id) FROM Note); END
        """,
        "AFTER DELETE ON Note BEGIN UPDATE Note SET title = title || '-' WHERE id % 2 = 0; END",
        "AFTER INSERT ON Note WHEN new.id % 3 = 0 BEGIN UPDATE Note SET id = id + 20 WHERE id = new.id; END",
        // Runs between two evictions of one row, if the first one cascades.
        """
        BEFORE DELETE ON Note
        BEGIN UPDATE Note SET rank = rank + 1, slug = slug || '.' WHERE id = old.id + 1; END
        """,
        """
        BEFORE DELETE ON Note WHEN old.id < 8
        BEGIN INSERT OR IGNORE INTO Note (id, slug, title) VALUES (old.id + 1, 'b', 'new'); END
        """,
    ]

    private static let seeds: ClosedRange<UInt64> =
        1...UInt64(LongProof.count(6, of: 297, "seeds of statements"))

    /// One statement of an external writer; many conflict.
    private static func statement(_ random: inout SeededRandom) -> String {
        func id() -> Int { Int.random(in: 1...12, using: &random) }
        func slug() -> String {
            ["NULL", "'a'", "'A'", "'b'", "'c'", "'d'"].randomElement(using: &random) ?? "NULL"
        }
        let or =
            ["", " OR REPLACE", " OR IGNORE", " OR FAIL", " OR ROLLBACK"].randomElement(using: &random) ?? ""
        func version() -> String {
            ["1", "\(id())", "1000000", "version + 1", "\(Int64.max)", "-1"].randomElement(using: &random)
                ?? "1"
        }
        switch Int.random(in: 0...20, using: &random) {
        case 0: return "INSERT\(or) INTO Note (title, slug) VALUES ('\(id())', \(slug()))"
        case 1: return "INSERT\(or) INTO Note (id, title, slug) VALUES (\(id()), 'x', \(slug()))"
        case 2:
            return "INSERT\(or) INTO Note (id, slug) VALUES (\(id()), \(slug())), (\(id()), \(slug()))"
        case 3: return "REPLACE INTO Note (id, slug) VALUES (\(id()), \(slug()))"
        case 4: return "UPDATE\(or) Note SET slug = \(slug()), title = '\(id())' WHERE id = \(id())"
        case 5: return "UPDATE\(or) Note SET id = \(id()) WHERE id = \(id())"
        case 6: return "UPDATE Note SET title = title || '!' WHERE id % 3 = \(id() % 3)"
        case 7: return "DELETE FROM Note WHERE id = \(id()) OR slug = \(slug())"
        case 8:
            return "INSERT INTO Note (id, slug) VALUES (\(id()), \(slug())) "
                + "ON CONFLICT (id) DO UPDATE SET slug = \(slug()), rank = rank + 1"
        case 9:
            let name = ["rowid", "_rowid_", "oid"].randomElement(using: &random) ?? "rowid"
            return "UPDATE\(or) Note SET \(name) = \(id()) WHERE id = \(id())"
        case 10: return "UPDATE Note SET version = \(version()) WHERE id = \(id())"
        case 12: return "UPDATE Note SET version = \(version()), title = 't' WHERE id = \(id())"
        case 13: return "REPLACE INTO Note (id, version) VALUES (\(id()), 1000000)"
        case 14: return "UPDATE\(or) Note SET id = \(id()), version = 1000000 WHERE id = \(id())"
        case 15: return "INSERT\(or) INTO Note (version, slug) VALUES (1000000, \(slug()))"
        case 16, 17: return "UPDATE\(or) Note SET parent = \(id()) WHERE id IN (\(id()), \(id()))"
        case 18: return "UPDATE OR REPLACE Note SET slug = \(slug()), parent = \(id()) WHERE id % 2 = 0"
        case 19: return "REPLACE INTO Note (id, slug, parent) VALUES (\(id()), \(slug()), \(id()))"
        case 11: return "INSERT OR REPLACE INTO Note SELECT * FROM Note WHERE id = \(id())"
        default: return "INSERT INTO Note (slug) VALUES (\(slug())) ON CONFLICT (slug) DO UPDATE SET rank = 7"
        }
    }

    private static func script(_ random: inout SeededRandom) -> String {
        var lines = ["recursive_triggers", "foreign_keys"].filter { _ in Bool.random(using: &random) }
            .map { "PRAGMA \($0) = ON" }
        for _ in 0..<Int.random(in: 1...4, using: &random) {
            let body = (0..<Int.random(in: 1...3, using: &random)).map { _ in statement(&random) }
            switch Int.random(in: 0...3, using: &random) {
            case 0: lines += body
            case 1: lines += ["BEGIN"] + body + ["COMMIT"]
            case 2: lines += ["BEGIN"] + body + ["ROLLBACK"]
            default:
                lines +=
                    ["BEGIN", statement(&random), "SAVEPOINT s"] + body + ["ROLLBACK TO s", "COMMIT"]
            }
        }
        return lines.joined(separator: ";\n") + ";"
    }

    @Test(arguments: Self.seeds)
    func `random work of external writers and contexts can be replayed`(seed: UInt64) async throws {
        var random = SeededRandom(seed: seed)
        let container = try await Notes.open(folder, model: Self.model())
        let context = container.makeContext(author: "a", name: "random")
        let kind = Int(seed % UInt64(Self.ownTriggers.count + 1))
        let hasTrigger = kind > 0
        if hasTrigger {
            try Shell.run("sqlite3", [container.path, "CREATE TRIGGER own \(Self.ownTriggers[kind - 1])"])
            // Opening the store makes the triggers of the history run first again.
            await (try Notes.open(folder, model: Self.model())).close()
        }
        var versions: [ObjectID: StoredObject] = [:]
        var marks: [ObjectID: AttributeValue] = [:]
        var replayed: Set<ObjectID> = []
        var token = HistoryToken(storeID: container.storeID, generation: 1, number: 0)
        var last: Int64 = 0
        for round in 0..<40 {
            let script = Self.script(&random)
            if Int.random(in: 0...2, using: &random) > 0 {
                // Errors are expected: a conflict ends its statement or its transaction.
                try Shell.run("sqlite3", [container.path], input: script)
            } else {
                for _ in 0..<3 { try await context.insert("Note", ["title": "c"]) }
                if let id = replayed.randomElement(using: &random) { try await context.delete(id) }
                if let id = replayed.randomElement(using: &random) {
                    try await context.update(id, ["title": .text("\(round)")])
                }
                do { try await context.save() } catch { await context.rollback() }
            }
            let request = HistoryFetchRequest(.after(token))
            let (transactions, objects, newest) = try await container.read { snapshot in
                (
                    try snapshot.transactions(request), try snapshot.fetch(FetchRequest("Note")),
                    try snapshot.newestToken()
                )
            }
            let present = Set(objects.map(\.id))
            for object in objects {
                let known = versions.updateValue(object, forKey: object.id)
                let isHigher = known.map { $0.version < object.version } ?? true
                #expect(isHigher || known == object, "seed \(seed), round \(round), \(object):\n\(script)")
            }
            let (before, changes) = (marks, transactions.flatMap(\.changes))
            marks = Dictionary(uniqueKeysWithValues: objects.map { ($0.id, $0["mark"]) })
            for (id, mark) in before where marks[id] != mark {
                let isRecorded = changes.contains { $0.objectID == id && $0.tombstone?["mark"] == mark }
                #expect(isRecorded, "seed \(seed), round \(round), \(id):\n\(script)")
            }
            for transaction in transactions {
                for change in transaction.changes {
                    #expect(change.number > last, "seed \(seed)")
                    last = change.number
                    switch change.kind {
                    case .insert:
                        // The trigger's changes come first.
                        let isNew = replayed.insert(change.objectID).inserted
                        #expect(isNew || hasTrigger, "seed \(seed): \(script)")
                    case .delete:
                        // An object that its own insertion's trigger deletes has no other change.
                        let isKnown = replayed.remove(change.objectID) != nil
                        #expect(isKnown || hasTrigger, "seed \(seed): \(script)")
                    case .update:
                        // An object that refers to itself follows its new ID before its move is recorded.
                        let follows = change.updatedAttributes == ["parent"]
                        let isKnown = replayed.contains(change.objectID)
                        #expect(hasTrigger || follows || isKnown, "seed \(seed): \(script)")
                    }
                }
                #expect(transaction.number >= last && !transaction.changes.isEmpty, "seed \(seed)")
            }
            try #require(replayed == present, "seed \(seed), round \(round):\n\(script)")
            token = newest
        }
        #expect(try Shell.run("sqlite3", [container.path, "PRAGMA integrity_check"]).output == "ok\n")
    }

    @Test func `a row that the owner's trigger fails after is recorded once the store was opened again`()
        async throws
    {
        let container = try await Notes.open(folder)
        let sql = """
            CREATE TRIGGER fails AFTER INSERT ON Note WHEN new.title = 'f' BEGIN SELECT RAISE(FAIL, 'own'); END;
            CREATE TRIGGER inserts AFTER INSERT ON Note WHEN new.title = 'x'
            BEGIN INSERT INTO Note (title) VALUES ('log'), ('log'); END;
            INSERT INTO Note (id, title) VALUES (1, 'x'); DELETE FROM Note WHERE id > 1;
            """
        try Shell.run("sqlite3", [container.path], input: sql)
        let work = """
            REPLACE INTO Note SELECT * FROM Note WHERE id = 1;
            INSERT OR FAIL INTO Note (id, title) VALUES (70, 'a'), (71, 'f'), (72, 'b');
            """
        // Until then, the new triggers run first: SQLite retains row 71, and no trigger of the history has run.
        try Shell.run("sqlite3", [container.path], input: work)
        #expect(try await container.transactions().flatMap(\.changes).contains { $0.objectID.key == 70 })
        #expect(try await !container.transactions().flatMap(\.changes).contains { $0.objectID.key == 71 })
        try Shell.run("sqlite3", [container.path], input: "DELETE FROM Note WHERE id > 1")
        await (try Notes.open(folder)).close()
        let token = try await container.currentToken()
        try Shell.run("sqlite3", [container.path], input: work)
        let changes = try await container.read { snapshot throws(StoreError) in
            try snapshot.changes(HistoryFetchRequest(.after(token)))
        }
        #expect(changes.prefix(2).map(\.kind) == [.delete, .insert])
        #expect(changes.prefix(2).allSatisfy { $0.objectID.key == 1 })
        #expect(changes.suffix(2).map(\.objectID.key) == [70, 71])
    }

    @Test func `a row in the place of one that a cascade deletes is in the history`() async throws {
        let container = try await Notes.open(folder, model: Self.model())
        let trigger = Self.ownTriggers.last ?? ""
        try Shell.run("sqlite3", [container.path, "CREATE TRIGGER own \(trigger)"])
        await (try Notes.open(folder, model: Self.model())).close()
        let sql = """
            INSERT INTO Note (id, slug, parent) VALUES (7, 'b', 17), (6, NULL, 7), (17, 'a', NULL);
            PRAGMA foreign_keys = ON;
            REPLACE INTO Note (id, slug) VALUES (1, 'A');
            """
        #expect(try Shell.run("sqlite3", [container.path], input: sql).errors == "")
        let (changes, objects) = try await container.read { snapshot in
            (try snapshot.changes(HistoryFetchRequest()), try snapshot.fetch(FetchRequest("Note")))
        }
        var replayed: [Int64: Int64] = [:]
        for change in changes { replayed[change.objectID.key] = change.kind == .delete ? nil : change.number }
        #expect(Set(replayed.keys) == [1, 7] && Set(objects.map(\.id.key)) == [1, 7])
        #expect(objects.allSatisfy { $0.version == replayed[$0.id.key] })
    }

    @Test(arguments: [
        "DELETE FROM Note WHERE id = 900", "UPDATE Note SET id = 5 WHERE id = 900",
        "REPLACE INTO Note (id) VALUES (900)",
        "DELETE FROM Note WHERE id = 900; DELETE FROM sqlite_sequence",
    ])
    func `an ID that a failed statement left has a higher version when it is used again`(sql: String)
        async throws
    {
        let container = try await Notes.open(folder)
        let version = "SELECT version FROM Note WHERE id = 900"
        let fail = "INSERT OR FAIL INTO Note (id, title) VALUES (1, 'a'), (900, 'b'), (1, 'c')"
        let raised = "UPDATE Note SET title = 'd' WHERE id = 900; UPDATE Note SET title = 'e' WHERE id = 900"
        try Shell.run("sqlite3", [container.path], input: "\(fail);\n\(raised);\n")
        #expect(try Shell.run("sqlite3", [container.path, version]).output == "3\n")
        try Shell.run("sqlite3", [container.path, "\(sql); INSERT OR IGNORE INTO Note (id) VALUES (900)"])
        let output = try Shell.run("sqlite3", [container.path, version]).output
        #expect(try #require(Int(output.dropLast())) > 3, "\(sql)")
    }

    @Test func `cascading deletes are recorded, in a save as one transaction`() async throws {
        let container = try await Notes.open(folder)
        let sql = """
            PRAGMA foreign_keys = ON;
            ALTER TABLE Note ADD COLUMN parent INTEGER REFERENCES Note (id) ON DELETE CASCADE;
            INSERT INTO Note (id, parent) VALUES (1, NULL), (2, 1), (3, 2), (4, NULL), (5, 4);
            DELETE FROM Note WHERE id = 1;
            """
        #expect(try Shell.run("sqlite3", [container.path], input: sql).errors == "")
        let deletes = try await container.transactions().dropFirst(5).flatMap(\.changes)
        #expect(Set(deletes.map(\.objectID.key)) == [1, 2, 3])
        #expect(deletes.count == 3 && deletes.allSatisfy { $0.kind == .delete })
        let context = container.makeContext(author: "a")
        try await context.delete(ObjectID(entity: "Note", key: 4))
        try await context.save()
        let last = try #require(try await container.transactions().last)
        #expect(Set(last.changes.map(\.objectID.key)) == [4, 5])
    }

    @Test func `a change of case alone is a change`() async throws {
        let container = try await Notes.open(folder, model: Self.model())
        let context = container.makeContext(author: "a")
        let id = try await context.save(inserting: ["slug": "abc"])
        try await context.update(id, ["slug": "ABC"])
        #expect(try await context.save().token != nil)
        let change = try await container.transactions().last?.changes.last
        #expect(change?.updatedAttributes == ["slug"])
        #expect(try await container.objects().first?.version == 2)
    }

    @Test func `62 attributes are distinguished, and 63 are refused`() async throws {
        func model(_ count: Int) throws -> StoreModel {
            try StoreModel(
                version: 1,
                entities: [
                    EntityDescription(
                        "Wide",
                        attributes: (1...count).map {
                            AttributeDescription("a\($0)", .integer, isOptional: true)
                        })
                ])
        }
        #expect(throws: StoreError.self) { try model(63) }
        let container = try await PersistentContainer(path: folder.path(of: "wide.db"), model: model(62))
        let context = container.makeContext(author: "a")
        let temporary = try await context.insert("Wide", [:])
        let id = try await context.save().permanentID(temporary)
        try await context.update(id, ["a1": 1, "a33": 1, "a62": 1])
        try await context.save()
        let updated = try await container.transactions().last?.changes.last?.updatedAttributes
        #expect(updated == ["a1", "a33", "a62"])
    }

    @Test(arguments: ["'); DROP TABLE Note; --", "a\0b", "\u{202E}\u{200B}", "\u{1B}[2J", ""])
    func `hostile text is stored as text in values, authors, and context names`(text: String) async throws {
        let container = try await Notes.open(folder)
        let context = container.makeContext(author: text, name: text)
        let id = try await context.save(inserting: ["title": .text(text)])
        try await context.delete(id)
        try await context.save()
        let transactions = try await container.transactions(
            HistoryFetchRequest(where: .author(text)))
        #expect(transactions.count == 2)
        #expect(transactions.allSatisfy { $0.author == text && $0.contextName == text })
        #expect(transactions[1].changes[0].tombstone?["title"] == .text(text))
    }

    @Test func `authors in a request restrict it, an empty set admits none, and nil admits external writers`()
        async throws
    {
        let container = try await Notes.open(folder)
        _ = try await container.makeContext(author: "a").save(inserting: [:])
        _ = try await container.makeContext(author: "b").save(inserting: [:])
        try Shell.run("sqlite3", [container.path], input: "INSERT INTO Note (title) VALUES ('x')")
        func authors(_ authors: Set<String?>?) async throws -> [String?] {
            try await container.transactions(
                HistoryFetchRequest(where: authors.map(TransactionPredicate.authors))
            ).map(\.author)
        }
        #expect(try await authors(nil) == ["a", "b", nil])
        #expect(try await authors([]) == [])
        #expect(try await authors([nil]) == [nil])
        #expect(try await authors(["b", nil]) == ["b", nil])
        let newest = HistoryFetchRequest(.newest, where: .author("a"), limit: 1)
        #expect(try await container.transactions(newest).map(\.author) == ["a"])
        #expect(
            try await container.transactions(HistoryFetchRequest(.newest, limit: 2)).map(\.author) == [
                "b", nil,
            ])
    }
}
