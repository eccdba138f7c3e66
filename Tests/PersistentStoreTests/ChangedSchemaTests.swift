import PersistentStore
import SQLite
import TestSupport
import Testing

/// Schema changes by another process while containers are open.
@Suite struct ChangedSchemaTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test func `an older program is refused after another process has migrated the store`() async throws {
        let container = try await Notes.open(folder)
        let context = container.makeContext(author: "old")
        let id = try await context.save(inserting: ["title": "a"])
        let newer = try StoreWriterProcess(container.path, author: "new", version: 2)
        #expect(try Int(newer.ask("insert 1")) != nil)
        let rejection = StoreError.newerStore(path: container.path)
        await #expect(throws: rejection) { try await container.objects() }
        await #expect(throws: rejection) { try await container.transactions() }
        try await context.update(id, ["title": "b"])
        await #expect(throws: rejection) { try await context.save() }
        await #expect(throws: rejection) {
            try await container.execute(.delete("Note"), author: "old")
        }
        #expect(await context.hasChanges)
        #expect(try newer.ask("count") == "2 objects, 2 transactions")
    }

    @Test func `a migration that changes no table is detected`() async throws {
        let old = try await Notes.open(folder, model: Notes.model(tracksHistory: false))
        #expect(try await old.objects().isEmpty)
        await (try Notes.open(folder, model: Notes.model(version: 2, tracksHistory: false))).close()
        await #expect(throws: StoreError.newerStore(path: old.path)) { try await old.objects() }
        await #expect(throws: StoreError.newerStore(path: old.path)) {
            try await old.makeContext(author: "old").save(inserting: ["title": "a"])
        }
    }

    @Test func `triggers of a newer version of the library are not replaced by older ones`() async throws {
        let container = try await Notes.open(folder)
        await container.close()
        let sql = """
            UPDATE store_metadata SET value = '1, tables 1, triggers 99' || substr(value, instr(value, char(10)))
            WHERE key = 'model';
            """
        #expect(try Shell.run("sqlite3", [container.path], input: sql).errors == "")
        await #expect(throws: StoreError.newerStore(path: container.path)) { try await Notes.open(folder) }
    }

    @Test func `a missing column is an error, never its name as a value`() async throws {
        let store = try await FaultyStore()
        #expect(try await store.container.objects().map { $0["body"] } == [.null, .null, .null])
        try store.make(.columnDropped)
        let missing = StoreError.schemaChanged(path: store.path, reason: "its Note has no body")
        await #expect(throws: missing) { try await store.container.objects() }
        await #expect(throws: missing) { try await store.save(.insert) }
        await #expect(throws: missing) { try await store.save(.batchInsert) }
        var options = StoreOptions()
        options.access = .readOnly
        await #expect(throws: StoreError.unreadableModel(path: store.path, reason: "its Note has no body")) {
            try await Notes.open(store.folder, model: FaultyStore.model(), options: options)
        }
        await #expect(throws: missing) { try await store.reopened() }
        #expect(try store.ask("SELECT count(*) FROM Note") == "3")
    }

    @Test func `a column added by another program does not stop an open container`() async throws {
        let store = try await FaultyStore()
        #expect(try store.ask("ALTER TABLE Note ADD COLUMN mood TEXT") == "")
        #expect(try await store.container.objects().count == 3)
        try await store.save(.insert)
        #expect(try store.has(.insert))
    }

    @Test func `a name in double quotes is a column, never text`() throws {
        let connection = try Connection(path: folder.path(of: "some.db"), access: .create)
        try connection.execute("CREATE TABLE some (known)")
        try connection.execute("INSERT INTO some VALUES (1)")
        #expect(try connection.integer("SELECT \"known\" FROM some") == 1)
        #expect(throws: SQLiteError.self) { try connection.integer("SELECT \"unknown\" FROM some") }
        #expect(throws: SQLiteError.self) {
            try connection.execute("CREATE INDEX other ON some (known) WHERE known = \"text\"")
        }
    }
}
