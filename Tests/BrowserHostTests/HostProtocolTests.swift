import Foundation
import TestSupport
import Testing

/// Requests and answers of a host process.
@Suite struct HostProtocolTests {
    private let clips: ClipsProgram

    init() throws { clips = try ClipsProgram() }

    @Test func `hello creates the store, and describes it`() throws {
        let host = try HostProcess(clips)
        let hello = try host.ask("hello", ["version": 1])
        let version = try clips.run("--version").output.split(separator: " ").last.map(String.init)
        #expect(hello.number("version") == 1 && hello.text("program").map { $0 + "\n" } == version)
        #expect(UUID(uuidString: hello.text("storeID") ?? "") != nil && hello.number("count") == 0)
        #expect(hello.object("limits").number("clips") == 1000)
        #expect(FileManager.default.fileExists(atPath: clips.storePath))
    }

    @Test(arguments: [(HostProcess.chromium, "chromium"), (HostProcess.firefox, "firefox")])
    func `a saved clip is that of 'list --json', by the author extension`(
        arguments: [String], browser: String
    ) throws {
        let host = try HostProcess(clips, arguments)
        let saved = try host.save([
            HostProcess.clip(
                "https://a.org/é?q=1#f",
                [
                    "title": "A\nline", "text": "Text \u{1}\u{202E}\"\\", "note": "Note",
                    "tags": ["b", "a, c", "b"], "created": "2026-01-02T03:04:05.678Z",
                ])
        ])[0]
        #expect(saved.flag("isNew") == true && saved.number("id") == 1)
        let line = try clips.run("list", "--json").output
        let listed = try #require(
            try JSONSerialization.jsonObject(with: Data(line.utf8)) as? HostProcess.Message)
        #expect(NSDictionary(dictionary: saved.object("clip")) == NSDictionary(dictionary: listed))
        #expect(listed.text("title") == "A line" && listed.text("author") == "extension")
        #expect(listed["tags"] as? [String] == ["b", "a c"])
        #expect(listed.text("created") == "2026-01-02T03:04:05.678Z")
        let history = try clips.run("history", "--json").output
        #expect(history.contains("\"context\":\"\(browser)\""), "\(history)")
    }

    @Test func `a repeated save answers the same clips, and saves nothing`() throws {
        let host = try HostProcess(clips)
        let batch = (0..<3).map { HostProcess.clip("https://a.org/\($0)") }
        let first = try host.save(batch)
        #expect(first.map { $0.number("id") } == [1, 2, 3] && first.allSatisfy { $0.flag("isNew") == true })
        let new = HostProcess.clip("https://a.org/new")
        let second = try host.save([batch[2], new, batch[0], new])
        #expect(second.map { $0.number("id") } == [3, 4, 1, 4])
        #expect(second.map { $0.flag("isNew") } == [false, true, false, false])
        #expect(second[0].object("clip").text("url") == "https://a.org/2")
        #expect(try clips.sqlite3("SELECT count(*) FROM Clip") == "4")
        // A deleted clip is saved again.
        try host.ask("delete", ["clips": [1]])
        #expect(try host.save([batch[0]])[0].flag("isNew") == true)
    }

    @Test func `a clip is not saved if its URL exists and it is requested so`() throws {
        let host = try HostProcess(clips)
        let first = try host.save([HostProcess.clip("https://a.org")])[0]
        let again = HostProcess.clip("https://a.org", ["ifAbsent": true])
        let twice = try host.save([
            again, HostProcess.clip("https://b.org", ["ifAbsent": true]),
            HostProcess.clip("https://b.org", ["ifAbsent": true]), HostProcess.clip("https://a.org"),
        ])
        #expect(twice.map { $0.number("id") } == [first.number("id"), 2, 2, 3])
        #expect(twice.map { $0.flag("isNew") } == [false, true, false, true])
    }

    @Test func `changes are saved, unless another process changed the version that they are based on`() throws
    {
        let host = try HostProcess(clips)
        let saved = try host.save([HostProcess.clip("https://a.org")])[0].object("clip")
        let changes: HostProcess.Message = [
            "title": "T\nT", "url": "https://b.org", "tags": ["x", "y"], "note": "n", "text": "t",
            "starred": true, "unread": false,
        ]
        let version = try #require(saved.number("version"))
        let updated = try host.ask("update", ["clip": 1, "version": version, "changes": changes]).object(
            "clip")
        #expect(["url", "note", "text", "title"].map(updated.text) == ["https://b.org", "n", "t", "T T"])
        #expect(updated["tags"] as? [String] == ["x", "y"])
        #expect(updated.flag("starred") == true && updated.flag("unread") == false)
        let stale = try host.ask("update", ["clip": 1, "version": version, "changes": ["title": "old"]])
        #expect(stale.errorCode == "conflict" && stale.object("clip").text("title") == "T T")
        #expect(try host.ask("update", ["clip": 9, "changes": ["title": "x"]]).errorCode == "missing")
        #expect(try clips.sqlite3("SELECT title FROM Clip") == "T T")
    }

    @Test func `a deleted clip is restored with its ID, and with a new UUID if its own is taken`() throws {
        let host = try HostProcess(clips)
        let batch = [HostProcess.clip("https://a.org"), HostProcess.clip("https://b.org")]
        try host.save(batch)
        #expect(try host.ask("delete", ["clips": [2, 7, 1]]).numbers("deleted") == [2, 1])
        let restored = try host.ask("restore", ["clips": [1]]).objects("clips")
        #expect(restored.map { $0.text("uuid") } == [batch[0].text("uuid")])
        // Restoring it again answers it.
        #expect(try host.ask("restore", ["clips": [1]]).objects("clips").count == 1)
        try host.save([batch[1]])
        let other = try host.ask("restore", ["clips": [2]]).objects("clips")
        #expect(other.map { $0.text("url") } == ["https://b.org"])
        #expect(other.first?.text("uuid") != batch[1].text("uuid"))
        #expect(try host.ask("restore", ["clips": [99]]).errorCode == "missing")
    }

    @Test func `several clips are restored as one transaction, and one of two with a UUID gets a new one`()
        throws
    {
        let host = try HostProcess(clips)
        let clip = HostProcess.clip("https://a.org")
        for id in 1...2 {
            try host.save([clip])
            try host.ask("delete", ["clips": [id]])
        }
        let count = { try clips.run("history", "--json").output.split(separator: "\n").count }
        let before = try count()
        let restored = try host.ask("restore", ["clips": [2, 1]]).objects("clips")
        #expect(Set(restored.map { $0.number("id") }) == [1, 2])
        #expect(Set(restored.map { $0.text("uuid") }).count == 2)
        #expect(try count() == before + 1)
    }

    @Test func `saved URLs are found, the newest clip of each`() throws {
        let host = try HostProcess(clips)
        try host.save([
            HostProcess.clip("https://a.org"), HostProcess.clip("https://b.org"),
            HostProcess.clip("https://a.org"),
        ])
        let found = try host.ask("has", ["urls": ["https://c.org", "https://a.org", "https://b.org", ""]])
        let ids = (found["clips"] as? [Any])?.map { ($0 as? HostProcess.Message)?.number("id") }
        #expect(ids == [nil, 3, 2, nil])
    }

    @Test func `tags have counts, and begin with the prefix in any case`() throws {
        let host = try HostProcess(clips)
        try host.save([
            HostProcess.clip("https://a.org", ["tags": ["Swift", "b"]]),
            HostProcess.clip("https://b.org", ["tags": ["swift", "b"]]),
            HostProcess.clip("https://c.org", ["tags": ["Swift", "éa"]]),
        ])
        func tags(_ fields: HostProcess.Message) throws -> [String] {
            try host.ask("tags", fields).objects("tags").map {
                "\($0.text("name") ?? "") \($0.number("count") ?? 0)"
            }
        }
        #expect(try tags([:]) == ["Swift 2", "b 2", "swift 1", "éa 1"])
        #expect(try tags(["prefix": "SW"]) == ["Swift 2", "swift 1"])
        #expect(try tags(["prefix": "É", "limit": 1]) == ["éa 1"])
    }

    @Test func `a search answers the best matches, and a query that cannot be read is an error`() throws {
        let host = try HostProcess(clips)
        try host.save([
            HostProcess.clip("https://a.org", ["title": "Other", "text": "swift"]),
            HostProcess.clip("https://b.org", ["title": "Swift"]),
            HostProcess.clip("https://c.org", ["title": "None"]),
        ])
        let found = try host.ask("search", ["query": "swift"])
        #expect(found.objects("clips").map { $0.number("id") } == [2, 1] && found.flag("more") == false)
        let one = try host.ask("search", ["query": "swift", "limit": 1])
        #expect(one.objects("clips").map { $0.number("id") } == [2] && one.flag("more") == true)
        #expect(try host.ask("search", ["query": ""]).objects("clips").map { $0.number("id") } == [3, 2, 1])
        let bad = try host.ask("search", ["query": "after:never"])
        #expect(bad.errorCode == "invalid" && bad.sentence.hasPrefix("Unknown date"), "\(bad)")
        // A query that is still being typed is not an error.
        #expect(try host.ask("search", ["query": "is:star"]).errorCode == nil)
        #expect(try host.ask("search", ["query": "\"swift ( * NEAR"]).errorCode == nil)
    }

    @Test func `pages of the list have every clip once, newest first`() throws {
        let host = try HostProcess(clips)
        // Several have the same time.
        let batch = (0..<25).map {
            HostProcess.clip("https://a.org/\($0)", ["created": "2026-01-0\(1 + $0 / 10)T00:00:00.000Z"])
        }
        try host.save(batch)
        var urls: [String] = []
        var cursor: String?
        repeat {
            var fields: HostProcess.Message = ["limit": 7]
            fields["before"] = cursor
            let page = try host.ask("list", fields)
            #expect(page.number("count") == 25)
            urls += page.objects("clips").compactMap { $0.text("url") }
            cursor = page.text("next")
        } while cursor != nil
        let expected = batch.compactMap { $0["url"] as? String }
        #expect(urls == expected.reversed())
    }

    @Test func `an answer is at most 512 KiB, and says that there is more`() throws {
        let host = try HostProcess(clips)
        let text = String(repeating: "\u{1F600}", count: 1000)
        let batch = (0..<300).map {
            HostProcess.clip(
                "https://a.org/\($0)", ["text": text, "note": text, "title": String(text.prefix(900))])
        }
        let saved = try host.ask("save", ["clips": batch])
        #expect((saved.number("bytes") ?? .max) <= 512 << 10 && saved.flag("more") == true)
        #expect(saved.objects("clips").count == 300)
        #expect(saved.objects("clips").allSatisfy { $0.number("id") != nil })
        let clip = saved.objects("clips")[0].object("clip")
        #expect(clip.flag("isCut") == true && clip.text("text")?.count == 500)
        let page = try host.ask("list", ["limit": 200])
        #expect((page.number("bytes") ?? .max) <= 512 << 10 && page.objects("clips").count < 200)
        let next = try host.ask("list", ["limit": 1, "before": page.text("next") ?? ""])
        let last = try #require(page.objects("clips").last?.number("id"))
        #expect(next.objects("clips").first?.number("id") == last - 1)
        let found = try host.ask("has", ["urls": (0..<300).map { "https://a.org/\($0)" }])
        #expect((found.number("bytes") ?? .max) <= 512 << 10 && found.flag("more") == true)
        #expect((found["clips"] as? [Any])?.count == 300)
        let matches = try host.ask("search", ["query": "Title OR a.org", "limit": 200])
        #expect((matches.number("bytes") ?? .max) <= 512 << 10 && matches.flag("more") == true)
    }
}
