import ClipsCore
import Foundation
import PersistentStore
import TestSupport
import Testing

/// `clips backup restore` while a store is in use, after a crash, over damage, and ended at any moment.
@Suite(.serialized) struct RestoreTests {
    private static let late = 3

    /// A store with a log that a killed process left, and a copy that lacks its last clips.
    private func crashed() throws -> (clips: ClipsProgram, copy: String) {
        let clips = try Situation.someClips.make {
            try $0.run("backup", "--quiet", $0.folder.path(of: "copy"))
            try $0.run("search", "clip")
            for number in 1...Self.late { try $0.run("add", "--title", "clip late \(number)") }
            try Shell.run(
                "sqlite3", [$0.storePath],
                input: "PRAGMA wal_autocheckpoint = 0;\nUPDATE Clip SET note = 'x';\n.shell kill -9 $PPID\n")
        }
        return (clips, clips.folder.path(of: "copy"))
    }

    private func replaced(_ clips: ClipsProgram) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: clips.folder.path)
            .filter { $0.hasPrefix("clips.db.replaced-") }.sorted().map(clips.folder.path(of:))
    }

    @Test func `a restore after a crash replays no old log, and retains the old store with its log`()
        async throws
    {
        let (clips, copy) = try crashed()
        #expect(FileManager.default.fileExists(atPath: clips.storePath + "-wal"))
        let sum = try Shell.run("cksum", [copy]).output
        let run = try clips.run("backup", "restore", copy)
        #expect(run.status == 0 && run.errors.hasPrefix("clips: Restored \(clips.storePath) from \(copy)."))
        let old = run.output.trimmingCharacters(in: .newlines)
        #expect(try replaced(clips).first == old, "\(run)")
        #expect(try clips.sqlite3("SELECT count(*), max(note) FROM Clip") == "\(Situation.clips)|")
        #expect(await Oracle(clips: clips).complaints(saved: try clips.ids()) == [])
        let retained = try Shell.run(
            "sqlite3", [old],
            input: "PRAGMA integrity_check; SELECT count(*), min(note) FROM Clip;")
        #expect(retained.output == "ok\n\(Situation.clips + Self.late)|x\n", "\(retained)")
        #expect(try Shell.run("cksum", [copy]).output == sum)
    }

    @Test func `a token from before a restore belongs to another store, and a cursor is expired`() throws {
        let (clips, copy) = try crashed()
        let json = try clips.run("history", "--json", "--limit", "1").output
        let token = String(try #require(json.firstMatch(of: /"token":"([^"]+)"/)).1)
        let generation = try clips.sqlite3("SELECT value FROM store_metadata WHERE key = 'generation'")
        try clips.run("backup", "restore", copy)
        let run = try clips.run("history", "--after", token)
        #expect(run.status == 1 && run.errors.contains("belongs to another store"), "\(run)")
        #expect(
            try clips.sqlite3("SELECT value FROM store_metadata WHERE key = 'generation'")
                == "\(try #require(Int(generation)) + 1)")
    }

    @Test func `a program with the store open reports that it was replaced, and writes nothing into it`()
        throws
    {
        let (clips, copy) = try crashed()
        let errors = clips.folder.path(of: "follower")
        let follower = try LineProcess(
            "sh",
            [
                "-c", "exec \"$0\" history --follow --store \"$1\" 2> \"$2\"", ClipsProgram.path,
                clips.storePath, errors,
            ])
        _ = try follower.answer()
        let app = try AppSession(clips)
        #expect(app.shows("live"))
        #expect(app.shows("clip late 3"))
        let run = try clips.run("backup", "restore", copy)
        #expect(run.status == 0, "\(run)")
        #expect(follower.waitsForEnd() == 1)
        let said = try String(contentsOfFile: errors, encoding: .utf8)
        #expect(said.contains("was replaced") && Sentences.fault(in: said) == nil, "\(said)")
        #expect(
            app.shows("The store file was replaced or emptied: quit and restart"), "\(app.lines.suffix(3))")
        app.type("ahttps://example.org/late\r")
        #expect(app.shows("Your text is in"))
        #expect(try clips.ids().count == Situation.clips)
        #expect(try clips.sqlite3("PRAGMA integrity_check") == "ok")
    }

    @Test func `a clip that a concurrent writer reports as saved is in the old store or in the restored one`()
        throws
    {
        let (clips, copy) = try crashed()
        let writer = try LineProcess(
            "sh",
            [
                "-c",
                "i=0; while :; do i=$((i + 1)); \"$0\" add --quiet --store \"$1\" --title \"clip w$i\" < /dev/null > /dev/null 2>&1 && echo w$i; done",
                ClipsProgram.path, clips.storePath,
            ])
        var saved: [String] = []
        for _ in 0..<3 {
            saved.append(try writer.answer())
            let run = try clips.run("backup", "restore", copy)
            #expect(run.status == 0, "\(run)")
            saved.append(try writer.answer())
        }
        writer.killNow()
        var titles = ""
        for path in try replaced(clips).filter({ !$0.hasSuffix("-wal") }) + [clips.storePath] {
            titles += try Shell.run("sqlite3", [path], input: "SELECT title FROM Clip;\n").output
        }
        let present = Set(titles.split(separator: "\n").map(String.init))
        #expect(saved.allSatisfy { present.contains("clip \($0)") }, "\(saved)")
    }

    @Test(arguments: Damage.Kind.allCases)
    func `a damaged store is replaced, and retained unchanged`(kind: Damage.Kind) async throws {
        var random = SeededRandom(seed: 5)
        for round in 0..<LongProof.count(2, of: 20, "damaged stores to replace: \(kind)") {
            let (clips, copy) = try crashed()
            // Without a log the first round, with one the second.
            if round.isMultiple(of: 2) { _ = try clips.sqlite3("PRAGMA wal_checkpoint(TRUNCATE)") }
            try kind.harm(clips.storePath, &random)
            let harmed = try Data(contentsOf: URL(fileURLWithPath: clips.storePath))
            let run = try clips.run("backup", "restore", copy)
            try #require(run.status == 0, "round \(round): \(run)")
            #expect(try clips.ids().count == Situation.clips)
            #expect(await Oracle(clips: clips).complaints() == [], "round \(round)")
            let old = try replaced(clips)
            if harmed.isEmpty { continue }
            #expect(try Data(contentsOf: URL(fileURLWithPath: try #require(old.first))) == harmed)
        }
    }

    @Test func `a destroyed first page is replaced, even while the app has the store open`() async throws {
        let (clips, copy) = try crashed()
        let app = try AppSession(clips)
        #expect(app.shows("live"))
        let file = try FileHandle(forUpdating: URL(fileURLWithPath: clips.storePath))
        try file.write(contentsOf: Data(repeating: 0x5A, count: Damage.pageSize))
        try file.close()
        let run = try clips.run("backup", "restore", copy)
        #expect(run.status == 0, "\(run)")
        #expect(
            app.shows("The store file was replaced or emptied: quit and restart"), "\(app.lines.suffix(3))")
        #expect(try clips.sqlite3("PRAGMA journal_mode; PRAGMA integrity_check") == "wal\nok")
        #expect(await Oracle(clips: clips).complaints() == [])
    }

    @Test(arguments: [
        Fault(calls: "wstn", kind: .kill), Fault(calls: "w", kind: .torn),
        Fault(calls: "o", kind: .kill), Fault(calls: "wst", kind: .error(ENOSPC), persists: true),
        Fault(calls: "orwstn", kind: .error(EIO)),
    ])
    func `ended at any moment, a restore leaves the old store or the restored one whole`(fault: Fault)
        async throws
    {
        let (template, copy) = try crashed()
        let before = try template.idsOfCopy()
        let name = URL(fileURLWithPath: copy).lastPathComponent
        let stride = LongProof.isWhole ? 1 : 41
        if stride > 1 { LongProof.omits("\(stride - 1) of \(stride) calls in a restore: \(fault)") }
        var number = 1
        var outcomes: Set<Bool> = []
        while true {
            let clips = try template.copy()
            let note = clips.folder.path(of: "note")
            let run = try clips.run(
                ["backup", "restore", clips.folder.path(of: name)],
                with: fault.environment(at: number, path: clips.folder.path(of: "clips.db"), note: note))
            guard FileManager.default.fileExists(atPath: note) else { break }
            let context: Comment = "call \(number): \(run.status) \(run.errors)"
            let ids = try clips.idsOfCopy()
            let isRestored = ids.count == Situation.clips
            outcomes.insert(isRestored)
            #expect(isRestored || ids == before, context)
            if !fault.kind.isDeadly {
                #expect(run.status == 0 ? isRestored : run.status == 1, context)
                if run.status == 1 { #expect(Sentences.fault(in: run.errors) == nil, context) }
            }
            if isRestored {
                // The old store is complete under its new name.
                let old = try #require(try replaced(clips).first { !$0.hasSuffix("-wal") }, context)
                let count = try Shell.run("sqlite3", [old], input: "SELECT count(*) FROM Clip;\n").output
                #expect(count == "\(before.count)\n", context)
            }
            let complaints = await Oracle(clips: clips).complaints(saved: ids)
            #expect(complaints == [], context)
            // A second attempt succeeds.
            let again = try clips.run("backup", "restore", clips.folder.path(of: name))
            #expect(again.status == 0, "\(again)")
            number += stride
        }
        #expect(outcomes.contains(false))
    }

    @Test func `a file that is not a whole store of this program is not restored`() throws {
        let (clips, copy) = try crashed()
        let before = try clips.idsOfCopy()
        let text = clips.folder.path(of: "text")
        try String(repeating: "no database at all ", count: 300)
            .write(toFile: text, atomically: true, encoding: .utf8)
        let harmed = clips.folder.path(of: "harmed")
        try FileManager.default.copyItem(atPath: copy, toPath: harmed)
        let root = try Shell.run(
            "sqlite3", [copy], input: "SELECT rootpage FROM sqlite_schema WHERE name = 'Clip_by_url';\n")
        let page = UInt64(try #require(Int(root.output.trimmingCharacters(in: .newlines)))) - 1
        let file = try FileHandle(forUpdating: URL(fileURLWithPath: harmed))
        try file.seek(toOffset: page * 4096)
        try file.write(contentsOf: Data(repeating: 0x5A, count: 4096))
        try file.close()
        let newer = clips.folder.path(of: "newer")
        try FileManager.default.copyItem(atPath: copy, toPath: newer)
        try Shell.run("sqlite3", [newer], input: "PRAGMA user_version = 99;\n")
        for (path, words) in [
            (text, "is not a store of this program"), (harmed, "is corrupt"), (newer, "newer version"),
            (clips.folder.path(of: "none"), "There is no store at"), (clips.storePath, "is the store itself"),
        ] {
            let run = try clips.run("backup", "restore", path)
            #expect(run.status == 1 && run.errors.contains(words), "\(run)")
        }
        #expect(try clips.idsOfCopy() == before)
        #expect(try replaced(clips) == [])
    }

    @Test func `a copy with pages of another size is restored`() async throws {
        let (clips, copy) = try crashed()
        try Shell.run(
            "sqlite3", [copy], input: "PRAGMA journal_mode = DELETE; PRAGMA page_size = 8192; VACUUM;\n")
        let run = try clips.run("backup", "restore", copy)
        #expect(run.status == 0, "\(run)")
        #expect(
            try clips.sqlite3("PRAGMA journal_mode; SELECT count(*) FROM Clip") == "wal\n\(Situation.clips)")
        #expect(await Oracle(clips: clips).complaints() == [])
    }

    @Test func `a restore to a path without a store makes one`() throws {
        let (clips, copy) = try crashed()
        let other = try ClipsProgram()
        let run = try other.run("backup", "restore", copy)
        #expect(run.status == 0 && run.output == "", "\(run)")
        #expect(try other.ids().count == Situation.clips)
        #expect(try Shell.run("stat", ["-c", "%a", other.storePath]).output == "600\n")
        _ = clips
    }
}
