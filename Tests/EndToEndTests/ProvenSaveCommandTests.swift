import Foundation
import TestSupport
import Testing

/// A command that reports a save has saved, regardless of changes to the store by another program.
@Suite struct ProvenSaveCommandTests {
    let clips: ClipsProgram

    init() throws {
        clips = try ClipsProgram()
        for title in ["one", "two"] { try clips.run("add", "--title", title) }
    }

    /// The 12 steps of sqlite.org/lang_altertable.html#otheralter, which delete the table's triggers.
    private func rebuild() throws {
        let sql = try clips.sqlite3("SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = 'Clip'")
        let run = try Shell.run(
            "sqlite3", [clips.storePath],
            input: """
                BEGIN; \(sql.replacing("\"Clip\"", with: "new_Clip")); INSERT INTO new_Clip SELECT * FROM Clip;
                DROP TABLE Clip; ALTER TABLE new_Clip RENAME TO Clip; COMMIT;
                """)
        #expect(run.errors == "")
        #expect(try triggers() == "0")
    }

    private func triggers() throws -> String {
        try clips.sqlite3("SELECT count(*) FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = 'Clip'")
    }

    @Test(arguments: [
        (["extension", "--title", "new"], "", "SELECT count(*) FROM Clip WHERE title = 'new'"),
        (["add", "--jsonl"], "{\"title\":\"new\"}\n", "SELECT count(*) FROM Clip WHERE title = 'new'"),
        (["import", "-"], "https://example.org new\n", "SELECT count(*) = 3 FROM Clip"),
        (["star", "1"], "", "SELECT starred FROM Clip WHERE id = 1"),
        (["tag", "1", "+new"], "", "SELECT tags LIKE '%new%' FROM Clip WHERE id = 1"),
        (["delete", "2"], "", "SELECT count(*) FROM Clip"),
    ])
    func `after a table rebuild every reported save is stored and recorded`(
        words: [String], input: String, check: String
    ) throws {
        let before = try clips.sqlite3("SELECT max(number) FROM history")
        try rebuild()
        let run = try Shell.run(ClipsProgram.path, words, input: input, environment: clips.environment)
        #expect(run.status == 0, "\(run)")
        #expect(try clips.sqlite3(check) == "1")
        #expect(
            try clips.sqlite3("SELECT count(*) > 0 FROM history WHERE kind < 3 AND number > \(before)") == "1"
        )
        #expect(try triggers() != "0")
    }

    @Test func `a trigger that ignores the clip is named, and the clip is retained`() throws {
        _ = try clips.sqlite3("CREATE TRIGGER mine BEFORE INSERT ON Clip BEGIN SELECT RAISE(IGNORE); END")
        let run = try clips.run("extension", "--title", "precious")
        #expect(run.status == 1 && run.output == "", "\(run)")
        #expect(run.errors.contains("the trigger 'mine' on the table"), "\(run.errors)")
        #expect(run.errors.contains("The unsaved clip is retained in"), "\(run.errors)")
    }

    @Test(.enabled(if: geteuid() == 0, "needs a second user"))
    func `the superuser's search leaves every file of a user's store to the user`() throws {
        for name in try FileManager.default.contentsOfDirectory(atPath: clips.folder.path) {
            if name.hasPrefix("clips.db-") { unlink(clips.folder.path(of: name)) }
        }
        chown(clips.storePath, 65534, 65534)
        chown(clips.folder.path, 65534, 65534)
        #expect(try clips.run("search", "one").output.contains("one"))
        #expect(try clips.run("add", "--title", "three").status == 0)
        let names = try FileManager.default.contentsOfDirectory(atPath: clips.folder.path)
        #expect(names.contains("clips.db-search"), "\(names)")
        for name in names where name.hasPrefix("clips.db") {
            var status = stat()
            #expect(stat(clips.folder.path(of: name), &status) == 0 && status.st_uid == 65534, "\(name)")
        }
    }
}
