import Foundation
import PersistentStore
import TestSupport
import Testing

/// A database that another program owns, whose tables are recorded.
struct OwnedDatabase {
    let folder: TemporaryFolder
    let path: String

    init(_ sql: String) throws {
        folder = try TemporaryFolder()
        path = folder.path(of: "owned.db")
        try run(sql)
    }

    @discardableResult
    func run(_ sql: String) throws -> String {
        let shell = try Shell.run("sqlite3", ["-cmd", ".timeout 10000", path], input: sql)
        try #require(shell.errors.isEmpty, "\(shell.errors) of \(sql)")
        return shell.output
    }

    func dump() throws -> String { try run(".dump") }

    func attach(_ tables: [String]? = nil, _ values: RecordedValues = .rows) async throws
        -> PersistentContainer
    {
        try await PersistentContainer(attachingTo: path, tables: tables, values: values, allowsWAL: true)
    }

    /// The changes after a token, as `insert t {id: 1} …`.
    func changes(_ container: PersistentContainer, after token: HistoryToken? = nil) async throws -> [String]
    {
        let start = token.map { HistoryFetchRequest.Start.after($0) } ?? .beginning
        return try await container.changes(HistoryFetchRequest(start)).map(Self.line)
    }

    static func line(_ change: HistoryChange) -> String {
        func text(_ values: [String: AttributeValue]) -> String {
            values.sorted { $0.key < $1.key }.map { "\($0.key)=\(word($0.value))" }.joined(separator: ",")
        }
        let before = change.kind == .delete ? change.tombstone ?? [:] : change.oldValues
        let link = change.counterpart.map { $0 > change.number ? " >" : " <" } ?? ""
        return "\(change.kind) \(change.objectID.entity) \(text(change.key)): "
            + "\(text(before)) -> \(text(change.newValues))\(link)"
    }

    static func word(_ value: AttributeValue) -> String {
        switch value {
        case .null: "NULL"
        case .integer(let value): "\(value)"
        case .real(let value): "\(value)"
        case .text(let value): "'\(value)'"
        case .blob(let value): "x\(value.map { String($0, radix: 16) }.joined())"
        }
    }
}

@Suite struct AttachedTableTests {
    @Test func `insert update and delete are recorded with the row before and after`() async throws {
        let owned = try OwnedDatabase("CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT, b);")
        let container = try await owned.attach(["t"])
        try owned.run(
            """
            INSERT INTO t VALUES (1, 'x', 1); UPDATE t SET b = 1.0; UPDATE t SET a = a; UPDATE t SET a = NULL;
            DELETE FROM t;
            """)
        let changes = try await owned.changes(container)
        #expect(
            changes == [
                "insert t id=1:  -> a='x',b=1,id=1", "update t id=1: b=1 -> a='x',b=1.0,id=1",
                "update t id=1: a='x' -> a=NULL,b=1.0,id=1", "delete t id=1: a=NULL,b=1.0,id=1 -> ",
            ], "\(changes)")
    }

    @Test(arguments: RecordedValues.allCases)
    func `values are those that were requested`(_ values: RecordedValues) async throws {
        let owned = try OwnedDatabase("CREATE TABLE t (k TEXT PRIMARY KEY NOT NULL, a, c) WITHOUT ROWID;")
        let container = try await owned.attach(["t"], values)
        try owned.run("INSERT INTO t VALUES ('k', 1, 2); UPDATE t SET a = 3; DELETE FROM t;")
        let (old, new) = (values != .names, values == .rows)
        #expect(
            try await owned.changes(container) == [
                "insert t k='k':  -> \(new ? "a=1,c=2,k='k'" : "")",
                "update t k='k': \(old ? "a=1" : "") -> \(new ? "a=3,c=2,k='k'" : "")",
                "delete t k='k': \(old ? "a=3,c=2,k='k'" : "") -> ",
            ])
        #expect(try await container.changes(HistoryFetchRequest())[1].updatedAttributes == ["a"])
    }

    /// The keys of a table, the statements, and the changes.
    static let evictions: [(String, String, [String])] = [
        (
            "CREATE TABLE t (id INTEGER PRIMARY KEY, u UNIQUE, v UNIQUE); INSERT INTO t VALUES (1, 'a', 'b'), (2, 'c', 'd');",
            "REPLACE INTO t VALUES (3, 'a', 'd');", ["delete t id=1", "delete t id=2", "insert t id=3"]
        ),
        (
            "CREATE TABLE t (id INTEGER PRIMARY KEY, u UNIQUE); INSERT INTO t VALUES (1, 'a'), (2, 'b');",
            "UPDATE OR REPLACE t SET u = 'b' WHERE id = 1;", ["delete t id=2", "update t id=1"]
        ),
        (
            "CREATE TABLE t (id INTEGER PRIMARY KEY, u); INSERT INTO t VALUES (1, 'a'), (2, 'b');",
            "UPDATE OR REPLACE t SET id = 2 WHERE id = 1;",
            ["delete t id=2", "delete t id=1 >", "insert t id=2 <"]
        ),
        (
            "CREATE TABLE t (k TEXT PRIMARY KEY COLLATE NOCASE, u) WITHOUT ROWID; INSERT INTO t VALUES ('a', 1);",
            "REPLACE INTO t VALUES ('A', 2);", ["delete t k='a'", "insert t k='A'"]
        ),
        (
            "CREATE TABLE t (k TEXT PRIMARY KEY COLLATE NOCASE, u) WITHOUT ROWID; INSERT INTO t VALUES ('a', 1);",
            "UPDATE t SET k = 'A';", ["delete t k='a' >", "insert t k='A' <"]
        ),
        (
            "CREATE TABLE t (k PRIMARY KEY, u NOT NULL DEFAULT 'x' UNIQUE); INSERT INTO t VALUES ('a', 'x');",
            "INSERT OR REPLACE INTO t VALUES ('b', NULL);", ["delete t k='a'", "insert t k='b'"]
        ),
        (
            """
            CREATE TABLE t (k INTEGER PRIMARY KEY, a, b); CREATE UNIQUE INDEX i ON t (a) WHERE b > 0 -- c;
            ; INSERT INTO t VALUES (1, 'x', 1), (2, 'x', 0);
            """, "UPDATE OR REPLACE t SET b = 1 WHERE k = 2;", ["delete t k=1", "update t k=2"]
        ),
        (
            """
            CREATE TABLE t (k INTEGER PRIMARY KEY, a, g GENERATED ALWAYS AS (lower(a)) UNIQUE);
            INSERT INTO t (k, a) VALUES (1, 'X');
            """, "REPLACE INTO t (k, a) VALUES (2, 'x');", ["delete t k=1", "insert t k=2"]
        ),
        (
            """
            CREATE TABLE t (k INTEGER PRIMARY KEY, p REFERENCES t ON DELETE CASCADE, u UNIQUE);
            INSERT INTO t VALUES (1, NULL, 'a'), (2, 1, 'b');
            """, "PRAGMA foreign_keys = ON; REPLACE INTO t VALUES (3, NULL, 'a');",
            ["delete t k=2", "delete t k=1", "insert t k=3"]
        ),
        (
            "CREATE TABLE t (a UNIQUE, b); INSERT INTO t VALUES ('a', 1);", "REPLACE INTO t VALUES ('a', 2);",
            ["delete t rowid=1", "insert t rowid=2"]
        ),
        (
            "CREATE TABLE t (a, b, PRIMARY KEY (b, a)); INSERT INTO t VALUES (1, NULL), (1, 2);",
            "INSERT INTO t VALUES (1, 2) ON CONFLICT DO UPDATE SET a = 5;",
            ["delete t a=1,b=2 >", "insert t a=5,b=2 <"]
        ),
        (
            "CREATE TABLE t (k INTEGER PRIMARY KEY, u UNIQUE); INSERT INTO t VALUES (1, 'a'), (2, 'b');",
            "INSERT OR IGNORE INTO t VALUES (2, 'x'), (3, 'a'), (4, 'c'); DELETE FROM t WHERE k = 2; VACUUM; INSERT INTO t VALUES (5, 'y');",
            ["insert t k=4", "delete t k=2", "insert t k=5"]
        ),
    ]

    @Test(arguments: [false, true], evictions.indices)
    func `evicted rows are deletions`(isRecursive: Bool, index: Int) async throws {
        let (schema, statement, expected) = Self.evictions[index]
        let owned = try OwnedDatabase(schema)
        let container = try await owned.attach(["t"], .oldValues)
        try owned.run("PRAGMA recursive_triggers = \(isRecursive ? "ON" : "OFF"); \(statement)")
        let changes = try await owned.changes(container).map { line in
            String(line.prefix { $0 != ":" })
                + (line.hasSuffix(" >") ? " >" : line.hasSuffix(" <") ? " <" : "")
        }
        // A cascade follows the row that caused it if deletion triggers fire for an evicted one.
        #expect(isRecursive ? changes.sorted() == expected.sorted() : changes == expected)
    }

    @Test func `detaching leaves the schema and the rows byte for byte`() async throws {
        let owned = try OwnedDatabase(
            """
            CREATE TABLE "a ""b" ("select" INTEGER PRIMARY KEY AUTOINCREMENT, "x'y", "😀" UNIQUE);
            CREATE TABLE log (t); CREATE INDEX i ON log (t); CREATE VIEW v AS SELECT * FROM log;
            CREATE TRIGGER g AFTER INSERT ON "a ""b" BEGIN INSERT INTO log VALUES (new."😀"); END;
            INSERT INTO "a ""b" VALUES (7, 1, 2); ANALYZE;
            """)
        let before = try owned.dump()
        let container = try await owned.attach(["a \"b", "LOG"])
        try await container.detach(tables: ["log"])
        try owned.run(
            "INSERT INTO \"a \"\"b\" (\"x'y\") VALUES (5); DELETE FROM \"a \"\"b\" WHERE \"x'y\" = 5; ANALYZE"
        )
        #expect(try await owned.changes(container).count == 2)
        try await container.detach()
        try owned.run("DELETE FROM log WHERE t IS NULL; UPDATE sqlite_sequence SET seq = 7; ANALYZE;")
        #expect(try owned.dump() == before)
        #expect(!FileManager.default.fileExists(atPath: owned.path + "-doorbell"))
    }

    static let refusals = [
        ("CREATE VIEW t AS SELECT 1;", "is a view"),
        ("CREATE VIRTUAL TABLE t USING fts5(a);", "is a virtual table"),
        ("CREATE VIRTUAL TABLE x USING fts5(a); CREATE TABLE t(a);", nil),
        ("CREATE TABLE t (rowid, oid, _rowid_);", "hide all names of the row number"),
        ("CREATE TABLE t (a); CREATE UNIQUE INDEX i ON t (lower(a));", "of an expression"),
        ("CREATE TABLE t (a); CREATE TABLE history (b);", "has the name of a part of the history"),
        (
            "CREATE TABLE t (a UNIQUE); CREATE TABLE u (b); CREATE TRIGGER g BEFORE INSERT ON t BEGIN INSERT INTO u VALUES (1); END; CREATE TRIGGER h AFTER INSERT ON u BEGIN UPDATE t SET a = 2; END;",
            "writes 't' before"
        ),
        (
            "CREATE TABLE t (a UNIQUE); CREATE TRIGGER g BEFORE INSERT ON t BEGIN DELETE FROM t WHERE a = new.a; END; CREATE TRIGGER h BEFORE DELETE ON t BEGIN UPDATE t SET a = 2; END;",
            "writes 't' before"
        ),
        ("CREATE TABLE t (\((0..<63).map { "c\($0)" }.joined(separator: ", ")));", "more than 62 columns"),
        ("CREATE TABLE t (\((0..<2000).map { "c\($0)" }.joined(separator: ", ")));", "more than 62 columns"),
        ("CREATE TABLE u (a);", "has no table 't'"),
    ]

    @Test(arguments: refusals.indices)
    func `a table that cannot be recorded truly is refused`(index: Int) async throws {
        let (schema, reason) = Self.refusals[index]
        let owned = try OwnedDatabase(schema)
        let before = try owned.dump()
        do {
            _ = try await owned.attach(["t"])
            #expect(reason == nil)
        } catch StoreError.cannotAttach(_, let text) {
            #expect(text.contains(reason ?? "nothing"), "\(text)")
            #expect(try owned.dump() == before)
        }
    }

    @Test func `parts of a virtual table are refused`() async throws {
        let owned = try OwnedDatabase("CREATE VIRTUAL TABLE x USING fts5(a);")
        await #expect(throws: StoreError.self) { try await owned.attach(["x_data"]) }
        #expect(try PersistentContainer.attachableTables(in: owned.path).allSatisfy { $0.refusal != nil })
    }

    @Test func `WAL mode is asked for first and each database is opened by the right call`() async throws {
        let owned = try OwnedDatabase("CREATE TABLE t (a);")
        await #expect(throws: StoreError.needsWAL(path: owned.path)) {
            try await PersistentContainer(attachingTo: owned.path, tables: ["t"])
        }
        #expect(try owned.run("PRAGMA journal_mode") == "delete\n")
        await #expect(throws: StoreError.notAttached(path: owned.path)) { try await owned.attach() }
        _ = try await owned.attach(["t"])
        await #expect(throws: StoreError.attached(path: owned.path)) {
            try await PersistentContainer(path: owned.path, model: Notes.model())
        }
        let folder = try TemporaryFolder()
        let store = try await Notes.open(folder)
        await #expect(throws: StoreError.isStore(path: store.path)) {
            try await PersistentContainer(attachingTo: store.path, tables: ["Note"])
        }
    }

    @Test func `changed tables are followed or expire all tokens`() async throws {
        let owned = try OwnedDatabase(
            "CREATE TABLE t (id INTEGER PRIMARY KEY, a, b); CREATE TABLE n (x); INSERT INTO n VALUES (1);")
        let container = try await owned.attach(["t", "n"])
        var token = try await container.currentToken()
        // Renamed columns and tables keep their history; other tables, without keys, expire tokens after VACUUM only.
        try await container.detach(tables: ["n"])
        try owned.run(
            "INSERT INTO t VALUES (1, 2, 3); ALTER TABLE t RENAME COLUMN a TO \"new\"; ALTER TABLE t RENAME TO u;"
        )
        try owned.run("UPDATE u SET \"new\" = 4")
        #expect(
            try await owned.changes(container, after: token) == [
                "insert u id=1:  -> b=3,id=1,new=2", "update u id=1: new=2 -> b=3,id=1,new=4",
            ])
        token = try await container.currentToken()
        for change in [
            "ALTER TABLE u ADD COLUMN c DEFAULT 7", "UPDATE u SET c = 8",
            "CREATE TABLE w (id INTEGER PRIMARY KEY, b, c); INSERT INTO w SELECT id, b, c FROM u; DROP TABLE u; ALTER TABLE w RENAME TO u",
            "DROP TABLE u",
        ] {
            try owned.run(change)
            if change.hasPrefix("UPDATE") { continue }
            await #expect(throws: StoreError.self, "\(change)") {
                try await container.changes(HistoryFetchRequest(.after(token)))
            }
            token = try await container.currentToken()
            guard !change.hasPrefix("DROP") else { continue }
            try owned.run("UPDATE u SET c = c + 1")
            #expect(try await owned.changes(container, after: token).count == 1)
            token = try await container.currentToken()
        }
        let tables = try await container.read { try $0.attachedTables() }
        #expect(tables.map(\.refusal).allSatisfy { $0 != nil })
    }

    @Test func `VACUUM expires the tokens of tables without a key only`() async throws {
        for (schema, expires) in [
            ("t (a)", true), ("t (k TEXT PRIMARY KEY)", false), ("t (k PRIMARY KEY) WITHOUT ROWID", false),
        ] {
            let owned = try OwnedDatabase("CREATE TABLE \(schema); INSERT INTO t VALUES (1);")
            let container = try await owned.attach(["t"])
            let token = try await container.currentToken()
            try owned.run("VACUUM")
            do {
                _ = try await container.changes(HistoryFetchRequest(.after(token)))
                #expect(!expires, "\(schema)")
            } catch StoreError.tokenExpired {
                #expect(expires, "\(schema)")
            }
        }
    }

    @Test func `a change is undone unless its row was changed later`() async throws {
        let owned = try OwnedDatabase(
            "CREATE TABLE t (k TEXT PRIMARY KEY, a) WITHOUT ROWID; CREATE TABLE i (id INTEGER PRIMARY KEY, a);"
        )
        let container = try await owned.attach(["t", "i"], .oldValues)
        try owned.run(
            """
            INSERT INTO t VALUES ('x', x'00ff'); UPDATE t SET a = 2.5; DELETE FROM t;
            INSERT INTO i VALUES (1, 1); UPDATE i SET a = 2; DELETE FROM i;
            """)
        let numbers = try await container.changes(HistoryFetchRequest()).map(\.number)
        await #expect(throws: StoreError.self) {
            try await container.revert(changes: [numbers[1]], author: nil)
        }
        try await container.revert(changes: [numbers[1], numbers[2], numbers[5]], author: "me")
        #expect(try owned.run("SELECT k, quote(a) FROM t; SELECT * FROM i") == "x|X'00FF'\n1|2\n")
        // The undone changes are later ones, too.
        await #expect(throws: StoreError.self) {
            try await container.revert(changes: [numbers[0]], author: nil)
        }
        let all = try await container.changes(HistoryFetchRequest(changes: .entity("t"))).map(\.number)
        try await container.revert(changes: Set(all), author: "me")
        #expect(try owned.run("SELECT count(*) FROM t") == "0\n")
        let last = try await container.transactions().last
        #expect(last?.author == "me" && last?.changes.count == 5)
    }

    @Test func `a first copy continues with the changes after it`() async throws {
        let owned = try OwnedDatabase(
            """
            CREATE TABLE t (a TEXT, b, PRIMARY KEY (b, a)) WITHOUT ROWID;
            WITH c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < 600) INSERT INTO t SELECT x, x / 7 FROM c;
            """)
        let container = try await owned.attach(["t"])
        let (token, count) = try await container.read { snapshot in
            var keys: Set<[String: AttributeValue]> = []
            let tables = try snapshot.attachedTables()
            try snapshot.forEachRow(of: tables[0].name) { key, _ in keys.insert(key).inserted }
            return (try snapshot.newestToken(), keys.count)
        }
        #expect(count == 600)
        try owned.run("DELETE FROM t WHERE a = '5'")
        #expect(try await owned.changes(container, after: token) == ["delete t a='5',b=0: a='5',b=0 -> "])
    }
}
