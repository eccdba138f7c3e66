import Foundation
import TestSupport
import Testing

/// Files that were damaged while no process had them open.
@Suite(.serialized) struct DamagedFileTests {
    private static let commands = [
        ["list"], ["search", "clip", "--limit", "1000"], ["extension", "--title", "clip new"], ["doctor"],
        ["export", "--format", "csv"], ["history"], ["backup", "--force", "FOLDER/backup.db"],
    ]

    private func all(_ clips: ClipsProgram) throws -> [Shell] {
        try Self.commands.map { words in
            try clips.run(
                words.map { $0.replacingOccurrences(of: "FOLDER", with: clips.folder.path) }, with: [:])
        }
    }

    @Test(arguments: Damage.Kind.allCases)
    func `a damaged store crashes no command, and is reported with advice`(kind: Damage.Kind) throws {
        var random = SeededRandom(seed: 7)
        let template = try Situation.someClips.make()
        for round in 0..<LongProof.count(1, of: 60, "damaged stores: \(kind)") {
            let clips = try template.copy()
            try kind.harm(clips.storePath, &random)
            for (words, run) in zip(Self.commands, try all(clips)) {
                let context: Comment = "round \(round), \(words): \(run.status) \(run.errors)"
                #expect(run.status <= 2, context)
                if run.status != 0, words != ["doctor"] || !run.errors.isEmpty {
                    #expect(Sentences.fault(in: run.errors) == nil, context)
                }
                // A damaged store is never treated as a new one.
                if kind == .emptied || kind == .text { #expect(run.status == 1, context) }
            }
        }
    }

    @Test func `an emptied store is not created again, and its log is not deleted`() throws {
        let clips = try Situation.longLog.make()
        truncate(clips.storePath, 0)
        let log = try Shell.run("cksum", [clips.storePath + "-wal"]).output
        for run in try all(clips) {
            #expect(
                run.status == 1 && run.errors.contains("is empty. Restore a backup"), "\(run)")
        }
        #expect(try Shell.run("cksum", [clips.storePath + "-wal"]).output == log)
        // An empty file that was never used becomes a store.
        let other = try ClipsProgram()
        close(creat(other.storePath, 0o644))
        #expect(try other.run("extension", "--title", "clip").output == "1\n")
        #expect(try Shell.run("stat", ["-c", "%a", other.storePath]).output == "600\n")
    }

    /// An empty file, and a database without tables.
    @Test(arguments: ["", "PRAGMA page_size = 4096; VACUUM; PRAGMA journal_mode = WAL"])
    func `only a command that saves makes a store of an empty file`(sql: String) throws {
        let clips = try ClipsProgram()
        close(creat(clips.storePath, 0o644))
        if !sql.isEmpty { _ = try clips.sqlite3(sql) }
        let state = ["-c", "%s %a %Y %n", clips.storePath]
        let before = try Shell.run("stat", state).output
        let others = [
            "show 1", "open 1", "random", "tags", "read 1", "star 1", "delete 1", "restore 1",
            "undo", "dedupe --yes", "doctor --repair", "history clean",
        ]
        for words in Self.commands + others.map({ $0.split(separator: " ").map(String.init) })
        where words[0] != "extension" {
            let words = words.map { $0.replacingOccurrences(of: "FOLDER", with: clips.folder.path) }
            let run = try clips.run(words, with: [:])
            #expect(run.status == 1 && run.errors.contains("is empty. Restore a backup"), "\(words) \(run)")
            #expect(try Shell.run("stat", state).output == before, "\(words)")
        }
        let names = try FileManager.default.contentsOfDirectory(atPath: clips.folder.path)
        #expect(names.filter { $0.hasPrefix("clips.db") && $0 != "clips.db" } == [])
        #expect(try clips.run("add", "--title", "clip").output == "1\n")
    }

    @Test(arguments: ["history", "Clip_by_url"])
    func `clips outside a damaged page can be exported`(name: String) throws {
        let clips = try Situation.someClips.make()
        try Damage.page(of: name, in: clips)
        let run = try clips.run("export", "--format", "jsonl")
        #expect(
            run.status == 0 && run.output.split(separator: "\n").count == Situation.clips, "\(run.errors)")
        // A damaged store does not replace a good backup.
        let backup = clips.folder.path(of: "backup.db")
        try "good".write(toFile: backup, atomically: true, encoding: .utf8)
        let copy = try clips.run("backup", "--force", backup)
        #expect(copy.status == 1 && copy.errors.contains("is corrupt"), "\(copy)")
        #expect(try String(contentsOfFile: backup, encoding: .utf8) == "good")
    }

    @Test(arguments: Damage.Kind.allCases)
    func `a damaged index finds all clips, or is rebuilt`(kind: Damage.Kind) async throws {
        var random = SeededRandom(seed: 8)
        let template = try Situation.indexed.make()
        for round in 0..<LongProof.count(1, of: 60, "damaged indexes: \(kind)") {
            let clips = try template.copy()
            try kind.harm(clips.storePath + "-search", &random)
            let run = try clips.run("search", "clip", "--limit", "1000")
            let found = run.output.split(separator: "\n").count { !$0.hasPrefix(" ") }
            let isRight = run.status == 0 || found == 0 && run.errors.contains("No clip matches")
            #expect(isRight, "round \(round): \(run.errors)")
            if found != Situation.clips {
                // Only the doctor, which reads all of it, detects such damage.
                let doctor = try clips.run("doctor")
                #expect(doctor.output.contains("The search index is damaged"), "round \(round): \(found)")
            }
            #expect(try clips.run("doctor", "--repair").status == 0)
            #expect(await Oracle(clips: clips).complaints(saved: try template.idsOfCopy()) == [])
        }
    }

    @Test(arguments: ["-wal", "-shm"], Damage.Kind.allCases)
    func `a damaged log is read up to the damage, and its index is rebuilt`(end: String, kind: Damage.Kind)
        async throws
    {
        var random = SeededRandom(seed: 9)
        let template = try Situation.longLog.make()
        let saved = try template.idsOfCopy()
        for round in 0..<LongProof.count(1, of: 40, "damaged logs: \(kind), \(end)") {
            let clips = try template.copy()
            try kind.harm(clips.storePath + end, &random)
            // The clips were in the file before the log began.
            let complaints = await Oracle(clips: clips).complaints(saved: saved)
            #expect(complaints == [], "round \(round)")
        }
    }

    @Test func `untrusted text of a file in an error is shown, not interpreted`() throws {
        let clips = try Situation.someClips.make()
        _ = try clips.sqlite3("PRAGMA wal_checkpoint(TRUNCATE);")
        let url = URL(fileURLWithPath: clips.storePath)
        var bytes = try Data(contentsOf: url)
        // In the text of a trigger, which SQLite quotes in its syntax error.
        let range = try #require(bytes.range(of: Data("AFTER INSERT ON".utf8)))
        bytes.replaceSubrange(range, with: Data("\u{1B}[2J\u{1B}[31mboo!!!".utf8.prefix(range.count)))
        try bytes.write(to: url)
        let run = try clips.run("list")
        #expect(run.status == 1 && !run.errors.contains("\u{1B}"), "\(run)")
    }
}
