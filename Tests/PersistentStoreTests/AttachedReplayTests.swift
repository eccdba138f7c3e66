import Foundation
import PersistentStore
import TestSupport
import Testing

/// Random statements by Python and the `sqlite3` shell on tables of many kinds, whose recorded changes, applied to an
/// empty database, must give an equal one at each sampled commit.
@Suite struct AttachedReplayTests {
    struct Schema: Sendable, CustomStringConvertible {
        let description: String
        let sql: String
        /// The columns that statements set.
        let columns: [String]
        /// The name of the row number, if statements can set it.
        var row = "rowid"
        var table = "t"
        var types = "any"
        /// Whether triggers or foreign keys change a row before the triggers of the history run, so that an update can come
        /// before the insertion of its row.
        var isTolerant = false
        /// Temporary triggers of the owner's connections.
        var temporary = ""
    }

    static let schemas: [Schema] = [
        Schema(
            description: "integer key", sql: "CREATE TABLE t (id INTEGER PRIMARY KEY, u UNIQUE, v)",
            columns: ["id", "u", "v"]),
        Schema(
            description: "AUTOINCREMENT and NOCASE",
            sql:
                "CREATE TABLE t (id INTEGER PRIMARY KEY AUTOINCREMENT, u TEXT COLLATE NOCASE UNIQUE, v REAL)",
            columns: ["id", "u", "v"]),
        Schema(
            description: "text key without row numbers",
            sql: "CREATE TABLE t (k TEXT PRIMARY KEY, u UNIQUE, v) WITHOUT ROWID",
            columns: ["k", "u", "v"], row: ""),
        Schema(
            description: "composite NOCASE key without row numbers",
            sql: "CREATE TABLE t (a TEXT COLLATE NOCASE, b, v, PRIMARY KEY (b, a)) WITHOUT ROWID",
            columns: ["a", "b", "v"],
            row: ""),
        Schema(
            description: "text key with NULL", sql: "CREATE TABLE t (k TEXT PRIMARY KEY, u UNIQUE, v)",
            columns: ["k", "u", "v"]),
        Schema(
            description: "composite key with NULL",
            sql: "CREATE TABLE t (a, b COLLATE RTRIM, v, PRIMARY KEY (a, b))",
            columns: ["a", "b", "v"]),
        Schema(description: "no key", sql: "CREATE TABLE t (a, b, v)", columns: ["a", "b", "v"]),
        Schema(
            description: "no key, unique pairs", sql: "CREATE TABLE t (a, b, v UNIQUE, UNIQUE (a, b))",
            columns: ["a", "b", "v"]),
        Schema(
            description: "STRICT",
            sql: "CREATE TABLE t (id INTEGER PRIMARY KEY, u TEXT UNIQUE, v ANY, w INT) STRICT",
            columns: ["id", "u", "v", "w"]),
        Schema(
            description: "generated columns",
            sql:
                "CREATE TABLE t (k TEXT PRIMARY KEY, g AS (lower(k)) UNIQUE, v, s AS (v || 'x') STORED UNIQUE)",
            columns: ["k", "v"]),
        Schema(
            description: "partial indexes",
            sql: """
                CREATE TABLE t (id INTEGER PRIMARY KEY, a, b, "it's"); CREATE UNIQUE INDEX i ON t (a) WHERE b > 2;
                CREATE UNIQUE INDEX j ON t ("it's", b) WHERE "it's" IS NOT 'where' /* ( */ AND a IS NULL -- end
                """, columns: ["id", "a", "b", "\"it's\""]),
        Schema(
            description: "rows that delete rows of their own table",
            sql:
                "CREATE TABLE t (id INTEGER PRIMARY KEY, p REFERENCES t ON DELETE CASCADE ON UPDATE CASCADE, u UNIQUE)",
            columns: ["id", "p", "u"], isTolerant: true),
        Schema(
            description: "rows that change rows of their own table",
            sql: """
                CREATE TABLE t (k TEXT PRIMARY KEY, p REFERENCES t ON DELETE SET NULL ON UPDATE CASCADE, u UNIQUE)
                WITHOUT ROWID
                """, columns: ["k", "p", "u"], row: "", isTolerant: true),
        Schema(
            description: "triggers of the owner after a change",
            sql: """
                CREATE TABLE t (id INTEGER PRIMARY KEY, u UNIQUE, v);
                CREATE TRIGGER o1 AFTER INSERT ON t BEGIN UPDATE t SET v = coalesce(v, 0) || '+' WHERE id = new.id; END;
                CREATE TRIGGER o2 AFTER INSERT ON t WHEN new.u = 'a' BEGIN DELETE FROM t WHERE id = new.id; END;
                CREATE TRIGGER o3 AFTER UPDATE OF u ON t WHEN new.id < 3 BEGIN UPDATE OR REPLACE t SET id = id + 3
                WHERE id = new.id; END;
                CREATE TRIGGER o4 AFTER DELETE ON t WHEN old.id % 2 BEGIN INSERT OR IGNORE INTO t VALUES (old.id, 'b', 1); END;
                CREATE TRIGGER o5 AFTER INSERT ON t WHEN new.v = 3 BEGIN SELECT RAISE(FAIL, 'three'); END
                """, columns: ["id", "u", "v"], isTolerant: true),
        Schema(
            description: "triggers of the owner between evictions",
            sql: """
                CREATE TABLE t (id INTEGER PRIMARY KEY, p REFERENCES t ON DELETE CASCADE, u UNIQUE, w UNIQUE);
                CREATE TRIGGER o1 BEFORE DELETE ON t BEGIN UPDATE t SET u = u || '.', w = w || '.' WHERE id = old.id + 1; END;
                CREATE TRIGGER o2 AFTER DELETE ON t WHEN old.id % 3 = 0 BEGIN INSERT OR IGNORE INTO t (id, u, w)
                VALUES (old.id + 2, '2', 'b'); END
                """, columns: ["id", "p", "u", "w"], isTolerant: true),
        Schema(
            description: "triggers of the owner before a change",
            sql: """
                CREATE TABLE t (k TEXT PRIMARY KEY, u UNIQUE, v);
                CREATE TRIGGER o1 BEFORE INSERT ON t BEGIN DELETE FROM t WHERE u = new.u; END;
                CREATE TRIGGER o2 BEFORE UPDATE ON t WHEN new.v = 2 BEGIN SELECT RAISE(IGNORE); END;
                CREATE TRIGGER o3 BEFORE DELETE ON t WHEN old.v = 1 BEGIN DELETE FROM t WHERE u = 'c'; END
                """, columns: ["k", "u", "v"]),
        Schema(
            description: "defaults and conflict clauses",
            sql: """
                CREATE TABLE t (id INTEGER PRIMARY KEY ON CONFLICT REPLACE, u NOT NULL ON CONFLICT REPLACE DEFAULT "a" UNIQUE
                ON CONFLICT REPLACE, v NOT NULL DEFAULT (1 + 1) UNIQUE ON CONFLICT IGNORE, w UNIQUE ON CONFLICT FAIL)
                """, columns: ["id", "u", "v", "w"]),
        Schema(
            description: "blob keys",
            sql: "CREATE TABLE t (k BLOB PRIMARY KEY, u BLOB UNIQUE, v BLOB) WITHOUT ROWID",
            columns: ["k", "u", "v"], row: ""),
        Schema(
            description: "hostile names",
            sql: """
                CREATE TABLE "his""tory'[`😀" ("select" INTEGER PRIMARY KEY DESC, "new.x" UNIQUE, "number", "rowid", "at",
                "state", "row", "same", [a]]b] UNIQUE)
                """.replacingOccurrences(of: "[a]]b]", with: "\"a]b\""),
            columns: ["\"select\"", "\"new.x\"", "\"number\"", "\"rowid\"", "\"state\"", "\"a]b\""],
            row: "_rowid_",
            table: "\"his\"\"tory'[`😀\""),
        Schema(
            description: "an index of another collation",
            sql:
                "CREATE TABLE t (id INTEGER PRIMARY KEY, u, v); CREATE UNIQUE INDEX i ON t (u COLLATE NOCASE, v COLLATE RTRIM)",
            columns: ["id", "u", "v"]),
        Schema(
            description: "views with INSTEAD OF triggers",
            sql: """
                CREATE TABLE base (id INTEGER PRIMARY KEY, u UNIQUE, v); CREATE VIEW t AS SELECT * FROM base;
                CREATE TRIGGER i INSTEAD OF INSERT ON t BEGIN REPLACE INTO base VALUES (new.id, new.u, new.v); END;
                CREATE TRIGGER u INSTEAD OF UPDATE ON t BEGIN UPDATE OR REPLACE base SET id = new.id, u = new.u, v = new.v
                WHERE id = old.id; END;
                CREATE TRIGGER d INSTEAD OF DELETE ON t BEGIN DELETE FROM base WHERE id = old.id; END
                """, columns: ["id", "u", "v"], row: ""),
        Schema(
            description: "temporary triggers of the owner",
            sql: "CREATE TABLE t (id INTEGER PRIMARY KEY, u UNIQUE, v)", columns: ["id", "u", "v"],
            isTolerant: true,
            temporary: """
                CREATE TEMP TRIGGER a AFTER INSERT ON t BEGIN UPDATE t SET v = coalesce(v, 0) || 't' WHERE id = new.id; END;
                CREATE TEMP TRIGGER b AFTER DELETE ON t WHEN old.u = 'b' BEGIN INSERT OR IGNORE INTO t VALUES (old.id, 'c', 9); END;
                CREATE TEMP TRIGGER c AFTER UPDATE OF u ON t BEGIN UPDATE OR IGNORE t SET id = id + 1 WHERE id = new.id; END
                """),
    ]

    /// Writes statements of three writers, and prints the state after some commits.
    private static let writer = #"""
        import json, random, sqlite3, struct, subprocess, sys
        path, seed, count, columns, row, table, temporary, read = sys.argv[1:9]
        columns = json.loads(columns)
        random.seed(int(seed))
        def connect():
            c = sqlite3.connect(path, isolation_level=None, timeout=60)
            c.text_factory = lambda b: b.decode("utf-8", "replace")
            c.execute("PRAGMA synchronous = OFF")
            c.execute("PRAGMA recursive_triggers = %d" % random.randint(0, 1))
            c.execute("PRAGMA foreign_keys = %d" % random.randint(0, 1))
            c.executescript(temporary)
            return c
        def value():
            return random.choice(["NULL", "1", "2", "3", "4", "5", "6", "7", "8", "'a'", "'A'", "'b'", "'c'", "'a '", "1.0",
                "2.5", "x'61'", "x'00ff'", "'2'", "9223372036854775807", "-1", "''", "'where'", "-2.0", "9e18", "char(233, 0, 65)"])
        def key():
            return random.choice(["NULL", "1", "2", "3", "4", "5", "6", "7", "8", "'a'", "'A'", "'b'"])
        def row_of(names): return "(" + ", ".join(key() if n == columns[0] else value() for n in names) + ")"
        def condition():
            return random.choice(["%s = %s" % (random.choice(columns), value()), "%s IS %s" % (columns[0], key()),
                "%s > %s" % (columns[0], key()), "%s IS NULL" % random.choice(columns), "1"])
        def names():
            n = random.sample(columns, random.randint(1, len(columns)))
            if row and random.random() < 0.05 and row not in n: n.append(row)
            return n
        def action(): return random.choice(["", "", " OR REPLACE", " OR REPLACE", " OR IGNORE", " OR ROLLBACK",
            # A temporary trigger that fails then retains the row, and no later trigger runs.
            "" if temporary else " OR FAIL"])
        def sets(): return ", ".join("%s = %s" % (n, random.choice([value(), n, n + " || '!'", n + " + 1"])) for n in names())
        def statement():
            kind = random.randint(0, 13)
            if kind < 4: 
                n = names()
                rows = ", ".join(row_of(n) for _ in range(random.choice([1, 1, 1, 2, 5])))
                text = "INSERT%s INTO %s (%s) VALUES %s" % (action(), table, ", ".join(n), rows)
                return text + random.choice(["", "", " RETURNING 1"])
            if kind == 4: return "INSERT INTO %s (%s) VALUES %s ON CONFLICT DO NOTHING" % (table, ", ".join(columns), row_of(columns))
            if kind < 7:
                return "INSERT INTO %s (%s) VALUES %s, %s ON CONFLICT DO UPDATE SET %s WHERE %s" % (table, ", ".join(columns),
                    row_of(columns), row_of(columns), sets(), "1" if random.random() < 0.8 else "0")
            if kind < 11: return "UPDATE%s %s SET %s WHERE %s" % (action(), table, sets(), condition())
            if kind == 11: return "DELETE FROM %s WHERE %s" % (table, condition() if random.random() < 0.95 else "1")
            if kind == 12:
                return "INSERT%s INTO %s (%s) SELECT %s FROM %s WHERE %s" % (action(), table, ", ".join(columns),
                    ", ".join(c if random.random() < 0.6 else value() for c in columns), table, condition())
            return "REPLACE INTO %s (%s) VALUES %s" % (table, ", ".join(columns), row_of(columns))
        def word(v):
            if v is None: return "N"
            if isinstance(v, int): return "I%d" % v
            if isinstance(v, float): return "R" + struct.pack(">d", v).hex()
            if isinstance(v, bytes): return "B" + v.hex()
            return "T" + v.encode().hex()
        def state(c):
            rows = c.execute(read).fetchall()
            print(json.dumps({"number": c.execute("SELECT max(number) FROM history").fetchone()[0],
                "rows": sorted(",".join(word(v) for v in r) for r in rows)}), flush=True)
        def run(c, sql):
            try: c.execute(sql).fetchall()
            except (sqlite3.IntegrityError, sqlite3.OperationalError) as e:
                text = str(e)
                known = ["constraint failed", "no such savepoint", "cannot commit", "cannot rollback", "datatype mismatch",
                    "three", "ON CONFLICT clause", "UPSERT", "recursion", "cannot store", "within a transaction",
                    "database or disk is full"]
                if not any(k in text for k in known): print("ERROR", text, sql, flush=True); sys.exit(1)
        writers, done = [connect(), connect()], 0
        while done < int(count):
            c = random.choice(writers)
            if random.random() < 0.01:
                i = writers.index(c); c.close(); c = writers[i] = connect()
            size = random.choice([1, 1, 1, 2, 4, 12])
            done += size
            if random.random() < 0.01 and not temporary:
                sql = "".join(statement() + ";\n" for _ in range(size))
                shell = ["sqlite3", "-cmd", ".timeout 60000", path]
                if random.random() < 0.5: subprocess.run(shell, input=sql.encode(), capture_output=True)
                else:
                    # Killed before its commit, while it also reads.
                    killed = subprocess.Popen(shell, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
                    killed.stdin.write(b"BEGIN IMMEDIATE;\n%s\nSELECT 'ready';\n%s;\n" % (sql.encode(), read.encode()))
                    killed.stdin.flush()
                    while killed.stdout.readline() not in (b"ready\n", b""): pass
                    killed.kill(); killed.communicate()
            elif size == 1: run(c, statement())
            else:
                run(c, random.choice(["BEGIN", "BEGIN IMMEDIATE"]))
                for _ in range(size):
                    if random.random() < 0.15: run(c, random.choice(["SAVEPOINT s", "RELEASE s", "ROLLBACK TO s"]))
                    run(c, statement())
                run(c, random.choice(["COMMIT", "COMMIT", "COMMIT", "ROLLBACK"]))
                if c.in_transaction: c.execute("ROLLBACK")
            if random.random() < max(0.1, 400 / int(count)): state(c)
        state(writers[0])
        for c in writers: c.close()
        check = sqlite3.connect(path).execute("PRAGMA integrity_check").fetchall()
        print("end" if check == [("ok",)] else check)
        """#

    struct State: Decodable {
        let number: Int64
        let rows: [String]
    }

    private static func word(_ value: AttributeValue) -> String {
        func hex(_ bytes: some Sequence<UInt8>) -> String {
            bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        }
        return switch value {
        case .null: "N"
        case .integer(let value): "I\(value)"
        case .real(let value): "R" + hex(withUnsafeBytes(of: value.bitPattern.bigEndian, Array.init))
        case .text(let value): "T" + hex(value.utf8)
        case .blob(let value): "B" + hex(value)
        }
    }

    /// A copy of the table that knows the recorded changes only.
    struct Replica {
        let columns: [String]
        let isTolerant: Bool
        var rows: [[String: AttributeValue]: [String: AttributeValue]] = [:]

        mutating func apply(_ change: HistoryChange) throws {
            var key = change.key
            // The row's number distinguishes rows with NULL in their keys.
            if key.values.contains(.null) { key["row number"] = .integer(change.objectID.key) }
            let known = rows[key]
            switch change.kind {
            case .insert:
                if !isTolerant { try #require(known == nil, "\(change)") }
                try #require(Set(change.newValues.keys) == Set(columns), "\(change)")
                rows[key] = change.newValues
            case .update:
                if !isTolerant {
                    try #require(
                        known != nil && known?.merging(change.oldValues) { $1 } == known, "\(change)")
                    try #require(Set(change.oldValues.keys) == Set(change.updatedAttributes), "\(change)")
                }
                rows[key] = change.newValues
            case .delete:
                if !isTolerant {
                    try #require(known != nil && known == change.tombstone, "\(change) \(rows)")
                }
                rows[key] = nil
            }
        }

        var words: [String] {
            rows.values.map { row in
                columns.map { AttachedReplayTests.word(row[$0] ?? .null) }.joined(separator: ",")
            }.sorted()
        }
    }

    static let count = LongProof.count(150, of: 5000, "statements of each schema")

    @Test(arguments: schemas.indices)
    func `the stream applied to an empty database gives an equal one`(index: Int) async throws {
        let schema = Self.schemas[index]
        let seed = UInt64.random(in: 0...UInt64(UInt32.max))
        print("schema '\(schema)', seed \(seed)")
        let owned = try OwnedDatabase(schema.sql + "\n;")
        let before = try owned.run(".schema")
        let tables = try PersistentContainer.attachableTables(in: owned.path).map(\.table)
        let container = try await owned.attach(tables)
        let recorded = try #require(try await container.read { try $0.attachedTables() }.first)
        let script = owned.folder.path(of: "writer.py")
        try Self.writer.write(toFile: script, atomically: true, encoding: .utf8)
        let columns = recorded.columns.map { "\"\($0.replacing("\"", with: "\"\""))\"" }.joined(
            separator: ", ")
        let table = "\"\(recorded.name.replacing("\"", with: "\"\""))\""
        let list = String(decoding: try JSONEncoder().encode(schema.columns), as: UTF8.self)
        let shell = try Shell.run(
            "python3",
            [
                script, owned.path, "\(seed)", "\(Self.count)", list, schema.row, schema.table,
                schema.temporary,
                "SELECT \(columns) FROM \(table)",
            ])
        let lines = shell.output.split(separator: "\n")
        try #require(shell.status == 0 && lines.last == "end", "\(shell.errors) \(lines.last ?? "")")
        let states = try lines.dropLast().map { try JSONDecoder().decode(State.self, from: Data($0.utf8)) }
        var replica = Replica(columns: recorded.columns, isTolerant: schema.isTolerant)
        var changes = try await container.changes(HistoryFetchRequest())[...]
        for state in states {
            while let change = changes.first, change.number <= state.number {
                try replica.apply(change)
                changes.removeFirst()
            }
            try #require(
                replica.words == state.rows, "after \(state.number) of '\(schema)' with seed \(seed)")
        }
        #expect(changes.isEmpty)
        try await container.detach()
        #expect(try owned.run(".schema") == before)
    }
}
