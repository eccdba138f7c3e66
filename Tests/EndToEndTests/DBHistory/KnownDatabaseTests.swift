import Foundation
import TestSupport
import Testing

/// Databases that other programs create: their owners continue to work while the tables are recorded, and afterwards.
@Suite struct KnownDatabaseTests {
    /// The parts of the schemas of Calibre 7, Django 5, Rails 7, and an app with GRDB 7 that are unusual for this library.
    private static let schemas: [(name: String, sql: String, work: String)] = [
        (
            "Calibre",
            """
            CREATE TABLE books (id INTEGER PRIMARY KEY AUTOINCREMENT, title TEXT NOT NULL DEFAULT 'Unknown' COLLATE NOCASE,
            sort TEXT COLLATE NOCASE, timestamp TIMESTAMP DEFAULT CURRENT_TIMESTAMP, series_index REAL NOT NULL DEFAULT 1.0,
            author_sort TEXT COLLATE NOCASE, isbn TEXT DEFAULT "" COLLATE NOCASE, path TEXT NOT NULL DEFAULT "",
            flags INTEGER NOT NULL DEFAULT 1, uuid TEXT, has_cover BOOL DEFAULT 0,
            last_modified TIMESTAMP NOT NULL DEFAULT "2000-01-01 00:00:00+00:00");
            CREATE TABLE authors (id INTEGER PRIMARY KEY, name TEXT NOT NULL COLLATE NOCASE, sort TEXT COLLATE NOCASE,
            link TEXT NOT NULL DEFAULT "", UNIQUE(name));
            CREATE TABLE books_authors_link (id INTEGER PRIMARY KEY, book INTEGER NOT NULL, author INTEGER NOT NULL,
            UNIQUE(book, author));
            CREATE VIEW meta AS SELECT id, title, (SELECT sortconcat(bal.id, name) FROM books_authors_link AS bal
            JOIN authors ON (author = authors.id) WHERE book = books.id) authors FROM books;
            CREATE TRIGGER books_delete_trg AFTER DELETE ON books BEGIN
            DELETE FROM books_authors_link WHERE book = OLD.id; END;
            CREATE TRIGGER books_insert_trg AFTER INSERT ON books BEGIN
            UPDATE books SET sort = title_sort(NEW.title), uuid = uuid4() WHERE id = NEW.id; END;
            CREATE TRIGGER books_update_trg AFTER UPDATE ON books BEGIN
            UPDATE books SET sort = title_sort(NEW.title) WHERE id = NEW.id AND OLD.title <> NEW.title; END;
            CREATE TRIGGER fkc_insert BEFORE INSERT ON books_authors_link BEGIN SELECT CASE
            WHEN (SELECT id FROM books WHERE id = NEW.book) IS NULL THEN RAISE(ABORT, 'Foreign key violation') END; END;
            """,
            """
            c.create_function("title_sort", 1, lambda t: t.lower()); c.create_function("uuid4", 0, lambda: "u")
            c.execute("INSERT INTO books (title, timestamp) VALUES ('The Book', 1), ('Other', 2)")
            c.execute("INSERT OR REPLACE INTO authors (name) VALUES ('A'), ('a')")
            c.execute("INSERT INTO books_authors_link (book, author) VALUES (1, 2)")
            c.execute("UPDATE books SET title = 'New' WHERE id = 1"); c.execute("DELETE FROM books WHERE id = 1")
            """
        ),
        (
            "Django",
            """
            CREATE TABLE "django_migrations" ("id" integer NOT NULL PRIMARY KEY AUTOINCREMENT, "app" varchar(255) NOT NULL,
            "name" varchar(255) NOT NULL, "applied" datetime NOT NULL);
            CREATE TABLE "auth_user" ("id" integer NOT NULL PRIMARY KEY AUTOINCREMENT, "password" varchar(128) NOT NULL,
            "last_login" datetime NULL, "is_superuser" bool NOT NULL, "username" varchar(150) NOT NULL UNIQUE);
            CREATE TABLE "shop_order" ("id" char(32) NOT NULL PRIMARY KEY, "user_id" integer NOT NULL REFERENCES "auth_user"
            ("id") DEFERRABLE INITIALLY DEFERRED, "total" decimal NOT NULL, "data" text NOT NULL CHECK ((JSON_VALID("data")
            OR "data" IS NULL)), "is_open" bool NOT NULL);
            CREATE UNIQUE INDEX "one_open" ON "shop_order" ("user_id") WHERE "is_open";
            CREATE INDEX "shop_order_user" ON "shop_order" ("user_id");
            CREATE TABLE "django_session" ("session_key" varchar(40) NOT NULL PRIMARY KEY, "session_data" text NOT NULL,
            "expire_date" datetime NOT NULL);
            """,
            """
            c.execute("INSERT INTO auth_user (password, is_superuser, username) VALUES ('p', 1, 'u')")
            c.execute("INSERT INTO shop_order VALUES ('a', 1, 2.50, '{}', 1)")
            c.execute("INSERT OR REPLACE INTO shop_order VALUES ('b', 1, 3, '[]', 1)")
            c.execute("INSERT INTO django_session VALUES ('k', 'd', 'e') ON CONFLICT DO UPDATE SET session_data = 'f'")
            c.execute("UPDATE django_session SET session_key = 'l'")
            """
        ),
        (
            "Rails",
            """
            CREATE TABLE "schema_migrations" ("version" varchar NOT NULL PRIMARY KEY);
            CREATE TABLE "ar_internal_metadata" ("key" varchar NOT NULL PRIMARY KEY, "value" varchar,
            "created_at" datetime(6) NOT NULL, "updated_at" datetime(6) NOT NULL);
            CREATE TABLE "posts" ("id" integer PRIMARY KEY AUTOINCREMENT NOT NULL, "title" varchar, "body" text,
            "published" boolean DEFAULT 0 NOT NULL, "created_at" datetime(6) NOT NULL);
            CREATE TABLE "comments" ("id" integer PRIMARY KEY AUTOINCREMENT NOT NULL, "post_id" integer NOT NULL,
            "body" text, CONSTRAINT "fk_rails_2fd19c0db7" FOREIGN KEY ("post_id") REFERENCES "posts" ("id") ON DELETE CASCADE);
            CREATE TABLE "posts_tags" ("post_id" integer, "tag" varchar);
            CREATE UNIQUE INDEX "index_posts_tags" ON "posts_tags" ("post_id", "tag");
            """,
            """
            c.execute("PRAGMA foreign_keys = ON")
            c.execute("INSERT INTO posts (title, created_at) VALUES ('t', 'now')")
            c.execute("INSERT INTO comments (post_id, body) VALUES (1, 'c'), (1, 'd')")
            c.execute("INSERT OR REPLACE INTO posts_tags VALUES (1, 'x'), (1, 'x'), (NULL, 'x')")
            c.execute("DELETE FROM posts")
            """
        ),
        (
            "GRDB",
            """
            CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY);
            INSERT INTO grdb_migrations VALUES ('createPlayer'), ('addTeams');
            CREATE TABLE "team" ("id" TEXT PRIMARY KEY NOT NULL, "name" TEXT NOT NULL UNIQUE ON CONFLICT REPLACE);
            CREATE TABLE "player" ("id" INTEGER PRIMARY KEY AUTOINCREMENT, "name" TEXT NOT NULL COLLATE NOCASE,
            "score" INTEGER NOT NULL DEFAULT 0, "teamId" TEXT REFERENCES "team"("id") ON DELETE SET NULL,
            "photo" BLOB, "creationDate" DATETIME NOT NULL);
            CREATE INDEX "index_player_on_teamId" ON "player"("teamId");
            CREATE VIRTUAL TABLE "player_ft" USING fts5("name", content='player', content_rowid='id');
            CREATE TRIGGER "__player_ft_ai" AFTER INSERT ON "player" BEGIN
            INSERT INTO "player_ft"("rowid", "name") VALUES (new."id", new."name"); END;
            CREATE TRIGGER "__player_ft_ad" AFTER DELETE ON "player" BEGIN
            INSERT INTO "player_ft"("player_ft", "rowid", "name") VALUES('delete', old."id", old."name"); END;
            CREATE TRIGGER "__player_ft_au" AFTER UPDATE ON "player" BEGIN
            INSERT INTO "player_ft"("player_ft", "rowid", "name") VALUES('delete', old."id", old."name");
            INSERT INTO "player_ft"("rowid", "name") VALUES (new."id", new."name"); END;
            """,
            """
            c.execute("PRAGMA foreign_keys = ON")
            c.execute("INSERT INTO team VALUES ('a', 'Reds'), ('b', 'Blues')")
            c.execute("INSERT INTO player VALUES (1, 'Arthur', 3, 'a', x'00ff', '2026-01-01'), (7, 'Eve', 0, 'b', NULL, '')")
            c.execute("INSERT INTO team VALUES ('c', 'Reds')")
            c.execute("UPDATE player SET score = score + 1, name = 'arthur' WHERE name = 'ARTHUR'")
            c.execute("DELETE FROM player WHERE id = 7")
            """
        ),
    ]

    @Test(arguments: schemas.indices)
    func `the schema of a known program is recorded and left as it was`(index: Int) throws {
        let (name, sql, work) = Self.schemas[index]
        let (program, twin) = (try DBHistoryProgram(sql), try DBHistoryProgram(sql))
        let tables = try program.sql(
            "SELECT name FROM pragma_table_list WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name"
        ).split(separator: "\n").map(String.init)
        let shell = try Shell.run(
            DBHistoryProgram.path, ["track", program.database] + tables + ["--wal", "--values", "rows"])
        try #require(shell.status == 0, "\(name): \(shell.errors)")
        let script =
            "import sqlite3, sys\nc = sqlite3.connect(sys.argv[1], isolation_level=None)\n\(work)\nprint('done')"
        for each in [program, twin] { #expect(try each.python(script).answer() == "done") }
        var replica = LineReplica()
        for words in [["--since", "beginning"], ["--snapshot"]] {
            let lines = try Shell.run(
                DBHistoryProgram.path,
                ["follow", program.database, "--once", "--format", "jsonl"] + words)
            for line in lines.output.split(separator: "\n") { try replica.apply(ChangeLine(String(line))) }
            // The rows that existed before are in the copy only.
            if words[0] == "--since", name != "GRDB" { try compare(replica, program, tables, name) }
        }
        try compare(replica, program, tables, name)
        try program.run("untrack")
        // Byte for byte, after the same work of the owner without a history.
        #expect(try program.dump() == twin.dump())
        #expect(try program.sql("PRAGMA integrity_check") == "ok\n")
        #expect(try program.python("\(script)".replacing(work, with: "")).answer() == "done")
    }

    private func compare(
        _ replica: LineReplica, _ program: DBHistoryProgram, _ tables: [String], _ name: String
    )
        throws
    {
        for table in tables {
            let count = try program.sql("SELECT count(*) FROM \"\(table)\"")
            #expect("\(replica.tables[table]?.count ?? 0)\n" == count, "\(name): \(table)")
        }
    }

    private func record(_ database: String, _ tables: [String], visit: () throws -> Void) throws {
        func run(_ words: [String]) throws -> Shell { try Shell.run(DBHistoryProgram.path, words) }
        func schema() throws -> String { try Shell.run("sqlite3", [database, ".schema"]).output }
        let before = try schema()
        let tracked = try run(["track", database] + tables + ["--wal", "--values", "rows"])
        try #require(tracked.status == 0, "\(tracked.errors)")
        try visit()
        let lines = try run(["follow", database, "--since", "beginning", "--once", "--format", "jsonl"])
        #expect(lines.status == 0 && lines.output.contains("\"op\":\"insert\""), "\(lines.errors)")
        var replica = LineReplica()
        for line in lines.output.split(separator: "\n") { try replica.apply(ChangeLine(String(line))) }
        #expect(!replica.tables.isEmpty)
        let untracked = try run(["untrack", database])
        #expect(untracked.status == 0, "\(untracked.errors)")
        #expect(try schema() == before)
        try visit()
        #expect(try Shell.run("sqlite3", [database, "PRAGMA integrity_check"]).output == "ok\n")
    }

    private static func isInstalled(_ program: String) -> Bool {
        ((try? Shell.run("sh", ["-c", "command -v \(program)"]).status) ?? 1) == 0
    }

    @Test(.enabled(if: isInstalled("chromium"), "chromium is not installed"))
    func `the history of Chromium, which turns triggers off, is refused`() async throws {
        let folder = try TemporaryFolder()
        let database = folder.path(of: "profile/Default/History")
        // Chromium writes a visit after a few seconds.
        try "<title>tracked</title>".write(
            toFile: folder.path(of: "visited.html"), atomically: true, encoding: .utf8)
        let browser = try LineProcess(
            "chromium",
            [
                "--headless=new", "--no-sandbox", "--disable-gpu",
                "--user-data-dir=\(folder.path(of: "profile"))",
                "--remote-debugging-port=0", "file://\(folder.path(of: "visited.html"))",
            ], environment: ["HOME": folder.path])
        let isWritten = try await soon {
            let files = [database, database + "-wal"]
            return try !Shell.run("grep", ["-l", "-s", "-a", "-F", "visited.html"] + files).output.isEmpty
        }
        #expect(isWritten)
        browser.signal(SIGTERM)
        _ = browser.waitsForEnd()
        func dump() throws -> String { try Shell.run("sqlite3", [database, ".dump"]).output }
        let before = try dump()
        for tables in [[], ["urls"]] {
            let tracked = try Shell.run(DBHistoryProgram.path, ["track", database] + tables + ["--wal"])
            #expect(tracked.status == 2 && tracked.errors.contains("Chromium, which turns triggers off"))
        }
        #expect(try dump() == before)
    }

    @Test(.enabled(if: isInstalled("firefox-esr"), "firefox-esr is not installed"))
    func `Firefox's places are recorded while Firefox writes them`() throws {
        let folder = try TemporaryFolder()
        let (profile, page) = (folder.path(of: "profile"), folder.path(of: "page.html"))
        try FileManager.default.createDirectory(atPath: profile, withIntermediateDirectories: true)
        try "<title>tracked</title>".write(toFile: page, atomically: true, encoding: .utf8)
        func visit() throws {
            _ = try Shell.run(
                "timeout",
                [
                    "90", "firefox-esr", "--headless", "--no-remote", "--profile", profile, "--screenshot",
                    folder.path(of: "shot.png"), "file://\(page)",
                ], environment: ["HOME": folder.path, "MOZ_HEADLESS": "1"])
        }
        try visit()
        let database = profile + "/places.sqlite"
        try #require(FileManager.default.fileExists(atPath: database))
        try record(database, ["moz_places", "moz_historyvisits", "moz_origins", "moz_meta"]) { try visit() }
    }
}
