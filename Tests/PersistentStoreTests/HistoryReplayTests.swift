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
                history: .preservesValueOnDeletion)
        ])
    }

    /// One statement of an external writer; many conflict.
    private static func statement(_ random: inout SeededRandom) -> String {
        func id() -> Int { Int.random(in: 1...12, using: &random) }
        func slug() -> String {
            ["NULL", "'a'", "'A'", "'b'", "'c'", "'d'"].randomElement(using: &random) ?? "NULL"
        }
        let or =
            ["", " OR REPLACE", " OR IGNORE", " OR FAIL", " OR ROLLBACK"].randomElement(using: &random) ?? ""
        switch Int.random(in: 0...12, using: &random) {
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
        case 10: return "UPDATE Note SET version = \(id()) WHERE id = \(id())"
        case 11: return "INSERT OR REPLACE INTO Note SELECT * FROM Note WHERE id = \(id())"
        default: return "INSERT INTO Note (slug) VALUES (\(slug())) ON CONFLICT (slug) DO UPDATE SET rank = 7"
        }
    }

    private static func script(_ random: inout SeededRandom) -> String {
        var lines = Bool.random(using: &random) ? ["PRAGMA recursive_triggers = ON"] : []
        for _ in 0..<Int.random(in: 1...4, using: &random) {
            let body = (0..<Int.random(in: 1...3, using: &random)).map { _ in statement(&random) }
            switch Int.random(in: 0...3, using: &random) {
            case 0: lines += body
            case 1: lines += ["BEGIN"] + body + ["COMMIT"]
            case 2: lines += ["BEGIN"] + body + ["ROLLBACK"]
            default:
                lines += ["BEGIN", statement(&random), "SAVEPOINT s"] + body + ["ROLLBACK TO s", "COMMIT"]
            }
        }
        return lines.joined(separator: ";\n") + ";"
    }

    @Test(arguments: [UInt64(1), 2, 3, 4])
    func `random work of external writers and contexts can be replayed`(seed: UInt64) async throws {
        var random = SeededRandom(seed: seed)
        let container = try await Notes.open(folder, model: Self.model())
        let context = container.makeContext(author: "a", name: "random")
        let hasTrigger = seed.isMultiple(of: 2)
        if hasTrigger {
            // Runs within a REPLACE, between the triggers that note a conflict and those that record it.
            let trigger =
                "CREATE TRIGGER counts AFTER INSERT ON Note BEGIN UPDATE Note SET rank = 5 WHERE id = new.id; END"
            try Shell.run("sqlite3", [container.path, trigger])
        }
        var versions: [ObjectID: StoredObject] = [:]
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
            for transaction in transactions {
                for change in transaction.changes {
                    #expect(change.number > last, "seed \(seed)")
                    last = change.number
                    switch change.kind {
                    case .insert:
                        // The trigger's update comes first and hides that a row replaced one with its own ID.
                        let isNew = replayed.insert(change.objectID).inserted
                        #expect(isNew || hasTrigger, "seed \(seed): \(script)")
                    case .delete: #expect(replayed.remove(change.objectID) != nil, "seed \(seed): \(script)")
                    case .update:
                        #expect(hasTrigger || replayed.contains(change.objectID), "seed \(seed): \(script)")
                    }
                }
                #expect(transaction.number >= last && !transaction.changes.isEmpty, "seed \(seed)")
            }
            try #require(replayed == present, "seed \(seed), round \(round):\n\(script)")
            token = newest
        }
        #expect(try Shell.run("sqlite3", [container.path, "PRAGMA integrity_check"]).output == "ok\n")
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
