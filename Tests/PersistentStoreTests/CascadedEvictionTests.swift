import Foundation
import PersistentStore
import TestSupport
import Testing

/// An eviction by REPLACE that deletes, by a foreign key, the row that evicts: SQLite runs no AFTER trigger for that row.
@Suite struct CascadedEvictionTests {
    /// Deletes the rows 1 to 3. With recursive_triggers, SQLite rejects the change, so an insertion evicts row 4, too.
    private static func replace(_ table: String, _ isRecursive: Bool) -> String {
        """
        PRAGMA foreign_keys = ON;
        PRAGMA recursive_triggers = \(isRecursive ? "ON" : "OFF");
        \(isRecursive
            ? "REPLACE INTO \(table) (id, name) VALUES (4, 'a');" : "UPDATE OR REPLACE \(table) SET name = 'a' WHERE id = 2;")
        """
    }

    @Test(arguments: [false, true])
    func `the evicted object of a store is recorded`(isRecursive: Bool) async throws {
        let folder = try TemporaryFolder()
        let container = try await ReferenceTests.open(folder)
        let shell = try Shell.run(
            "sqlite3", [folder.path(of: "items.db")],
            input:
                "INSERT INTO Folder (id, name, parent) VALUES (1, 'a', NULL), (2, 'b', 1), (3, 'c', 2), (4, 'd', NULL);\n"
                + Self.replace("Folder", isRecursive))
        try #require(shell.errors.isEmpty)
        let changes = try await container.changes(HistoryFetchRequest()).filter { $0.kind == .delete }
        #expect(changes.map(\.objectID.key).sorted() == [1, 2, 3] + (isRecursive ? [4] : []))
        #expect(changes.contains { $0.tombstone?["name"] == .text("a") })
        #expect(try await container.fetch(FetchRequest("Folder")).map(\.id.key) == [4])
        let again = try Shell.run(
            "sqlite3", [folder.path(of: "items.db")],
            input: "INSERT INTO Folder (id, name) VALUES (1, 'x'); DELETE FROM Folder WHERE id = 1;")
        try #require(again.errors.isEmpty)
        let last = try await container.changes(HistoryFetchRequest()).suffix(2)
        #expect(last.map(\.kind) == [.insert, .delete])
        // The ID of the evicted object is one that has been used.
        let inserted = try await container.write(author: "a") { try $0.insert(Folder(name: "y")).id }
        #expect(inserted.key == 5)
    }

    @Test(
        arguments: ["id INTEGER PRIMARY KEY", "id INT PRIMARY KEY", "id INT NOT NULL PRIMARY KEY, WITHOUT"],
        [false, true])
    func `the evicted row of an attached table is recorded`(key: String, isRecursive: Bool) async throws {
        let column = key.replacing(", WITHOUT", with: "")
        let owned = try OwnedDatabase(
            """
            CREATE TABLE t (\(column), parent REFERENCES t ON DELETE CASCADE, name UNIQUE)\
            \(column == key ? "" : " WITHOUT ROWID");
            """)
        let container = try await owned.attach(["t"])
        try owned.run("INSERT INTO t VALUES (1, NULL, 'a'), (2, 1, 'b'), (3, 2, 'c'), (4, NULL, 'd');")
        let token = try await container.currentToken()
        try owned.run(Self.replace("t", isRecursive))
        let changes = try await owned.changes(container, after: token).sorted()
        #expect(
            changes.prefix(3) == [
                "delete t id=1: id=1,name='a',parent=NULL -> ", "delete t id=2: id=2,name='b',parent=1 -> ",
                "delete t id=3: id=3,name='c',parent=2 -> ",
            ])
        #expect(changes.count == (isRecursive ? 5 : 3))
        #expect(try owned.run("SELECT id FROM t") == "4\n")
        // In the same millisecond, too, an ID that comes back is deleted again.
        let again = try await container.currentToken()
        let statements = "INSERT INTO t VALUES (1, NULL, 'x'); DELETE FROM t WHERE id = 1;"
        try owned.run(statements + Self.replace("t", isRecursive) + statements)
        let kinds = try await owned.changes(container, after: again).map { $0.prefix(13) }
        #expect(kinds.count { $0 == "insert t id=1" } == 2 && kinds.count { $0 == "delete t id=1" } == 2)
    }

    @Test(arguments: [false, true])
    func `an eviction that changes rows by a foreign key is recorded once`(isRecursive: Bool) async throws {
        let settings =
            "PRAGMA foreign_keys = ON; PRAGMA recursive_triggers = \(isRecursive ? "ON" : "OFF");\n"
        let owned = try OwnedDatabase(
            "CREATE TABLE t (id INTEGER PRIMARY KEY, parent REFERENCES t ON DELETE SET NULL, name UNIQUE);")
        let attached = try await owned.attach(["t"])
        try owned.run(
            settings
                + "INSERT INTO t VALUES (1, NULL, 'a'), (2, 1, 'b'); REPLACE INTO t VALUES (9, NULL, 'a');")
        #expect(
            try await owned.changes(attached).suffix(3).sorted() == [
                "delete t id=1: id=1,name='a',parent=NULL -> ",
                "insert t id=9:  -> id=9,name='a',parent=NULL",
                "update t id=2: parent=1 -> id=2,name='b',parent=NULL",
            ])

        let folder = try TemporaryFolder()
        let model = try Notes.model(more: [
            AttributeDescription(
                "slug", .text, isOptional: true, isUnique: true, history: [.preservesValueOnDeletion]),
            AttributeDescription("parent", referencing: "Note", onDeletion: .nullify, isOptional: true),
        ])
        let container = try await Notes.open(folder, model: model)
        let shell = try Shell.run(
            "sqlite3", [container.path],
            input: settings + "INSERT INTO Note (id, slug, parent) VALUES (1, 'a', NULL), (2, 'b', 1); "
                + "REPLACE INTO Note (id, slug) VALUES (9, 'a');")
        try #require(shell.errors.isEmpty)
        let changes = try await container.changes(HistoryFetchRequest()).dropFirst(2)
        #expect(
            changes.map { "\($0.kind) \($0.objectID.key)" }.sorted() == ["delete 1", "insert 9", "update 2"])
        #expect(changes.first { $0.kind == .delete }?.tombstone?["slug"] == .text("a"))
    }

    @Test(arguments: ["id INTEGER PRIMARY KEY", "id TEXT NOT NULL PRIMARY KEY"])
    func `an upsert of many rows leaves few notes`(key: String) async throws {
        let end = key.contains("TEXT") ? " WITHOUT ROWID" : ""
        let owned = try OwnedDatabase("CREATE TABLE t (\(key), name UNIQUE, x)\(end);")
        let attached = try await owned.attach(["t"])
        try owned.run(
            """
            WITH RECURSIVE n (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 40)
            INSERT INTO t SELECT i, i, i FROM n;
            INSERT INTO t SELECT id, name, x FROM t WHERE true ON CONFLICT (id) DO UPDATE SET x = excluded.x + 1;
            INSERT INTO t SELECT id, name, x FROM t WHERE true ON CONFLICT (name) DO UPDATE SET x = excluded.x + 1;
            INSERT OR IGNORE INTO t SELECT id, name, 0 FROM t;
            """)
        // Each row compares the notes, whose number must not grow with the statement.
        #expect(try #require(Int(owned.run("SELECT count(*) FROM history_replaced_t").dropLast())) < 10)
        #expect(try await owned.changes(attached).count == 120)
    }

    /// Statements whose eviction of one row runs triggers of the owner or deletes the changed row itself, before they evict
    /// another row.
    private static let between = [
        // A row inserted between has a value of the first evicted row.
        (
            """
            CREATE TRIGGER o AFTER DELETE ON t WHEN old.id % 3 = 0 BEGIN
            INSERT OR IGNORE INTO t (id, u, w) VALUES (old.id + 2, '2', 'b'); END;
            """,
            """
            (3, 10, NULL, NULL), (5, NULL, NULL, NULL), (10, NULL, '2', '3'), (13, NULL, 1, NULL), (15, 3, NULL, NULL)
            """,
            "INSERT OR REPLACE INTO t (u, w, p, id) VALUES (1, '3', 5, 1)", [3, 10, 13, 15]
        ),
        // It is evicted itself.
        (
            """
            CREATE TRIGGER o AFTER DELETE ON t WHEN old.id % 3 = 0 BEGIN
            REPLACE INTO t (id, u, w) VALUES (old.id + 1, '2', 'b'); END;
            """, "(7, NULL, '2', NULL), (12, 7, NULL, NULL)", "REPLACE INTO t (w, u, id) VALUES (3, '2', 7)",
            [7, 12, 13]
        ),
        // A row changed between is evicted.
        (
            """
            CREATE TRIGGER o AFTER DELETE ON t BEGIN
            UPDATE OR REPLACE t SET u = old.w, w = old.u WHERE id = old.id + 2; END;
            """, "(9, NULL, 'c', NULL), (10, 9, NULL, 'c'), (12, NULL, NULL, NULL)",
            "REPLACE INTO t (u, id, p) VALUES ('c', 9, 9)", [9, 10, 12]
        ),
        // The eviction deletes the updated row, whose update evicts another one nevertheless.
        (
            "", "(1, NULL, NULL, NULL), (2, 1, NULL, NULL), (5, NULL, NULL, 1)",
            "UPDATE OR REPLACE t SET id = 1, w = 1, u = '', p = 1 WHERE id = 2", [1, 2, 5]
        ),
        // A trigger of the owner evicts the updated row, so that its change ends without a trigger.
        (
            """
            CREATE TRIGGER o AFTER DELETE ON t WHEN old.id % 3 = 0 BEGIN
            REPLACE INTO t (id, u, w) VALUES (old.id + 1, '2', 'b'); END;
            """, "(1, NULL, '2', NULL), (5, NULL, NULL, NULL), (24, 5, NULL, NULL)",
            "UPDATE OR REPLACE t SET id = 5 WHERE id = 1; INSERT INTO t (id) VALUES (100)", [1, 5, 24, 25]
        ),
    ]

    @Test(arguments: between.indices)
    func `a row evicted after another one is recorded, with any trigger between`(index: Int) async throws {
        let (trigger, rows, statement, deleted) = Self.between[index]
        let owned = try OwnedDatabase(
            "CREATE TABLE t (id INTEGER PRIMARY KEY, p REFERENCES t ON DELETE CASCADE, u UNIQUE, w UNIQUE);\n"
                + trigger)
        let container = try await owned.attach(["t"])
        try owned.run("INSERT INTO t VALUES \(rows); PRAGMA foreign_keys = ON; \(statement);")
        let changes = try await container.changes(HistoryFetchRequest())
        #expect(changes.filter { $0.kind == .delete }.map(\.objectID.key).sorted() == deleted.map(Int64.init))
    }

    private static let table =
        "CREATE TABLE t (id INTEGER PRIMARY KEY, parent REFERENCES t ON DELETE CASCADE, name UNIQUE, x"

    @Test func `a deleted row that an ignored insertion noted has its last values`() async throws {
        // The statements of a trigger have the same time.
        let owned = try OwnedDatabase(
            Self.table + """
                );
                CREATE TABLE w (x);
                CREATE TRIGGER o AFTER INSERT ON w BEGIN
                INSERT OR IGNORE INTO t (name) VALUES ('a'); UPDATE t SET x = 'new' WHERE id = 1;
                DELETE FROM t WHERE id = 1;
                END;
                """)
        let container = try await owned.attach(["t"])
        try owned.run(
            "PRAGMA foreign_keys = ON; INSERT INTO t VALUES (1, NULL, 'a', 'old'), (2, 1, 'b', 'y'); INSERT INTO w VALUES (1);"
        )
        #expect(
            try await owned.changes(container).suffix(3) == [
                "update t id=1: x='old' -> id=1,name='a',parent=NULL,x='new'",
                "delete t id=2: id=2,name='b',parent=1,x='y' -> ",
                "delete t id=1: id=1,name='a',parent=NULL,x='new' -> ",
            ])
    }

    @Test func `a row that an owner's trigger inserts under the number of a deleted one hides no deletion`()
        async throws
    {
        let owned = try OwnedDatabase(
            Self.table.replacing("INTEGER", with: "INT") + """
                );
                CREATE TRIGGER o AFTER DELETE ON t WHEN old.id = 2 BEGIN INSERT INTO t VALUES (2, NULL, 'r', 0); END;
                """)
        let container = try await owned.attach(["t"])
        try owned.run(
            """
            PRAGMA foreign_keys = ON;
            INSERT INTO t VALUES (1, NULL, 'a', 1), (2, 1, 'b', 2), (3, 2, 'c', 3), (4, 3, 'd', 4);
            DELETE FROM t WHERE id = 1;
            """)
        var live: Set<AttributeValue> = []
        for change in try await container.changes(HistoryFetchRequest()) {
            guard let id = change.key["id"] else { continue }
            if change.kind == .delete { live.remove(id) } else { live.insert(id) }
        }
        #expect(try owned.run("SELECT id FROM t") == "2\n")
        #expect(live == [.integer(2)])
    }

    @Test func `a row that gets another number only is not deleted`() async throws {
        let owned = try OwnedDatabase("CREATE TABLE t (k TEXT PRIMARY KEY, name UNIQUE);")
        let container = try await owned.attach(["t"])
        try owned.run(
            """
            INSERT INTO t VALUES ('a', 'b'); INSERT OR IGNORE INTO t VALUES ('a', 'c');
            UPDATE t SET rowid = 9; UPDATE t SET name = 'd';
            """)
        #expect(try await owned.changes(container).map { $0.prefix(6) } == ["insert", "update"])
    }
}
