import Foundation
import TestSupport
import Testing

/// The maintenance commands: history clean, doctor, backup.
@Suite struct MaintenanceTests {
    let clips: ClipsProgram

    init() throws { clips = try ClipsProgram() }

    private func mode(_ path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }

    @Test func `history clean reports the deleted transactions, or those to delete`() throws {
        for title in ["a", "b", "c"] { try clips.run("add", "--title", title) }
        #expect(try clips.run("history", "clean").output == "Nothing was deleted.\n")
        let dry = try clips.run("history", "clean", "--before", "0d", "--dry-run")
        #expect(dry.output == "3 transactions with 3 changes would be deleted.\n", "\(dry)")
        #expect(try clips.run("history").output.split(separator: "\n").count == 3)
        #expect(
            try clips.run("history", "clean", "--before", "0d").output
                == "3 transactions with 3 changes were deleted.\n")
        #expect(try clips.run("history").output == "")
        #expect(try clips.run("list").output.split(separator: "\n").count == 3)
    }

    @Test func `deleted text is in no file next to the store after history clean`() throws {
        for title in ["retained", "first zebrafish", "second zebrafish", "third zebrafish", "last"] {
            try clips.run("add", "--title", title, "--tag", title.contains("rd") ? "zebrafish" : "other")
        }
        #expect(try clips.run("search", "zebrafish").output.split(separator: "\n").count == 3)
        try clips.run("delete", "3")
        #expect(try clips.run("search", "zebrafish").status <= 1)
        _ = try clips.sqlite3("UPDATE Clip SET title = 'changed' WHERE id = 2; DELETE FROM Clip WHERE id = 4")
        #expect(try !files(with: "zebrafish").isEmpty)
        let run = try clips.run("history", "clean", "--before", "0d")
        #expect(run.status == 0 && run.output.hasSuffix("were deleted.\n") && run.errors == "", "\(run)")
        #expect(try files(with: "zebrafish") == [])
        #expect(try clips.run("search", "retained").output.split(separator: "\n").count == 1)
        #expect(try clips.run("list").output.split(separator: "\n").count == 3)
        #expect(try clips.run("doctor").status == 0)
    }

    private func files(with word: String) throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: clips.folder.path).filter {
            FileManager.default.contents(atPath: clips.folder.path(of: $0))?.range(of: Data(word.utf8)) != nil
        }
    }

    @Test func `history clean retains transactions that a consumer has not read, and names it`() throws {
        for title in ["a", "b", "c"] { try clips.run("add", "--title", title) }
        _ = try clips.sqlite3(
            """
            INSERT INTO history_consumer (name, position, generation, registered, seen)
            SELECT 'mirror', min(number) + 3, 1, 0, 0 FROM history
            """)
        let run = try clips.run("history", "clean", "--before", "0d", "--json")
        #expect(
            run.output
                == "{\"blockedBy\":[\"mirror\"],\"changes\":1,\"dryRun\":false,\"retained\":2,\"transactions\":1}\n",
            "\(run)")
        #expect(
            try clips.run("history", "clean", "--before", "0d", "--dry-run").output
                == "Nothing would be deleted. 2 transactions are retained for mirror.\n")
    }

    @Test func `a second window has the name that the history shows, except in JSON`() throws {
        for title in ["a", "b", "c"] { try clips.run("add", "--title", title) }
        _ = try clips.sqlite3(
            """
            INSERT INTO history_consumer (name, position, generation, registered, seen)
            SELECT 'app#2', min(number) + 3, 1, 0, 0 FROM history
            """)
        #expect(try clips.run("consumers").output.hasPrefix("app 2  at "))
        #expect(try clips.run("consumers", "--json").output.contains("\"name\":\"app#2\""))
        let clean = try clips.run("history", "clean", "--before", "0d", "--dry-run")
        #expect(clean.output.hasSuffix("2 transactions are retained for app 2.\n"))
        let object = try clips.run("history", "clean", "--before", "0d", "--dry-run", "--json")
        #expect(object.output.contains("\"blockedBy\":[\"app#2\"]"))
        _ = try clips.sqlite3("UPDATE history_consumer SET generation = 0")
        #expect(try clips.run("doctor").output.contains("'app 2' did not read history"))
        _ = try clips.sqlite3("UPDATE history_consumer SET is_transient = 1, process = 1, process_start = 1")
        #expect(try clips.run("doctor").output.contains("'app 2' exited without unregistering"))
        #expect(try clips.run("doctor", "--json").output.contains("'app 2'"))
    }

    @Test func `a backup contains the clips and the history, and only its owner can read it`() throws {
        try clips.run("add", "--title", "a")
        let path = clips.folder.path(of: "backup.db")
        let run = try clips.run("backup", path)
        #expect(run.status == 0 && run.errors == "clips: Copied the store to \(path).\n" && run.output == "")
        #expect(try mode(path) == 0o600)
        #expect(try clips.run("list", "--store", path).output == clips.run("list").output)
        #expect(try clips.run("history", "--store", path).output == clips.run("history").output)
        let names = try FileManager.default.contentsOfDirectory(atPath: clips.folder.path)
        #expect(!names.contains { $0.hasPrefix("backup.db.") })
    }

    @Test func `a backup replaces a file only with --force, and never the store or a pipe`() throws {
        try clips.run("add", "--title", "a")
        let path = clips.folder.path(of: "backup.db")
        try "mine".write(toFile: path, atomically: true, encoding: .utf8)
        let run = try clips.run("backup", path)
        #expect(
            run.status == 1
                && run.errors == "clips: The file \(path) already exists. Use --force to replace it.\n")
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "mine")
        #expect(try clips.run("backup", "--force", path).status == 0)
        #expect(try clips.run("list", "--store", path).output.hasSuffix("  a\n"))
        #expect(
            try clips.run("backup", "--force", clips.storePath).errors
                == "clips: No backup was made at \(clips.storePath): it is the store itself.\n")
        let pipe = clips.folder.path(of: "pipe")
        mkfifo(pipe, 0o600)
        #expect(try clips.run("backup", "--force", pipe).errors.contains("it is not a regular file"))
    }

    @Test func `a backup that a program has open, or whose log has contents, is not replaced`() throws {
        try clips.run("add", "--title", "a")
        let path = clips.folder.path(of: "backup.db")
        #expect(try clips.run("backup", path).status == 0)
        // Its reader may not delete the log, which remains without contents.
        #expect(try Shell.run("sqlite3", ["-readonly", path, "SELECT count(*) FROM Clip"]).output == "1\n")
        try "".write(toFile: path + "-wal", atomically: true, encoding: .utf8)
        #expect(try clips.run("backup", "--force", path).status == 0)
        #expect(!FileManager.default.fileExists(atPath: path + "-wal"))
        do {
            let reader = try LineProcess("sqlite3", [path])
            reader.send("SELECT count(*) FROM Clip;")
            #expect(try reader.answer() == "1")
            #expect(try clips.run("backup", "--force", path).errors.contains("so the file is in use"))
        }
        try "x".write(toFile: path + "-wal", atomically: true, encoding: .utf8)
        #expect(try clips.run("backup", "--force", path).errors.contains("so the file is in use"))
    }

    @Test func `a backup is one state of the store while another process writes`() async throws {
        try clips.run("add", "--title", "first")
        let pair =
            "BEGIN; INSERT INTO Clip (title) VALUES ('t'); INSERT INTO Clip (title) VALUES ('t'); COMMIT;\n"
        let input = clips.folder.path(of: "input.sql")
        try (".timeout 5000\n" + String(repeating: pair, count: 100_000)).write(
            toFile: input, atomically: true, encoding: .utf8)
        let writer = Process()
        writer.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        writer.arguments = ["sqlite3", clips.storePath]
        writer.standardInput = FileHandle(forReadingAtPath: input)
        try writer.run()
        defer {
            kill(writer.processIdentifier, SIGKILL)
            writer.waitUntilExit()
        }
        #expect(try await soon { try Int(clips.sqlite3("SELECT count(*) FROM Clip")) ?? 0 > 100 })
        for round in 0..<3 {
            let path = clips.folder.path(of: "backup-\(round).db")
            #expect(try clips.run("backup", path).status == 0)
            let answer = try Shell.run(
                "sqlite3", [path], input: "PRAGMA integrity_check; SELECT count(*) % 2 FROM Clip;")
            #expect(answer.output == "ok\n1\n")
        }
        #expect(writer.isRunning)
    }

    @Test func `the doctor reports a new store as well`() throws {
        try clips.run("add", "--title", "a")
        try clips.run("search", "a")
        let run = try clips.run("doctor")
        #expect(run.status == 0 && run.errors == "", "\(run)")
        let lines = run.output.split(separator: "\n")
        #expect(lines.dropLast().allSatisfy { $0.hasSuffix(" well") } && lines.count == 8, "\(run.output)")
        #expect(lines.last?.contains("KB in all") == true)
    }

    @Test func `the doctor reports each fault, and repairs all that it can without loss`() throws {
        for title in ["a", "b", "c"] { try clips.run("add", "--title", title) }
        try clips.run("search", "a")
        let token = try clips.run("history", "--json", "--limit", "1").output.firstMatch(
            of: /"token":"([^"]+)"/)
        _ = try clips.sqlite3(
            """
            DROP TRIGGER Clip_records_delete; DELETE FROM Clip WHERE id = 2;
            INSERT INTO history_values_Clip (number) VALUES (99999);
            INSERT INTO history_consumer (name, position, generation, process, process_start, registered, seen,
            is_transient) VALUES ('window', 1, 1, 1, 1, 0, 0, 1)
            """)
        chmod(clips.storePath, 0o644)
        let index = clips.storePath + "-search"
        try FileHandle(forWritingTo: URL(fileURLWithPath: index)).truncate(atOffset: 5000)
        let sick = try clips.run("doctor")
        #expect(sick.status == 1)
        for words in [
            "The triggers of Clip are missing", "The history contradicts the table Clip in 1 row.",
            "values without a change in 1 row", "'window' exited without unregistering", "(mode 644)",
            "The search index is damaged",
        ] {
            #expect(sick.output.contains(words), "\(words): \(sick.output)")
        }
        #expect(try clips.sqlite3("SELECT count(*) FROM history_consumer WHERE name = 'window'") == "1")
        let repaired = try clips.run("doctor", "--repair")
        #expect(repaired.status == 0, "\(repaired.output)")
        #expect(repaired.output.split(separator: "Repaired.").count >= 7, "\(repaired.output)")
        #expect(try clips.run("doctor").status == 0)
        #expect(try mode(clips.storePath) == 0o600)
        #expect(try clips.run("search", "title:c").output.hasSuffix("  c\n"))
        // An earlier reader cannot take the history for complete.
        let old = String(try #require(token).1)
        #expect(try clips.run("history", "--after", old).errors.contains("was purged"))
        _ = try clips.sqlite3("DELETE FROM Clip WHERE id = 1")
        #expect(try clips.run("restore", "1").status == 0)
    }

    @Test func `the doctor reports a busy search index as busy`() throws {
        try clips.run("add", "--title", "a")
        try clips.run("search", "a")
        let holder = try LineProcess(
            "python3",
            [
                "-c",
                """
                import sqlite3, sys
                index = sqlite3.connect(sys.argv[1], isolation_level=None)
                index.execute("BEGIN IMMEDIATE")
                print("held", flush=True)
                sys.stdin.readline()
                index.execute("ROLLBACK")
                print("released", flush=True)
                """, clips.storePath + "-search",
            ])
        #expect(try holder.answer() == "held")
        let busy = try clips.run("doctor", "--repair")
        #expect(
            busy.status == 1 && busy.output.contains("another process wrote the search index for 5000 ms"),
            "\(busy)")
        #expect(!busy.output.contains("damaged"))
        #expect(try holder.ask("go") == "released")
        #expect(try clips.run("doctor").status == 0)
    }

    @Test func `the doctor compares the search index with the clips`() throws {
        for title in ["one", "two", "three", "four"] { try clips.run("add", "--title", title) }
        try clips.run("search", "one")
        #expect(try clips.run("doctor").status == 0)
        let index = clips.storePath + "-search"
        let sql = "DELETE FROM document WHERE object = 1; UPDATE document SET object = 99 WHERE object = 2;\n"
        #expect(try Shell.run("sqlite3", [index], input: sql).errors == "")
        // A change without triggers, which neither the history nor the index can contain.
        let unrecorded = ".dbconfig enable_trigger off\nUPDATE Clip SET title = 'zzz' WHERE id = 3;\n"
        #expect(try Shell.run("sqlite3", [clips.storePath], input: unrecorded).errors == "")
        // Changes since the last update of the index are not counted.
        try clips.run("add", "--title", "five")
        let sick = try clips.run("doctor")
        #expect(
            sick.status == 1
                && sick.output.contains(
                    "The search index differs from the store: 2 missing clips, 1 deleted clip, 1 outdated clip."
                ),
            "\(sick.output)")
        #expect(try clips.run("doctor", "--repair").status == 0)
        #expect(try clips.run("doctor").status == 0)
        #expect(try clips.run("search", "zzz").output.hasSuffix("  zzz\n"))
    }

    @Test func `no message recommends a command that Debian's sqlite3 lacks`() throws {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let found = try Shell.run("grep", ["-rnE", "sqlite3 .*[.]recover", folder.path + "/Sources"])
        #expect(found.output == "")
    }

    @Test func `the history can be read after a repair, which expires its tokens`() throws {
        for title in ["a", "b"] { try clips.run("add", "--title", title) }
        _ = try clips.sqlite3("DROP TRIGGER Clip_records_update")
        #expect(try clips.run("star", "2").status == 0)
        for words in [[], ["--json"], ["--after", "1d"], ["--limit", "1"]] {
            let run = try Shell.run(ClipsProgram.path, ["history"] + words, environment: clips.environment)
            #expect(run.status == 0 && run.output.split(separator: "\n").count == 1, "\(words): \(run)")
        }
    }

    @Test func `the store's own files are neither exported to nor imported`() throws {
        try clips.run("add", "--title", "a")
        let before = try clips.sqlite3("SELECT * FROM Clip")
        for name in ["", "-wal", "-shm"] {
            let holder = try LineProcess("sqlite3", [clips.storePath])
            #expect(try holder.ask("SELECT count(*) FROM Clip;") == "1")
            let export = try clips.run("export", "--format", "json", "-o", clips.storePath + name)
            #expect(export.status == 1 && export.errors.contains("a file of the store itself"), "\(export)")
            let run = try clips.run("import", "--format", "text", clips.storePath + name)
            #expect(run.status != 0 && run.errors.contains("a file of the store itself"), "\(run)")
        }
        #expect(try clips.sqlite3("SELECT * FROM Clip") == before)
    }

    @Test func `the doctor reports why a store cannot be opened`() throws {
        let path = clips.folder.path(of: "notes.db")
        try String(repeating: "no database at all ", count: 300).write(
            toFile: path, atomically: true, encoding: .utf8)
        chmod(path, 0o644)
        let run = try clips.run("doctor", "--store", path)
        #expect(run.status == 1 && run.errors.contains("is not a store of this program"), "\(run)")
        #expect(run.output.contains("(mode 644)"))
        #expect(try clips.run("doctor", "--store", path + "-none").errors.contains("There is no store at"))
    }

    @Test func `the doctor reports a damaged page`() throws {
        let text = String(repeating: "text ", count: 400)
        try clips.run(
            "add", "--jsonl",
            input: (0..<50).map { "{\"title\":\"title \($0)\",\"text\":\"\(text)\"}\n" }.joined())
        _ = try clips.sqlite3("PRAGMA wal_checkpoint(TRUNCATE)")
        let root =
            Int(try clips.sqlite3("SELECT rootpage FROM sqlite_schema WHERE name = 'Clip_by_url'")) ?? 0
        let file = try FileHandle(forUpdating: URL(fileURLWithPath: clips.storePath))
        try file.seek(toOffset: UInt64(root - 1) * 4096)
        try file.write(contentsOf: Data(repeating: 0x5A, count: 4096))
        try file.close()
        let run = try clips.run("doctor", "--json")
        #expect(run.status == 1 && run.output.contains("An index of the store is damaged"), "\(run)")
    }
}
