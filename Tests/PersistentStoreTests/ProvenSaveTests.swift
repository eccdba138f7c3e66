import Glibc
import PersistentStore
import TestSupport
import Testing

/// Proof that a reported save is stored, for every kind of save and every interference by another program.
@Suite(.serialized) struct ProvenSaveTests {
    enum Fault: String, CaseIterable, Sendable {
        case none, noTriggers, alteredTrigger, rebuilt, unconstrained, ignored, undone, unrecorded,
            columnDropped
        case indexRemoved, logRemoved, logAndIndexRemoved, replaced, restoredInPlace, hardLink

        /// Whether the store repairs the fault, so that the save must succeed.
        var isRepaired: Bool {
            [.none, .noTriggers, .alteredTrigger, .rebuilt, .unconstrained].contains(self)
        }
    }

    enum Way: String, CaseIterable, Sendable {
        case insert, update, blindUpdate, delete, restore, cursor, insertAndCursor
        case batchInsert, batchSkip, batchReplace, batchUpdate, batchDelete
    }

    let store: FaultyStore

    init() async throws { store = try await FaultyStore() }

    /// By default, a third of them, with each fault and each way.
    static let cases: [(fault: Fault, way: Way)] = {
        let all = Fault.allCases.flatMap { fault in Way.allCases.map { (fault: fault, way: $0) } }
        let few = Fault.allCases.enumerated().flatMap { number, fault in
            Way.allCases.enumerated().filter { ($0.offset + number).isMultiple(of: 3) }
                .map { (fault: fault, way: $0.element) }
        }
        return LongProof.count(few.count, of: all.count, "saves after a fault") == all.count ? all : few
    }()

    @Test(arguments: cases)
    func `a reported save is in the store, and any other is a typed error`(fault: Fault, way: Way)
        async throws
    {
        try store.make(fault)
        do {
            try await store.save(way)
        } catch {
            let error = try #require(error as? StoreError)
            #expect(!fault.isRepaired, "\(error)")
            if case .other = error { Issue.record("\(error)") }
            #expect(!error.description.contains("SQLite code"), "\(error)")
            return
        }
        #expect(try store.has(way), "reported and not stored")
        guard fault.isRepaired, way != .cursor else { return }
        #expect(try await store.container.transactions().last?.changes.isEmpty == false)
        #expect(try await store.container.check().filter { $0 == .wrongTriggers(entity: "Note") } == [])
    }

    @Test func `a statement that stores nothing is an error that names the trigger`() async throws {
        try store.make(.ignored)
        let cause = "the triggers 'stop_delete', 'stop_insert', 'stop_update' on the table"
        for way in [Way.insert, .update, .blindUpdate, .delete, .batchInsert, .batchUpdate, .batchDelete] {
            await #expect(throws: StoreError.changeDiscarded(table: "Note", cause: cause)) {
                try await store.save(way)
            }
        }
        await #expect(
            throws: StoreError.changeDiscarded(
                table: "history_consumer", cause: "the trigger 'stop_cursor' on the table")
        ) { try await store.save(.cursor) }
    }

    @Test(arguments: [" AUTOINCREMENT", " STRICT", " NOT NULL"])
    func `a save restores a lost constraint, and the foreign keys of other tables`(lost: String) async throws
    {
        let table = "SELECT sql FROM sqlite_schema WHERE name = 'Note'"
        let before = try store.ask(table)
        _ = try store.ask(
            """
            CREATE TABLE mine (note INTEGER REFERENCES Note (id) ON DELETE CASCADE);
            INSERT INTO mine VALUES (1), (2)
            """)
        try store.rebuild { $0.replacing(lost, with: "") }
        #expect(try store.ask(table) != before)
        let context = store.container.makeContext(author: "app")
        _ = try await context.save(inserting: ["slug": "new"])
        #expect(try store.ask(table) == before)
        #expect(try store.ask("SELECT count(*) FROM mine") == "2")
        try await context.delete(ObjectID(entity: "Note", key: 1))
        try await context.save()
        #expect(try store.ask("SELECT group_concat(note) FROM mine") == "2")
    }

    @Test func `a save restores a constraint that ignores rows`() async throws {
        try store.rebuild { $0.replacing("\"slug\" TEXT", with: "\"slug\" TEXT UNIQUE ON CONFLICT IGNORE") }
        let context = store.container.makeContext(author: "app")
        await #expect(throws: StoreError.self) { try await context.save(inserting: ["slug": "0"]) }
        #expect(try store.ask("SELECT sql LIKE '%IGNORE%' FROM sqlite_schema WHERE name = 'Note'") == "0")
    }

    @Test func `a save that cannot restore a constraint says so, and the next one tries again`() async throws
    {
        // A rebuilt table has lost its indexes.
        try store.rebuild { $0 }
        _ = try store.ask("INSERT INTO Note (title, slug) VALUES ('double', '0')")
        for _ in 1...2 {
            let error = await #expect(throws: StoreError.self) { try await store.save(.insert) }
            #expect(error?.description.contains("share a value") == true, "\(String(describing: error))")
        }
        _ = try store.ask("DELETE FROM Note WHERE title = 'double'")
        try await store.save(.insert)
        #expect(try store.has(.insert))
    }

    @Test func `after a rebuild no ID is reused, older tokens expire, and changes are recorded`() async throws
    {
        let token = try await store.container.currentToken()
        let context = store.container.makeContext(author: "app")
        let last = try await context.save(inserting: ["title": "last"])
        try await context.delete(last)
        try await context.save()
        try store.make(.rebuilt)
        let next = try await context.save(inserting: ["title": "next"])
        #expect(next.key > last.key)
        await #expect(throws: StoreError.self) { try await store.container.read { try $0.check(token) } }
        let newest = try await store.container.transactions().last
        #expect(newest?.changes.map(\.objectID) == [next])
    }

    @Test func `a migration after a rebuild reuses no ID and expires older tokens`() async throws {
        let token = try await store.container.currentToken()
        let context = store.container.makeContext(author: "app")
        let last = try await context.save(inserting: ["title": "last"])
        try await context.delete(last)
        try await context.save()
        try store.make(.rebuilt)
        await store.container.close()
        let slug = AttributeDescription("slug", .text, isOptional: true, isUnique: true)
        let more = AttributeDescription("more", .text, isOptional: true)
        let container = try await Notes.open(
            store.folder, model: Notes.model(version: 2, more: [slug, more]))
        let next = try await container.makeContext(author: "app").save(inserting: ["title": "next"])
        #expect(next.key > last.key)
        await #expect(throws: StoreError.self) { try await container.read { try $0.check(token) } }
    }

    @Test func `opening restores triggers, the number of the last ID, constraints, and indexes`() async throws
    {
        let context = store.container.makeContext(author: "app")
        let last = try await context.save(inserting: ["title": "last", "slug": "x"])
        try await context.delete(last)
        try await context.save()
        let schema = "SELECT name, sql FROM sqlite_schema WHERE tbl_name = 'Note' ORDER BY name"
        let before = try store.ask(schema)
        try store.rebuild { $0.replacing(" AUTOINCREMENT", with: "") }
        #expect(try store.ask(schema) != before)
        let container = try await store.reopened()
        #expect(try store.ask(schema) == before)
        let next = try await container.makeContext(author: "app").save(inserting: ["title": "next"])
        #expect(next.key > last.key)
        // Its cursor is from the history before the gap.
        #expect(try await container.check() == [.expiredConsumer("reader")])
    }

    @Test func `a rebuilt table with columns of another program is refused, not cut`() async throws {
        try store.rebuild {
            $0.replacing(" AUTOINCREMENT", with: "").replacing(") STRICT", with: ", mood ANY) STRICT")
        }
        let error = await #expect(throws: StoreError.self) { try await store.reopened() }
        #expect(error?.description.contains("unknown columns mood") == true, "\(String(describing: error))")
        // A column added with ALTER TABLE does no harm.
        let other = try await FaultyStore()
        #expect(try other.ask("ALTER TABLE Note ADD COLUMN mood TEXT") == "")
        try await other.save(.insert)
        #expect(try other.has(.insert))
    }

    @Test func `a save that changes nothing is not committed`() async throws {
        let before = try store.ask("SELECT max(number) FROM history")
        let context = store.container.makeContext(author: "app")
        let object = try #require(try await context.object(ObjectID(entity: "Note", key: 1)))
        try await context.update(object.id, ["title": object["title"]])
        #expect(try await context.save().token == nil)
        try await context.update(object.id, ["rank": object["rank"]], onVersion: nil)
        #expect(try await context.save().token == nil)
        #expect(try store.ask("SELECT max(number) FROM history") == before)
    }
}

/// A store with three notes and a consumer, which another program damages.
final class FaultyStore: Sendable {
    let folder: TemporaryFolder
    let path: String
    let container: PersistentContainer

    init(options: StoreOptions = StoreOptions()) async throws {
        folder = try TemporaryFolder()
        path = folder.path(of: "notes.db")
        container = try await Notes.open(folder, model: Self.model(), options: options)
        _ = try await container.registerConsumer("reader")
        let context = container.makeContext(author: "app")
        for (number, title) in ["one", "two", "three"].enumerated() {
            try await context.insert("Note", ["title": .text(title), "slug": .text("\(number)")])
        }
        try await context.save()
    }

    static func model() throws -> StoreModel {
        try Notes.model(more: [AttributeDescription("slug", .text, isOptional: true, isUnique: true)])
    }

    func reopened() async throws -> PersistentContainer {
        await container.close()
        return try await Notes.open(folder, model: Self.model())
    }

    func ask(_ sql: String) throws -> String {
        let run = try Shell.run("sqlite3", [path], input: ".timeout 5000\n" + sql + ";\n")
        #expect(run.errors == "")
        return run.output.last == "\n" ? String(run.output.dropLast()) : run.output
    }

    /// The 12 steps of sqlite.org/lang_altertable.html#otheralter.
    func rebuild(_ change: (String) -> String = { $0 }) throws {
        let sql = try ask("SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = 'Note'")
        _ = try ask(
            """
            PRAGMA foreign_keys = OFF; BEGIN;
            \(change(sql.replacing("\"Note\"", with: "new_Note")));
            INSERT INTO new_Note (id, version, title, body, rank, created, slug)
            SELECT id, version, title, body, rank, created, slug FROM Note;
            DROP TABLE Note; ALTER TABLE new_Note RENAME TO Note; COMMIT
            """)
    }

    func make(_ fault: ProvenSaveTests.Fault) throws {
        switch fault {
        case .none: break
        case .noTriggers: try dropTriggers()
        case .alteredTrigger:
            _ = try ask(
                """
                DROP TRIGGER Note_records_insert;
                CREATE TRIGGER Note_records_insert AFTER INSERT ON Note BEGIN SELECT 1; END
                """)
        case .rebuilt: try rebuild()
        case .unconstrained:
            try rebuild {
                [" AUTOINCREMENT", " STRICT"].reduce($0) { $0.replacing($1, with: "") }
            }
        case .ignored:
            _ = try ask(
                """
                CREATE TRIGGER stop_insert BEFORE INSERT ON Note BEGIN SELECT RAISE(IGNORE); END;
                CREATE TRIGGER stop_update BEFORE UPDATE ON Note BEGIN SELECT RAISE(IGNORE); END;
                CREATE TRIGGER stop_delete BEFORE DELETE ON Note BEGIN SELECT RAISE(IGNORE); END;
                CREATE TRIGGER stop_cursor BEFORE UPDATE ON history_consumer BEGIN SELECT RAISE(IGNORE); END
                """)
        case .undone:
            _ = try ask(
                """
                CREATE TRIGGER undo_insert AFTER INSERT ON Note BEGIN DELETE FROM Note WHERE id = new.id; END;
                CREATE TRIGGER undo_update AFTER UPDATE OF title ON Note BEGIN DELETE FROM Note WHERE id = new.id; END;
                CREATE TRIGGER undo_delete AFTER DELETE ON Note WHEN old.title = 'three'
                BEGIN INSERT INTO Note (id, title) VALUES (old.id, 'three'); END;
                CREATE TRIGGER undo_cursor AFTER UPDATE ON history_consumer WHEN new.position > old.position
                BEGIN UPDATE history_consumer SET position = old.position WHERE name = new.name; END
                """)
        case .unrecorded:
            _ = try ask(
                "CREATE TRIGGER unrecorded BEFORE INSERT ON history WHEN new.kind < 3 BEGIN SELECT RAISE(IGNORE); END"
            )
        case .columnDropped:
            try dropTriggers()
            _ = try ask("ALTER TABLE Note DROP COLUMN body")
        case .indexRemoved: unlink(path + "-shm")
        case .logRemoved: unlink(path + "-wal")
        case .logAndIndexRemoved: for end in ["-wal", "-shm"] { unlink(path + end) }
        case .replaced:
            try copy()
            rename(folder.path(of: "copy.db"), path)
        case .restoredInPlace:
            try copy()
            for end in ["-wal", "-shm"] { unlink(path + end) }
            #expect(try Shell.run("cp", [folder.path(of: "copy.db"), path]).status == 0)
        case .hardLink: link(path, folder.path(of: "second.db"))
        }
    }

    private func copy() throws {
        let run = try Shell.run("sqlite3", [path, ".timeout 5000", ".backup \(folder.path(of: "copy.db"))"])
        #expect(run.status == 0 && run.errors == "", "\(run)")
    }

    private func dropTriggers() throws {
        let names = try ask("SELECT name FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = 'Note'")
        for name in names.split(separator: "\n") { _ = try ask("DROP TRIGGER \(name)") }
    }

    func save(_ way: ProvenSaveTests.Way) async throws {
        let context = container.makeContext(author: "app")
        let third = ObjectID(entity: "Note", key: 3)
        let keys = ObjectPredicate.keys([3])
        switch way {
        case .insert: _ = try await context.save(inserting: ["title": "saved"])
        case .update:
            _ = try await context.object(third)
            try await context.update(third, ["title": "saved"])
            try await context.save()
        case .blindUpdate:
            try await context.update(third, ["title": "saved"], onVersion: nil)
            try await context.save()
        case .delete:
            try await context.delete(third)
            try await context.save()
        case .restore:
            try await context.restore(ObjectID(entity: "Note", key: 77), ["title": "saved"])
            try await context.save()
        case .cursor:
            try await container.moveCursor(of: "reader", to: try await container.currentToken())
        case .insertAndCursor:
            let newest = try await container.currentToken()
            try await container.write(author: "app") { transaction throws(StoreError) in
                try transaction.insert("Note", ["title": "saved"])
                try transaction.moveCursor(of: "reader", to: newest)
            }
        case .batchInsert:
            try await container.execute(.insert("Note", rows: [["title": "saved"]]), author: "a")
        case .batchSkip, .batchReplace:
            var request = BatchRequest.insert("Note", rows: [["title": "saved", "slug": "new"]])
            request.duplicates = way == .batchSkip ? .skip : .replace
            let result = try await container.execute(request, author: "a")
            #expect(result.rows == 1 && result.skipped == 0)
        case .batchUpdate:
            let request = BatchRequest.update("Note", where: keys, set: ["title": "saved"])
            #expect(try await container.execute(request, author: "a").rows == 1)
        case .batchDelete:
            #expect(
                try await container.execute(.delete("Note", where: keys), author: "a").rows == 1)
        }
    }

    /// Whether another connection finds the reported save.
    func has(_ way: ProvenSaveTests.Way) throws -> Bool {
        switch way {
        case .insert, .batchInsert, .batchSkip, .batchReplace:
            try ask("SELECT count(*) FROM Note WHERE title = 'saved' AND id > 3") == "1"
        case .insertAndCursor:
            try ask(
                """
                SELECT (SELECT count(*) FROM Note WHERE title = 'saved') + (SELECT count(*) FROM history_consumer
                WHERE position > 1 AND name = 'reader')
                """) == "2"
        case .update, .blindUpdate, .batchUpdate:
            try ask("SELECT title FROM Note WHERE id = 3") == "saved"
        case .delete, .batchDelete: try ask("SELECT count(*) FROM Note WHERE id = 3") == "0"
        case .restore: try ask("SELECT title FROM Note WHERE id = 77") == "saved"
        case .cursor: try ask("SELECT position > 1 FROM history_consumer WHERE name = 'reader'") == "1"
        }
    }
}
