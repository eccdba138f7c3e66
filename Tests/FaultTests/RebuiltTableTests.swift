import Foundation
import TestSupport
import Testing

/// A table that another program rebuilds under an open window, as in sqlite.org/lang_altertable.html#otheralter.
@Suite(.serialized) struct RebuiltTableTests {
    private func rebuild(_ clips: ClipsProgram, without part: String = "", then more: String = "") throws {
        let sql = try clips.sqlite3("SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = 'Clip'")
            .replacing(part.isEmpty ? "\u{0}" : part, with: "")
        let run = try Shell.run(
            "sqlite3", [clips.storePath],
            input: """
                .timeout 5000
                BEGIN; \(sql.replacing("\"Clip\"", with: "new_Clip")); INSERT INTO new_Clip SELECT * FROM Clip;
                DROP TABLE Clip; ALTER TABLE new_Clip RENAME TO Clip; \(more) COMMIT;
                """)
        #expect(run.errors == "")
    }

    @Test func `a window saves, records, and shows later clips`() async throws {
        let clips = try Situation.someClips.make()
        let app = try AppSession(clips)
        #expect(app.shows("live"))
        try rebuild(clips)
        app.type("ahttps://example.org/late\r")
        #expect(
            try await soon {
                try clips.sqlite3("SELECT count(*) FROM Clip WHERE url = 'https://example.org/late'") == "1"
            })
        #expect(app.shows("example.org/late"))
        let changes = "SELECT count(*) FROM history WHERE kind = 0 AND object = (SELECT max(id) FROM Clip)"
        #expect(try clips.sqlite3(changes) == "1")
        // Of another process too, although the window's tokens have expired.
        #expect(try clips.run("add", "--title", "clip of another process").status == 0)
        #expect(app.shows("clip of another process"))
    }

    @Test func `a window that cannot save retains the text and names the missing column`() throws {
        let clips = try Situation.someClips.make()
        let app = try AppSession(clips)
        #expect(app.shows("live"))
        let names = try clips.sqlite3(
            "SELECT name FROM sqlite_schema WHERE type IN ('trigger', 'index') AND tbl_name = 'Clip' AND sql NOT NULL"
        )
        for name in names.split(separator: "\n") {
            _ = try clips.sqlite3("DROP TRIGGER IF EXISTS \(name)")
            _ = try clips.sqlite3("DROP INDEX IF EXISTS \(name)")
        }
        _ = try clips.sqlite3("ALTER TABLE Clip DROP COLUMN note")
        app.type("ahttps://example.org/late\r")
        #expect(app.shows("has no note"))
        let run = try clips.run("extension", "--title", "precious")
        #expect(run.status == 1 && run.errors.contains("its Clip has no note"), "\(run)")
        #expect(try clips.unsaved().contains("precious"))
    }

    @Test func `a save retains another program's triggers, and assigns no ID again`() throws {
        let clips = try ClipsProgram()
        for title in ["a", "b", "c"] { try clips.run("add", "--title", title) }
        let triggers = try clips.sqlite3(
            "SELECT group_concat(sql, ';') || ';' FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = 'Clip'"
        )
        // SQLite stores the table's name of a trigger as it was written.
        let own = "CREATE TRIGGER theirs AFTER INSERT ON clip BEGIN SELECT 1; END;"
        try rebuild(clips, without: " AUTOINCREMENT", then: triggers + own)
        #expect(try clips.run("delete", "3").status == 0)
        let added = try clips.run("add", "--title", "d")
        #expect(added.output == "4\n", "\(added)")
        #expect(
            try clips.sqlite3("SELECT count(*) FROM sqlite_schema WHERE name = 'theirs'") == "1")
    }
}
