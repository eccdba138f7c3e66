import PersistentStore
import TestSupport
import Testing

/// Rows of another program's tables, in transactions of this library.
@Suite struct AttachedRowTests {
    @Test func `a transaction reads and changes rows by their keys`() async throws {
        let owned = try OwnedDatabase(
            """
            CREATE TABLE t (k TEXT, n INTEGER, v, PRIMARY KEY (k, n)) WITHOUT ROWID; CREATE TABLE log (t);
            CREATE TABLE i (id INTEGER PRIMARY KEY, a NOT NULL, g AS (a || '!')); CREATE TABLE u (a);
            CREATE TRIGGER o AFTER UPDATE ON i BEGIN INSERT INTO log VALUES (new.id); END;
            """)
        let container = try await owned.attach(["t", "i", "u"])
        let (keys, row, isDone) = try await container.write(author: "me") { transaction throws(StoreError) in
            let keys = [
                // The key is the stored one: the column turns the text into a number.
                try transaction.insertRow(into: "T", ["k": .text("x"), "n": .text("7"), "v": .null]),
                try transaction.insertRow(into: "i", ["a": .integer(1)]),
                try transaction.insertRow(into: "u", ["a": .integer(1)]),
            ]
            let row = try transaction.row(of: "t", keys[0])
            let isDone = [
                try transaction.updateRow(of: "t", keys[0], ["v": .blob([0]), "n": .integer(8)]),
                try transaction.updateRow(of: "t", keys[0], ["v": .null]),
                try transaction.updateRow(of: "i", keys[1], ["a": .integer(1)]),
                try transaction.deleteRow(of: "u", keys[2]), try transaction.deleteRow(of: "u", keys[2]),
            ]
            return (keys, row, isDone)
        }
        #expect(row == ["k": .text("x"), "n": .integer(7), "v": .null])
        #expect(isDone == [true, false, true, true, false])
        #expect(keys[1...] == [["id": .integer(1)], ["rowid": .integer(1)]])
        let saved = try await container.transactions().last
        #expect(saved?.author == "me")
        #expect(
            saved?.changes.map(OwnedDatabase.line) == [
                "insert t k='x',n=7:  -> k='x',n=7,v=NULL", "insert i id=1:  -> a=1,id=1",
                "insert u rowid=1:  -> a=1", "delete t k='x',n=7: k='x',n=7,v=NULL ->  >",
                "insert t k='x',n=8:  -> k='x',n=8,v=x0 <", "delete u rowid=1: a=1 -> ",
            ])
        // The owner's trigger ran although no recorded value changed.
        try await container.write(author: nil) { transaction throws(StoreError) in
            _ = try transaction.updateRow(of: "i", ["id": .integer(1)], ["a": .integer(1)])
        }
        #expect(try owned.run("SELECT * FROM log") == "1\n1\n")
        #expect(try await container.transactions().count == 1)
        for (table, values) in [
            ("log", [:]), ("i", ["a": AttributeValue.null]), ("i", ["a": .integer(1), "g": .null]),
            ("i", ["id": .integer(1), "a": .integer(2)]),
        ] {
            await #expect(throws: StoreError.self) {
                try await container.write(author: nil) { transaction throws(StoreError) in
                    _ = try transaction.insertRow(into: table, values)
                }
            }
        }
        for key in [["k": AttributeValue.text("x")], ["k": .text("x"), "v": .null]] {
            await #expect(throws: StoreError.self) {
                try await container.write(author: nil) { transaction throws(StoreError) in
                    _ = try transaction.deleteRow(of: "t", key)
                }
            }
        }
        #expect(try await container.transactions().count == 1)
    }

    @Test func `cleaning leaves no value of a row in the history`() async throws {
        let owned = try OwnedDatabase("CREATE TABLE t (a UNIQUE);")
        let container = try await owned.attach(["t"])
        try owned.run(
            "INSERT INTO t VALUES ('secret'); INSERT OR IGNORE INTO t VALUES ('secret'); DELETE FROM t;")
        #expect(try await container.purgeHistory(maximumAge: .zero).changes == 2)
        #expect(
            try owned.run(
                "SELECT count(*) FROM history WHERE v0 NOT NULL OR o0 NOT NULL; SELECT count(*) FROM history_replaced_t"
            ) == "0\n0\n")
    }
}
