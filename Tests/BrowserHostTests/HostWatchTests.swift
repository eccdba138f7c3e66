import Foundation
import TestSupport
import Testing

/// Pushed changes.
@Suite struct HostWatchTests {
    private let clips: ClipsProgram

    init() throws { clips = try ClipsProgram() }

    private func watching(_ arguments: [String] = HostProcess.chromium) throws -> HostProcess {
        let host = try HostProcess(clips, arguments)
        #expect(try host.ask("watch").errorCode == nil)
        return host
    }

    @Test func `commits of the sqlite3 shell, of a command, and of the host itself are pushed`() throws {
        let host = try watching()
        _ = try clips.sqlite3("INSERT INTO Clip (url, title) VALUES ('https://a.org', 'shell')")
        let inserted = try host.push()
        #expect(inserted.text("type") == "changed" && inserted.number("count") == 1)
        #expect(inserted.objects("clips").map { $0.text("title") } == ["shell"])
        _ = try clips.sqlite3("UPDATE Clip SET title = 'changed'")
        #expect(try host.push().objects("clips").map { $0.text("title") } == ["changed"])
        try clips.run("extension", "--title", "second", "--text", "")
        #expect(try host.push().number("count") == 2)
        try host.save([HostProcess.clip("https://b.org")])
        #expect(try host.push().objects("clips").map { $0.text("url") } == ["https://b.org"])
        try clips.run("delete", "1")
        let deleted = try host.push()
        #expect(deleted.numbers("deleted") == [1] && deleted.number("count") == 2)
        #expect(deleted.objects("clips").isEmpty)
    }

    @Test func `an archived clip leaves the list, and returns`() throws {
        let host = try watching()
        _ = try clips.sqlite3("INSERT INTO Clip (url) VALUES ('https://a.org'), ('https://b.org')")
        #expect(try host.push().number("count") == 2)
        #expect(try host.ask("update", ["clip": 1, "changes": ["archived": true]]).errorCode == nil)
        let archived = try host.push()
        #expect(archived.numbers("deleted") == [1] && archived.number("count") == 1)
        let list = try host.ask("list", ["limit": 9])
        #expect(list.objects("clips").map { $0.number("id") } == [2] && list.number("count") == 1)
        _ = try clips.sqlite3("UPDATE Clip SET archived = 0")
        let restored = try host.push()
        #expect(restored.objects("clips").map { $0.number("id") } == [1] && restored.number("count") == 2)
        _ = try clips.sqlite3("UPDATE Clip SET archived = 1 WHERE id = 2; DELETE FROM Clip WHERE id = 2")
        #expect(try host.push().number("count") == 1)
        try host.ask("update", ["clip": 1, "changes": ["archived": true]])
        // Last, since the index then writes to the store, too, and the shell does not wait for it.
        let found = try host.ask("search", ["query": "is:archived", "limit": 9])
        #expect(found.objects("clips").map { $0.number("id") } == [1])
    }

    @Test func `the pushes of a storm add up to the table`() throws {
        let host = try watching()
        _ = try clips.sqlite3(
            (1...30).map { "INSERT INTO Clip (url) VALUES ('https://a.org/\($0)');" }.joined()
                + "UPDATE Clip SET title = 'x' WHERE id % 2; DELETE FROM Clip WHERE id % 3 = 0;"
                + "INSERT OR REPLACE INTO Clip (id, title) VALUES (4, 'new')")
        var known: [Int: String] = [:]
        var count = 0
        while count != 20 || known.count != 20 || known[4] != "new" {
            let push = try host.push()
            #expect(push.text("type") == "changed")
            for clip in push.objects("clips") { known[clip.number("id") ?? 0] = clip.text("title") }
            for id in push.numbers("deleted") { known[id] = nil }
            count = try #require(push.number("count"))
        }
        let rows = try clips.sqlite3(
            "SELECT group_concat(id || title, ' ') FROM (SELECT * FROM Clip ORDER BY id)")
        #expect(
            known.sorted { $0.key < $1.key }.map { "\($0.key)\($0.value)" }.joined(separator: " ") == rows)
    }

    @Test func `more changes than a push contains are a refresh, after which pushes continue`() throws {
        let host = try watching()
        _ = try clips.sqlite3(
            """
            BEGIN; WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500)
            INSERT INTO Clip (url) SELECT 'https://a.org/' || i FROM n; COMMIT;
            """)
        #expect(try host.push().text("type") == "refresh")
        #expect(try host.ask("list", ["limit": 1]).number("count") == 500)
        try clips.run("delete", "7")
        let push = try host.push()
        #expect(push.numbers("deleted") == [7] && push.number("count") == 499)
    }

    @Test func `large clips are a refresh instead of a push of more than 512 KiB`() throws {
        let host = try watching()
        let text = String(repeating: "\u{1F600}", count: 2000)
        try host.save((0..<90).map { HostProcess.clip("https://a.org/\($0)", ["text": text, "note": text]) })
        #expect(try host.push().text("type") == "refresh")
    }

    @Test func `after unwatch nothing is pushed, and watch begins with the present`() throws {
        let host = try watching()
        try host.ask("watch")
        try host.ask("unwatch")
        try clips.run("add", "--title", "unseen")
        try host.ask("watch")
        try clips.run("add", "--title", "seen")
        let push = try host.push()
        #expect(push.objects("clips").map { $0.text("title") } == ["seen"] && push.number("count") == 2)
        #expect(host.pushed.isEmpty)
    }

    @Test func `history that is purged while the host watches is a refresh at most`() throws {
        let host = try watching()
        for number in 1...3 { try clips.run("add", "--title", "\(number)") }
        try clips.run("history", "clean", "--before", "0d")
        try clips.run("add", "--title", "last")
        while true {
            let push = try host.push()
            if push.text("type") == "refresh"
                || push.objects("clips").contains(where: { $0.text("title") == "last" })
            {
                break
            }
        }
        #expect(try host.ask("list").number("count") == 4)
    }

    @Test func `two browsers and the app on one store have the same list at the end`() async throws {
        let chromium = try watching()
        let firefox = try watching(HostProcess.firefox)
        let app = try TmuxSession([ClipsProgram.path], columns: 100, rows: 50, environment: clips.environment)
        for number in 0..<20 {
            try chromium.save([HostProcess.clip("https://chromium.org/\(number)")])
            try firefox.save([HostProcess.clip("https://firefox.org/\(number)")])
            if number.isMultiple(of: 5) { try clips.run("delete", "\(number + 1)") }
        }
        let expected = try #require(Int(clips.sqlite3("SELECT count(*) FROM Clip")))
        for host in [chromium, firefox] {
            var count = -1
            while count != expected { count = try host.push().number("count") ?? -1 }
            #expect(try host.ask("list", ["limit": 200]).objects("clips").count == expected)
        }
        #expect(try await soon { try app.shows("\(expected)/") || app.shows("/\(expected)") })
    }
}
