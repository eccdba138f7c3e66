import Foundation
import TestSupport
import Testing

/// The oracle detects the faults that it must detect.
@Suite struct OracleTests {
    @Test func `a sound store passes`() async throws {
        for situation in [Situation.noStore, .someClips, .indexed, .longLog] {
            let clips = try situation.make()
            let saved = situation == .noStore ? [] : try clips.ids()
            #expect(await Oracle(clips: clips).complaints(saved: saved) == [])
        }
        let clips = try Situation.someClips.make()
        try clips.run("history", "clean", "--before", "0d")
        try clips.run("delete", "7")
        #expect(await Oracle(clips: clips).complaints() == [])
    }

    @Test(arguments: [
        ("DROP TRIGGER Clip_records_delete; DELETE FROM Clip WHERE id = 5;", "history ends in"),
        ("DROP TRIGGER Clip_records_insert; INSERT INTO Clip (title) VALUES ('clip');", "history ends in"),
        ("DELETE FROM Clip WHERE id = 5;", "saved and lost: [5]"),
        ("DELETE FROM history WHERE kind = 0 AND object = 5;", "history ends in"),
        ("UPDATE history SET at = 1, began = 1 WHERE number > 43;", "back in time"),
        ("CREATE TRIGGER no BEFORE INSERT ON Clip BEGIN SELECT RAISE(ABORT, 'no'); END;", "next extension"),
        (
            "DELETE FROM Clip; DELETE FROM sqlite_sequence;", "is used again"
        ),
    ])
    func `a fault in the store is detected`(sql: String, complaint: String) async throws {
        let clips = try Situation.someClips.make()
        let saved = try clips.ids()
        _ = try clips.sqlite3(sql)
        let complaints = await Oracle(clips: clips).complaints(saved: saved)
        #expect(complaints.contains { $0.contains(complaint) }, "\(complaints)")
    }

    @Test func `a damaged page, insecure permissions, and a missing store are detected`() async throws {
        let clips = try Situation.someClips.make()
        chmod(clips.storePath, 0o644)
        #expect(await Oracle(clips: clips).complaints().contains { $0.contains("insecurePermissions") })
        try Damage.page(of: "Clip_by_url", in: clips)
        let complaints = await Oracle(clips: clips).complaints()
        #expect(complaints.contains { $0.contains("integrity_check") }, "\(complaints)")
        unlink(clips.storePath)
        #expect(await Oracle(clips: clips).complaints(saved: [1]) == ["the store is missing"])
    }

    @Test func `an index that lacks a clip is detected`() async throws {
        let clips = try Situation.indexed.make()
        let index = clips.storePath + "-search"
        let run = try Shell.run("sqlite3", [index], input: "DELETE FROM document WHERE object = 5;")
        #expect(run.errors == "")
        let complaints = await Oracle(clips: clips).complaints()
        #expect(complaints.count == 1 && complaints[0].contains("missing: 1"), "\(complaints)")
    }

    @Test func `a message without advice is a fault`() {
        #expect(Sentences.fault(in: "") != nil)
        #expect(Sentences.fault(in: "Fatal error: oh\n") != nil)
        #expect(Sentences.fault(in: "clips: It failed.\n") != nil)
        #expect(Sentences.fault(in: "clips: It failed (SQLite code 10); try again.\n") != nil)
        #expect(Sentences.fault(in: "clips: It failed; try again.\n") == nil)
    }
}
