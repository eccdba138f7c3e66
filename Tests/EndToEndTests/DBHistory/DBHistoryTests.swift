import Foundation
import TestSupport
import Testing

/// The program `dbhistory`, as a user of another program's database calls it.
@Suite struct DBHistoryTests {
    private static let schema = """
        CREATE TABLE orders (id INTEGER PRIMARY KEY, item TEXT, price REAL);
        CREATE TABLE tags (name TEXT, kind TEXT, note BLOB, PRIMARY KEY (kind, name)) WITHOUT ROWID;
        INSERT INTO orders VALUES (1, 'tea', 2.5);
        """

    private func tracked(_ words: String...) throws -> DBHistoryProgram {
        let program = try DBHistoryProgram(Self.schema)
        let shell = try Shell.run(DBHistoryProgram.path, ["track", program.database, "--wal"] + words)
        try #require(shell.status == 0, "\(shell.errors)")
        return program
    }

    @Test func `changes are logged and undone and nothing remains after untrack`() throws {
        let program = try DBHistoryProgram(Self.schema)
        let before = try program.dump()
        let refused = try Shell.run(DBHistoryProgram.path, ["track", program.database])
        #expect(refused.output.isEmpty && refused.errors.contains("is not in WAL mode"))
        #expect(try program.run("track", "--wal", "--dry-run").contains("record 'tags'"))
        let unknown = try Shell.run(
            DBHistoryProgram.path, ["track", program.database, "tags", "nosuch", "--wal"])
        #expect(unknown.output.isEmpty && unknown.errors.contains("has no table 'nosuch'"))
        #expect(try program.dump() == before)
        try program.run("track", "--wal", "--values", "rows")
        try program.sql(
            """
            UPDATE orders SET price = 3; INSERT INTO tags VALUES ('x', 'it''s', x'01');
            REPLACE INTO orders VALUES (1, 'coffee', NULL); DELETE FROM tags;
            """)
        let log = try program.run("log").split(separator: "\n")
        #expect(log.count == 5)
        #expect(log[0].hasSuffix("  -  update orders id=1 (price)  price=2.5 → id=1 item='tea' price=3.0"))
        #expect(log[4].hasSuffix("delete tags kind='it''s' name='x'  kind='it''s' name='x' note=x'01' →"))
        #expect(try program.run("log", "tags", "--key", "it's,x").split(separator: "\n").count == 2)
        #expect(
            try Shell.run(DBHistoryProgram.path, ["log", program.database, "tags", "--key", "y"]).status == 1)
        #expect(try program.fails("log", "unknown").contains("'unknown' is not recorded"))
        let number = String(log[4].prefix { $0 != " " })
        #expect(try program.run("restore", number) == "undid 1 change\n")
        #expect(try program.sql("SELECT * FROM tags WHERE hex(note) = '01'") == "x|it's|\u{1}\n")
        #expect(
            try program.fails("restore", number).contains("was changed later, or exists again. Nothing was"))
        #expect(try program.run("log", "--limit", "1").contains("dbhistory/dbhistory  insert tags"))
        let status = try program.run("status")
        #expect(status.contains("table tags: key kind, name, values rows\n") && status.contains("6 changes"))
        #expect(try program.run("doctor") == "no findings\n")
        #expect(try program.run("clean", "--keep", "0s").contains("with 6 changes"))
        try program.run("untrack")
        try program.sql("DELETE FROM tags; UPDATE orders SET item = 'tea', price = 2.5")
        #expect(try program.dump() == before)
        #expect(try FileManager.default.contentsOfDirectory(atPath: program.folder.path) == ["app.db"])
    }

    @Test func `history that a consumer has read remains for as long as it is kept`() throws {
        let program = try tracked("--keep", "7d")
        try program.sql("UPDATE orders SET price = 3")
        #expect(
            try program.run("follow", "--consumer", "a", "--since", "beginning", "--once").contains(
                "update orders id=1"))
        #expect(try program.run("clean").contains("with 0 changes"))
        let log = try program.run("log")
        #expect(log.contains("update orders id=1"))
        #expect(try program.run("restore", String(log.prefix { $0 != " " })) == "undid 1 change\n")
        #expect(try program.run("clean", "--keep", "0s").contains("with 2 changes"))
    }

    @Test func `a follower that is killed at any moment loses no change`() throws {
        let program = try tracked("--values", "rows")
        let writer = try program.python(
            """
            import sqlite3, sys
            c = sqlite3.connect(sys.argv[1], isolation_level=None, timeout=60)
            c.execute("PRAGMA synchronous = OFF")
            for i in range(2, 602):
                c.execute("INSERT INTO orders VALUES (?, 'x', ?)", (i, i))
                if i % 3 == 0: c.execute("UPDATE OR REPLACE orders SET id = id + 1 WHERE id = ?", (i - 1,))
            print("done")
            """)
        var (replica, changes, random) = (
            LineReplica(), [Int64](), SeededRandom(seed: .random(in: 0...UInt64.max))
        )
        var isDone = false
        for _ in 0..<1000 where !isDone {
            // The copy, or the position in the database, comes first.
            let follower = try program.start(
                "follow", "--consumer", "copy", "--snapshot", "--ack", "--format", "jsonl")
            for _ in 0..<Int.random(in: 1...150, using: &random) {
                let line = try ChangeLine(try follower.answer())
                try replica.apply(line)
                if let change = line.change { changes.append(change) }
                follower.send("")
                if line.key?["id"] == .number(601) {
                    isDone = true
                    break
                }
            }
            follower.killNow()
        }
        #expect(try writer.answer() == "done")
        for line in try program.run("follow", "--consumer", "copy", "--once", "--format", "jsonl").split(
            separator: "\n")
        {
            try replica.apply(ChangeLine(String(line)))
        }
        let rows = try program.sql("SELECT id, price FROM orders ORDER BY id").split(separator: "\n").map(
            String.init)
        let copied = try #require(replica.tables["orders"]).values.sorted {
            guard case .number(let left) = $0["id"], case .number(let right) = $1["id"] else { return false }
            return left < right
        }.map { row in
            guard case .number(let id) = row["id"], case .number(let price) = row["price"] else { return "" }
            return "\(Int(id))|\(price)"
        }
        #expect(copied == rows)
    }

    @Test func `a reader of a pipe has received a change when it reads the next one`() async throws {
        let program = try tracked()
        try program.run("follow", "--consumer", "c", "--once")
        for number in 2...4 { try program.sql("INSERT INTO orders VALUES (\(number), 'x', 1)") }
        /// The IDs that a reader gets that ends after some lines.
        func read(_ lines: Int) throws -> [Substring] {
            let shell = try Shell.run(
                "sh",
                [
                    "-c",
                    "'\(DBHistoryProgram.path)' follow '\(program.database)' --consumer c | head -n \(lines)",
                ])
            return shell.output.matches(of: /orders id=(\d)/).map(\.1)
        }
        // A reader that dies with its first line gets it again.
        #expect(try read(1) == ["2"] && read(1) == ["2"])
        // It has received that one when it reads the second one, although it may end before this is stored.
        var lines: [Substring] = []
        #expect(
            try await soon {
                lines = try read(2)
                return lines != ["2", "3"]
            } && lines == ["3", "4"])
        #expect(try program.run("follow", "--consumer", "c", "--once").contains("id=4"))
        #expect(try program.run("follow", "--consumer", "c", "--once").isEmpty)
    }

    @Test func `a killed writer leaves whole transactions only`() throws {
        let program = try tracked("--values", "rows")
        for _ in 0..<5 {
            let writer = try program.python(
                """
                import sqlite3, sys
                c = sqlite3.connect(sys.argv[1], isolation_level=None, timeout=60)
                while True:
                    c.execute("BEGIN IMMEDIATE")
                    c.execute("UPDATE orders SET price = price + 1 WHERE id = 1")
                    c.execute("REPLACE INTO tags VALUES ('n', 'k', (SELECT price FROM orders WHERE id = 1))")
                    c.execute("COMMIT")
                    print("commit")
                """)
            for _ in 0..<3 { _ = try writer.answer() }
            writer.killNow()
        }
        let last = try ["orders", "tags"].map { table in
            try ChangeLine(try program.run("log", table, "--limit", "1", "--format", "jsonl")).after
        }
        #expect(last[0]?["price"] == last[1]?["note"])
        #expect(try program.sql("SELECT price = note FROM orders, tags") == "1\n")
    }

    @Test func `a transaction is delivered with one key until it is accepted or parked`() throws {
        let program = try tracked()
        let log = program.folder.path(of: "delivered")
        try program.run("follow", "--consumer", "d", "--once")
        try program.sql(
            "BEGIN; INSERT INTO orders VALUES (2, 'a', 1); COMMIT; INSERT INTO orders VALUES (3, 'b', 1);")
        let command = """
            lines=$(cat); echo "$DBHISTORY_KEY" >> '\(log)'
            case $lines in *'"id":2'*) exit 1 ;; *) [ "$(grep -c . '\(log)')" -gt 4 ] ;; esac
            """
        let shell = try Shell.run(
            DBHistoryProgram.path,
            [
                "follow", program.database, "--consumer", "d", "--once", "--exec", command, "--attempts", "3",
                "--pause",
                "0s",
            ])
        #expect(shell.status == 0 && shell.errors.contains("parked transaction"))
        let keys = try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n")
        #expect(
            keys.count == 5 && Set(keys.prefix(3)).count == 1 && Set(keys.suffix(2)).count == 1
                && keys[0] != keys[4])
        #expect(try program.run("status").contains("parked by d: "))
        #expect(try program.run("follow", "--consumer", "d", "--once").isEmpty)
    }

    @Test func `a transaction is posted with its key again after a refusal`() throws {
        let program = try tracked()
        let server = try LineProcess(
            "python3",
            [
                "-u", "-c",
                """
                import http.server
                class Handler(http.server.BaseHTTPRequestHandler):
                    count = 0
                    def do_POST(self):
                        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
                        Handler.count += 1
                        self.send_response(503 if Handler.count < 3 else 204)
                        self.end_headers()
                        print(self.headers["Idempotency-Key"], body.strip())
                    def log_message(self, *words): pass
                server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
                print(server.server_port)
                server.serve_forever()
                """,
            ])
        let port = try server.answer()
        try program.sql("INSERT INTO orders VALUES (2, 'a', 1)")
        try program.run(
            "follow", "--since", "beginning", "--once", "--post", "http://127.0.0.1:\(port)/", "--pause", "0s"
        )
        let requests = try (0..<3).map { _ in try server.answer() }
        #expect(Set(requests).count == 1 && requests[0].contains("\"op\":\"insert\""))
    }

    @Test func `an envelope has the fields that consumers of Debezium parse`() throws {
        let program = try tracked("--values", "rows")
        try program.sql(
            "UPDATE orders SET price = 9; DELETE FROM orders; INSERT INTO tags VALUES ('a', 'b', x'ff')")
        let output = try program.run("follow", "--since", "beginning", "--once", "--format", "debezium")
        let parsed = try Shell.run(
            "python3",
            [
                "-c",
                """
                import json, sys
                for line in sys.stdin:
                    e = json.loads(line)
                    assert set(e) == {"before", "after", "source", "op", "ts_ms", "transaction"}, e
                    assert e["source"]["connector"] == "sqlite" and e["transaction"]["id"]
                    print(e["op"], e["source"]["table"], json.dumps(e["before"]), json.dumps(e["after"]))
                """,
            ], input: output)
        #expect(
            parsed.output == """
                u orders {"id": 1, "item": "tea", "price": 2.5} {"id": 1, "item": "tea", "price": 9.0}
                d orders {"id": 1, "item": "tea", "price": 9.0} null
                c tags null {"kind": "b", "name": "a", "note": "/w=="}

                """, "\(parsed.errors)")
    }

    @Test func `a follower without a copy ends with a sentence if history is missing`() throws {
        let program = try tracked()
        try program.run("follow", "--consumer", "c", "--once")
        try program.sql("ALTER TABLE orders ADD COLUMN more DEFAULT 1; UPDATE orders SET more = 2")
        #expect(try program.fails("follow", "--consumer", "c", "--once").contains("follow with --snapshot"))
        let lines = try program.run("follow", "--consumer", "c", "--once", "--snapshot", "--format", "jsonl")
        #expect(lines.contains("\"op\":\"truncate\"") && lines.contains("\"more\":2"))
        #expect(try program.run("follow", "--consumer", "c", "--once").isEmpty)
        #expect(try program.run("doctor") == "no findings\n")
    }

    @Test func `two followers do not share a consumer`() async throws {
        let program = try tracked()
        let first = try program.start("follow", "--consumer", "c")
        #expect(try await soon { try program.run("status").contains("consumer c: ") })
        try program.sql("DELETE FROM orders")
        _ = try first.answer()
        #expect(
            try program.fails("follow", "--consumer", "c", "--once").contains("is used by a running process"))
        #expect(!(try program.run("status").contains("c#2")))
    }

    @Test func `wrong usage ends with status 2 and a sentence`() throws {
        for words in [
            [], ["unknown"], ["track"], ["track", "--value"], ["follow", "x", "--format", "xml"],
            ["log", "x", "--limit", "-1"],
            ["restore", "x", "y"], ["follow", "x", "--exec", "a", "--post", "b"], ["completions", "tcsh"],
            ["status", "/nonexistent/x.db"], ["track", "/etc/passwd", "t"], ["status", "/dev/null"],
        ] {
            let shell = try Shell.run(DBHistoryProgram.path, words)
            #expect(shell.status == 2, "\(words)")
            #expect(words.isEmpty || shell.errors.hasPrefix("dbhistory: "), "\(words): \(shell.errors)")
        }
    }

    @Test func `help the manual and completions name each command and option`() throws {
        func output(_ words: String...) throws -> String {
            try Shell.run(DBHistoryProgram.path, words).output
        }
        let overview = try output("--help")
        let commands = overview.matches(of: /\n {2}([a-z]+) {2,}/).map { String($0.1) }
        #expect(commands.count == 10)
        let manual = try output("man")
        for command in commands {
            let help = try output(command, "--help")
            #expect(
                help.contains("usage: dbhistory \(command)") && manual.contains(".SS \"dbhistory \(command)"))
            for option in help.matches(of: /\n {2}(--[a-z-]+)/).map({ String($0.1) }) {
                #expect(manual.contains(option.replacing("-", with: "\\-")), "\(option)")
                for shell in ["bash", "zsh", "fish"] {
                    #expect(
                        try output("completions", shell).contains(option.dropFirst(2)), "\(shell) \(option)")
                }
            }
        }
        #expect(try Shell.run("bash", ["-n"], input: output("completions", "bash")).status == 0)
    }
}
