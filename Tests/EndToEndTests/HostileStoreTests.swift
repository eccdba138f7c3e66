import Foundation
import TestSupport
import Testing

/// Store files of an attacker, which are rejected with a message or read, without any other effect.
@Suite struct HostileStoreTests {
    let clips: ClipsProgram
    private static let most = "9223372036854775807"
    private static let least = "(-9223372036854775807 - 1)"
    private static let escape = "char(27) || '[31m' || char(155) || char(8238)"

    init() throws {
        // A store with an index.
        clips = try ClipsProgram.copy { clips in
            try clips.run("add", "--title", "first swift", "--tag", "a", "--url", "https://a.org")
            try clips.run("add", "--title", "second", "--note", "swift")
            try clips.run("star", "1")
            try clips.run("search", "swift")
            for path in [clips.storePath, clips.storePath + "-search"] {
                try Shell.run("sqlite3", [path, "PRAGMA wal_checkpoint(TRUNCATE)"])
            }
        }
        try "jj<Enter><Esc>/swift<Enter><Esc>G*Hjj<Enter><Esc><Esc>\n".write(
            toFile: script, atomically: true, encoding: .utf8)
    }

    private var script: String { clips.folder.path(of: "keys") }

    private var commands: [[String]] {
        [
            ["list", "--json"], ["search", "swift"], ["history"], ["doctor"],
            ["extension", "--title", "new swift"], ["--script", script],
            ["history", "clean", "--before", "2099-01-01"],
        ]
    }

    /// Runs the commands, each within a time limit, and returns their output.
    ///
    @discardableResult
    private func runAll(_ situation: String) throws -> String { try run(commands, situation) }

    /// Runs the app, which reads clips, index, and history, and every second other command: which ones depends on the
    /// situation.
    private func runSelection(_ situation: String) throws {
        let sum = situation.utf8.reduce(0) { $0 + Int($1) }
        let selected = commands.enumerated().filter { index, words in
            LongProof.isWhole || words[0] == "--script" || (index + sum) % 2 == 0
        }
        if !LongProof.isWhole {
            LongProof.omits("\(commands.count - selected.count) commands on a store with \(situation)")
        }
        try run(selected.map(\.element), situation)
    }

    @discardableResult
    private func run(_ commands: [[String]], _ situation: String) throws -> String {
        var printed = ""
        for words in commands {
            let run = try Shell.run(
                "timeout", ["-k", "1", "300", ClipsProgram.path] + words, environment: clips.environment)
            #expect(run.status <= 2, "\(situation): \(words) ended with \(run.status)")
            for text in [run.errors, run.output] {
                let isInterpreted = text.unicodeScalars.contains {
                    $0 != "\n" && $0.properties.generalCategory == .control || $0.value == 0x202E
                }
                #expect(!isInterpreted, "\(situation): \(words) printed \(text.debugDescription)")
            }
            #expect(run.status == 0 || !run.errors.isEmpty || !run.output.isEmpty, "\(situation): \(words)")
            printed += run.output + run.errors
        }
        return printed
    }

    @Test(arguments: [
        (
            "texts that a terminal would interpret",
            "UPDATE Clip SET title = \(escape), author = \(escape), tags = \(escape), url = \(escape)"
        ),
        (
            "numbers at the end",
            "UPDATE Clip SET created = \(most), updated = \(least) WHERE id = 1; UPDATE Clip SET version = \(most), id = \(most) WHERE id = 2"
        ),
        ("ids below zero", "UPDATE Clip SET id = -id; UPDATE Clip SET id = \(least) WHERE id = -1"),
        (
            "bytes for text",
            "PRAGMA writable_schema = 1; UPDATE sqlite_schema SET sql = replace(sql, ') STRICT', ')') WHERE name = 'Clip'; PRAGMA writable_schema = RESET; UPDATE Clip SET title = x'FF1B5B', url = 5, tags = 1e300, created = 'now', starred = x'00'"
        ),
        (
            "a long title",
            "UPDATE Clip SET title = replace(hex(zeroblob(200000)), '0', char(769)) WHERE id = 1"
        ),
        (
            "the last number of the history",
            "UPDATE history SET number = \(most) WHERE number = (SELECT max(number) FROM history)"
        ),
        ("numbers below zero in the history", "UPDATE history SET number = -number"),
        ("times at the ends", "UPDATE history SET at = \(least), began = \(most)"),
        (
            "invalid kinds and entities",
            "UPDATE history SET kind = kind + 1, entity = \(most), object = \(least), columns = -1"
        ),
        (
            "a history cleaned beyond its end",
            "UPDATE store_metadata SET value = \(most) WHERE key LIKE 'history%'"
        ),
        (
            "a history cleaned before its beginning",
            "UPDATE store_metadata SET value = \(least) WHERE key LIKE 'history%'"
        ),
        (
            "counts at the ends",
            "INSERT OR REPLACE INTO store_metadata VALUES ('counted_changes', \(most)), ('counted_up_to', \(most)), ('age_mark', \(least)), ('last_cleaning', \(least))"
        ),
        (
            "a consumer at the end",
            "UPDATE history_consumer SET position = \(most), seen = \(least), generation = \(least)"
        ),
        (
            "a consumer before the beginning",
            "UPDATE history_consumer SET position = \(least), process = \(most)"
        ),
        (
            "names that a terminal would interpret",
            "UPDATE history_origin SET author = \(escape), context = \(escape), program = \(escape); UPDATE history_entity SET name = \(escape) || id; UPDATE history_attribute SET name = \(escape) || bit"
        ),
        (
            "a schema of other words",
            "PRAGMA writable_schema = 1; UPDATE sqlite_schema SET sql = 'CREATE TABLE Clip (x) ' || \(escape) WHERE name = 'Clip'"
        ),
        (
            "tables on one page",
            "PRAGMA writable_schema = 1; UPDATE sqlite_schema SET rootpage = 3 WHERE type = 'table'"
        ),
        (
            "an endless view",
            "ALTER TABLE Clip RENAME TO c; CREATE VIEW Clip AS WITH RECURSIVE r (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT c.* FROM c, r"
        ),
        (
            "a virtual table",
            "ALTER TABLE Clip RENAME TO c; CREATE VIRTUAL TABLE Clip USING fts5 (id, version, title)"
        ),
        (
            "computed columns",
            "CREATE INDEX i ON Clip (abs(id), upper(title)); ALTER TABLE Clip ADD COLUMN more TEXT AS (hex(zeroblob(1000))) VIRTUAL"
        ),
        (
            "inconsistent shadow tables",
            "CREATE VIRTUAL TABLE f USING fts5 (a); INSERT INTO f VALUES ('x'); UPDATE f_data SET block = zeroblob(9); CREATE VIRTUAL TABLE r USING rtree (i, a, b); INSERT INTO r VALUES (1, 1, 2); UPDATE r_node SET data = x'00FF'; CREATE TRIGGER t AFTER INSERT ON Clip BEGIN INSERT INTO f VALUES (new.title); INSERT INTO r VALUES (new.id, 1, 2); END"
        ),
    ])
    func `a store of an attacker is read or rejected, without harm`(situation: String, sql: String) throws {
        #expect(try Shell.run("sqlite3", [clips.storePath], input: sql + ";").errors == "")
        try runSelection(situation)
    }

    @Test func `thousands of additional tables are no problem`() throws {
        let sql = (0..<3000).map { "CREATE TABLE \"t\($0)'\" (a);" }.joined()
        try Shell.run("sqlite3", [clips.storePath], input: "BEGIN;\(sql)COMMIT;")
        #expect(try runAll("tables").contains("first swift"))
    }

    /// The names of columns, triggers, and indexes are part of SQL if the store has another model.
    @Test(arguments: [
        "ALTER TABLE Clip ADD COLUMN \"x\"\"; ATTACH 'PATH' AS p; CREATE TABLE p.t (a); --\" INTEGER",
        "ALTER TABLE Clip ADD COLUMN \"x\"\"\u{301}; ATTACH 'PATH' AS p; CREATE TABLE p.t (a); --\" INTEGER",
        "CREATE TRIGGER \"Clip_x\"\"; ATTACH 'PATH' AS p; CREATE TABLE p.t (a); --\" AFTER INSERT ON Clip BEGIN SELECT 1; END",
        """
        CREATE INDEX i ON Clip (title); PRAGMA writable_schema = 1;
        UPDATE sqlite_schema SET sql = sql || '; ATTACH ''PATH'' AS p; CREATE TABLE p.t (a)' WHERE name = 'i';
        UPDATE sqlite_schema SET sql = replace(sql, '"note" TEXT', '"note" INT') WHERE name = 'Clip'
        """,
        "INSERT INTO history_entity (name) VALUES ('x\"; ATTACH ''PATH'' AS p; --')",
        "ALTER TABLE history_values_Clip ADD COLUMN \"x\"\" FROM Clip; ATTACH 'PATH' AS p; --\"",
    ])
    func `SQL injected by a file is not run`(sql: String) throws {
        let path = clips.folder.path(of: "made-by-an-attacker")
        let injected = sql.replacingOccurrences(of: "PATH", with: path)
        // An older version, since a store of the same one would be rejected before its names are used.
        let model = """
            UPDATE store_metadata SET value = 'another' WHERE key = 'model';
            UPDATE store_metadata SET value = value - 1 WHERE key = 'model_version';
            """
        #expect(try Shell.run("sqlite3", [clips.storePath], input: "\(injected);\(model)").errors == "")
        try runAll(sql)
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test(arguments: [
        "UPDATE state SET next_number = \(most), next_late_number = \(most), dead = \(most)",
        "UPDATE state SET phase = 0, built_created = \(most), built_object = \(most), built = \(most)",
        "UPDATE state SET position = \(least), generation = \(most)",
        "UPDATE document SET number = \(least) WHERE number = (SELECT min(number) FROM document); UPDATE state SET phase = 0, built_created = NULL",
        "UPDATE document SET object = -object, created = \(most) - created",
        "UPDATE vocabulary SET terms = x'7377696674FF'", "UPDATE vocabulary SET id = \(most)",
        "UPDATE words_data SET block = zeroblob(5000)", "DELETE FROM words_data", "DROP TABLE words",
        "ALTER TABLE document RENAME TO d; CREATE VIEW document AS SELECT number, object, created FROM d WHERE load_extension('x') IS NULL",
        "CREATE TRIGGER t AFTER INSERT ON document BEGIN SELECT load_extension('x'); END",
    ])
    func `an index of an attacker is read or rebuilt, without harm`(sql: String) throws {
        #expect(try Shell.run("sqlite3", [clips.storePath + "-search"], input: sql + ";").errors == "")
        // Those that read the index, and the list, which never does.
        let readers = commands.filter { ["list", "search", "doctor", "--script"].contains($0[0]) }
        if !LongProof.isWhole {
            LongProof.omits("\(commands.count - readers.count) commands on an index with \(sql)")
        }
        #expect(try run(LongProof.isWhole ? commands : readers, sql).contains("first swift"))
    }

    /// Other kinds of files under the names of the store's files.
    @Test(
        arguments: ["-doorbell", "-search", "-wal", "-shm", ""], ["pipe", "link", "second name", "folder"])
    func `a file of another kind under a name of the store does no harm`(end: String, kind: String) throws {
        // SQLite itself handles a second name of its own files.
        guard kind != "second name" || !["-wal", "-shm"].contains(end) else { return }
        let (path, other) = (clips.storePath + end, clips.folder.path(of: "precious"))
        try "as it was".write(toFile: other, atomically: true, encoding: .utf8)
        try? FileManager.default.removeItem(atPath: path)
        switch kind {
        case "pipe": try Shell.run("mkfifo", [path])
        case "link": try Shell.run("ln", ["-s", other, path])
        case "second name": try Shell.run("ln", [other, path])
        default: try Shell.run("mkdir", [path])
        }
        for words in [commands[0], commands[1], commands[4]] {
            let run = try Shell.run(
                "timeout", ["-k", "1", "300", ClipsProgram.path] + words, environment: clips.environment)
            #expect(run.status <= 2, "\(kind) for \(end): \(words) ended with \(run.status), \(run.errors)")
        }
        #expect(try String(contentsOfFile: other, encoding: .utf8) == "as it was")
    }

    @Test func `an index that is a link to another file leaves that file unchanged`() throws {
        let (index, other) = (clips.storePath + "-search", clips.folder.path(of: "other.db"))
        try Shell.run("sqlite3", [other, "CREATE TABLE t (a); PRAGMA application_id = 7"])
        let before = try Data(contentsOf: URL(fileURLWithPath: other))
        try FileManager.default.removeItem(atPath: index)
        try FileManager.default.createSymbolicLink(atPath: index, withDestinationPath: other)
        try runAll("a link")
        #expect(try Data(contentsOf: URL(fileURLWithPath: other)) == before)
    }

    @Test func `a field of any size costs its own memory`() throws {
        _ = try clips.sqlite3(
            "INSERT INTO Clip (title, url) VALUES (replace(hex(zeroblob(12000000)), '00', 'alpha '), 'https://big.org')"
        )
        try "jj<Enter><Esc>/alpha<Enter><Esc>Hjj<Enter>\n".write(
            toFile: script, atomically: true, encoding: .utf8)
        let app = "--script '\(script)' --size 80x24"
        let cut: Set = [
            "list", "list --json", "show 3", "search swift", "search alpha --json", "export --format json",
        ]
        // SQLite loads the field of 72 MB; to write it, it needs one or two copies. The app's list and index read it at
        // the same time.
        let copies = ["star 3": 2, "delete 3": 1, "undo": 2, "restore 3": 2, app: 1]
        for words in [
            "list", "list --json", "show 3", "search swift", "search alpha --json", "doctor",
            "export --format json", "history --json", "tags", "star 3", "delete 3", "undo", app, "delete 3",
            "restore 3",
        ] {
            try? FileManager.default.removeItem(atPath: clips.storePath + "-search")
            let limit = 400_000 + (copies[words] ?? 0) * 75_000
            let run = try clips.shell("ulimit -v \(limit); $CLIPS \(words) > /dev/null")
            // Output without most of a field is reported.
            let isCut = cut.contains(words)
            #expect(run.status == (isCut ? 1 : 0), "\(words): \(run)")
            #expect(
                !isCut || run.errors.contains("Clip 3 has a field of more than 64 MB"), "\(words): \(run)")
        }
    }
}
