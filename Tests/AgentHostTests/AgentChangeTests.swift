import AgentHost
import ClipsCore
import Foundation
import LiveQuery
import PersistentStore
import Synchronization
import TestSupport
import Testing

/// Changes of agents: author, limits, repetition, undo, subscriptions, and killed servers.
@Suite(.serialized) struct AgentChangeTests {
    let clips: ClipsProgram

    init() throws { clips = try ClipsProgram() }

    private func export(_ condition: String = "1") throws -> String {
        try clips.sqlite3(
            """
            SELECT id, uuid, url, title, text, note, tags, author, starred, unread, archived, created, updated
            FROM Clip WHERE \(condition) ORDER BY id
            """)
    }

    @Test func `undo of a client since a time reverts exactly its changes`() throws {
        for title in ["a", "b", "c"] {
            try clips.run("add", "--title", title, "--url", "https://\(title).org")
        }
        let before = try export()
        let agent = try AgentProcess(clips, client: "Claude Code #1+")
        let other = try AgentProcess(clips, client: "opening")
        _ = try agent.add("https://new.org", ["tags": ["x"]])
        try agent.call("update", ["id": 1, "title": "changed", "tags": ["y"], "starred": true])
        try agent.call("delete", ["ids": [2]])
        try agent.call("undo")
        try agent.call("delete", ["ids": [2, 3]])
        try agent.call("restore", ["ids": [3]])
        let kept = try other.add("https://other.org")
        let name = "mcp:Claude-Code--1-"
        let shown = try clips.run("history", "--author", name)
        #expect(shown.output.split(separator: "\n").count == 6, "\(shown)")
        let dry = try clips.run("undo", "--author", name, "--since", "10 minutes ago", "--dry-run")
        #expect(dry.status == 0 && dry.output.split(separator: "\n").count == 4, "\(dry)")
        let run = try clips.run("undo", "--author", name, "--since", "10 minutes ago")
        #expect(run.status == 0 && run.errors.contains("Undid: deleted 2 clips."), "\(run)")
        #expect(try export("id != \(kept)") == before)
        #expect(
            try clips.run("undo", "--author", name, "--since", "1h").errors
                == "clips: There is nothing to undo.\n")
        #expect(try clips.run("undo", "--author", "mcp", "--since", "1h").status == 0)
        #expect(try export() == before)
    }

    @Test func `undo of an agent leaves others' changes, unless it is forced`() throws {
        let agent = try AgentProcess(clips)
        let id = try agent.add("https://a.org", ["title": "a"])
        try agent.call("update", ["id": id, "title": "b", "note": "n"])
        _ = try clips.sqlite3("UPDATE Clip SET title = 'c' WHERE id = \(id)")
        let run = try clips.run("undo", "--author", "mcp:tester", "--since", "1h")
        #expect(
            run.status == 1 && run.errors.contains("use --force") || run.errors.contains("Use --force"),
            "\(run)")
        #expect(try clips.sqlite3("SELECT title, note FROM Clip") == "c|")
        let foreign = try clips.sqlite3("SELECT max(number) FROM history")
        let problem = try agent.call("undo", ["transaction": Int(foreign) ?? 0]).text("problem")
        #expect(problem == nil || problem?.contains("confirm") == true)
    }

    @Test func `a repeated key saves once`() throws {
        let agent = try AgentProcess(clips)
        let first = try agent.call("add", ["title": "a", "key": "k1"])
        let second = try agent.call("add", ["title": "a", "key": "k1"])
        #expect(first.number("id") == second.number("id") && second.flag("isNew") == false)
        #expect(try agent.call("add", ["title": "a", "key": "k2"]).flag("isNew") == true)
        let other = try AgentProcess(clips, client: "other", isSession: false)
        #expect(try other.call("add", ["title": "a", "key": "k1"]).flag("isNew") == true)
        #expect(try clips.sqlite3("SELECT count(*), count(DISTINCT uuid) FROM Clip") == "3|3")
    }

    @Test func `a saved page gets the texts and tags of a client, unless both are retained`()
        throws
    {
        let agent = try AgentProcess(clips)
        try clips.run("add", "https://a.org/page", "--title", "A", "--tag", "x", "--note", "first")
        let more: AgentProcess.Message = [
            "url": "https://a.org/page/", "title": "A longer title", "tags": ["y"], "note": "second",
        ]
        for isMerged in [true, false] {
            let result = try agent.call("add", more)
            #expect(result.number("id") == 1 && result.flag("isNew") == false, "\(result)")
            #expect(result.flag("isMerged") == isMerged, "\(result)")
            #expect(result.object("clip").text("title") == "A longer title", "\(result)")
        }
        #expect(
            try clips.sqlite3("SELECT title, tags, replace(note, char(10), '/') FROM Clip")
                == "A longer title|x,y|first//second//title: A")
        let copy = try agent.call("add", more.merging(["copy": true]) { $1 })
        #expect(copy.number("id") == 2 && copy.flag("isNew") == true, "\(copy)")
        #expect(try agent.call("undo").number("undone") == 1)
        let folder = clips.folder.path(of: "config")
        try FileManager.default.createDirectory(atPath: folder + "/clips", withIntermediateDirectories: true)
        try Data("set duplicates keep\n".utf8).write(to: URL(filePath: folder + "/clips/config"))
        #expect(try AgentProcess(clips).call("add", more).flag("isNew") == true)
    }

    @Test func `a tag with a comma, and a clip that does not exist, are problems`() throws {
        let agent = try AgentProcess(clips)
        let id = try agent.add("https://a.org")
        for (tool, key) in [("add", "title"), ("update", "id")] {
            let run = try agent.call(tool, [key: key == "id" ? id : "t", "tags": ["a,b"]])
            #expect(run.text("problem")?.contains("comma") == true, "\(run)")
        }
        #expect(try clips.sqlite3("SELECT count(*), max(tags) FROM Clip") == "1|")
        #expect(try agent.call("delete", ["ids": [id]]).texts("problems").isEmpty)
        let again = try agent.call("delete", ["ids": [id, 99]])
        #expect(again.numbers("deleted").isEmpty && again.texts("problems").count == 2, "\(again)")
    }

    @Test func `tags are counted exactly, and each one is found by its beginning`() throws {
        let rare = "{\"title\":\"0\",\"tags\":[\"Rare old\",\"common\"]}\n"
        let lines = (1...6000).map { "{\"title\":\"\($0)\",\"tags\":[\"common\"]}\n" }.joined()
        try clips.run("add", "--jsonl", "--quiet", input: rare + lines)
        let agent = try AgentProcess(clips)
        let all = try agent.call("tags")
        #expect(all.objects("tags").map { $0.number("count") } == [6001, 1] && all.flag("more") == false)
        #expect(try agent.call("tags", ["prefix": "rare"]).objects("tags").first?.text("name") == "Rare old")
    }

    @Test func `many deletions need a confirmation, also across processes`() throws {
        let lines = (1...130).map { "{\"title\":\"\($0)\"}\n" }.joined()
        try clips.run("add", "--jsonl", "--quiet", input: lines)
        let agent = try AgentProcess(clips)
        #expect(
            try agent.call("delete", ["ids": Array(1...21)]).text("problem")?.contains("'confirm'") == true)
        for start in stride(from: 1, through: 81, by: 20) {
            #expect(
                try agent.call("delete", ["ids": Array(start..<(start + 20))]).numbers("deleted").count == 20)
        }
        #expect(
            try agent.call("delete", ["ids": [101]]).text("problem")?.contains("Nothing was deleted") == true)
        let again = try AgentProcess(clips)
        #expect(try again.call("delete", ["ids": [101]]).text("problem") != nil)
        let other = try AgentProcess(clips, client: "other")
        #expect(try other.call("delete", ["ids": [101]]).numbers("deleted") == [101])
        #expect(
            try agent.call("delete", ["ids": Array(102...130), "confirm": true]).numbers("deleted").count
                == 29)
        #expect(try clips.sqlite3("SELECT count(*) FROM Clip") == "0")
    }

    @Test func `the quotes of deleted clips are not counted as clips`() throws {
        let quotes = (1...60).map { "{\"text\":\"quote \($0)\"}" }.joined(separator: ",")
        try clips.run(
            "add", "--jsonl", input: "{\"title\":\"a\",\"quotes\":[\(quotes)]}\n{\"title\":\"b\"}\n")
        let agent = try AgentProcess(clips)
        for _ in 0..<2 {
            #expect(try agent.call("delete", ["ids": [1]]).numbers("deleted") == [1])
            #expect(try agent.call("restore", ["ids": [1]]).numbers("restored") == [1])
        }
        #expect(try clips.sqlite3("SELECT count(*) FROM Quote") == "60")
        #expect(try agent.call("delete", ["ids": [2]]).numbers("deleted") == [2])
    }

    @Test func `a search for a word like an operator explains it`() throws {
        let agent = try AgentProcess(clips)
        _ = try agent.add("https://a.org", ["title": "foo"])
        #expect(try agent.call("search", ["query": "tags:foo"]).text("hint")?.contains("tag:") == true)
        #expect(try agent.call("search", ["query": "foo"]).text("hint") == nil)
    }

    @Test func `a session is notified when another program changes what it follows`() throws {
        let agent = try AgentProcess(clips)
        let id = try agent.add("https://a.org")
        for uri in ["clips://tag/x", "clips://clip/\(id)"] {
            try agent.ask("resources/subscribe", ["uri": uri])
        }
        _ = try clips.sqlite3("INSERT INTO Clip (url, tags) VALUES ('https://b.org', 'x')")
        var message = try agent.notification()
        #expect(message.text("method") == "notifications/resources/updated")
        #expect(message.object("params").text("uri") == "clips://tag/x")
        try clips.run("extension", "--title", "of no interest")
        try clips.run("star", "\(id)")
        message = try agent.notification()
        #expect(message.object("params").text("uri") == "clips://clip/\(id)")
        try agent.ask("resources/unsubscribe", ["uri": "clips://clip/\(id)"])
        try clips.run("delete", "\(id)")
        try clips.run("extension", "--title", "c", "--tag", "x")
        #expect(try agent.notification().object("params").text("uri") == "clips://tag/x")
    }

    @Test func `a listening request is acknowledged, notified, and cancelled`() throws {
        let agent = try AgentProcess(clips, isSession: false)
        _ = try agent.add("https://a.org")
        let uri = "clips://search/swift"
        let id = try agent.request(
            "subscriptions/listen",
            ["notifications": ["resourceSubscriptions": [uri], "toolsListChanged": true]])
        let key = "io.modelcontextprotocol/subscriptionId"
        let accepted = try agent.notification()
        #expect(accepted.text("method") == "notifications/subscriptions/acknowledged")
        #expect(accepted.object("params").object("_meta").number(key) == id)
        #expect(accepted.object("params").object("notifications").texts("resourceSubscriptions") == [uri])
        try clips.run("extension", "--title", "swift")
        let update = try agent.notification()
        #expect(update.object("params").text("uri") == uri)
        #expect(update.object("params").object("_meta").number(key) == id)
        try agent.send([
            "jsonrpc": "2.0", "method": "notifications/cancelled", "params": ["requestId": id],
        ])
        try clips.run("extension", "--title", "swift again")
        #expect(try agent.call("list").number("count") == 3)
        #expect(agent.notifications.isEmpty)
    }

    @Test func `a server killed after an answer has lost nothing`() throws {
        for round in 0..<5 {
            let agent = try AgentProcess(clips)
            for number in 0..<3 { _ = try agent.add("https://a.org/\(round)/\(number)") }
            agent.process.killNow()
        }
        #expect(try clips.sqlite3("SELECT count(*) FROM Clip; PRAGMA integrity_check") == "15\nok")
    }

    @Test func `random calls of two clients next to a window and the shell are undone, each by its author`()
        async throws
    {
        let seed: UInt64 = 20_261_124
        let lines = (1...40).map { "{\"title\":\"t\($0)\",\"tags\":[\"a\"]}\n" }.joined()
        try clips.run("add", "--jsonl", "--quiet", input: lines)
        let before = try export()
        func own(_ index: Int) -> String { "id <= 40 AND id % 2 = \(index)" }
        let ownBefore = try [0, 1].map { try export(own($0)) }
        let window = try await LiveRows(of: clips.storePath)
        let agents = try ["one", "two"].map { try AgentProcess(clips, client: $0) }
        var random = SeededRandom(seed: seed)
        for round in 0..<LongProof.count(100, of: 1000, "random calls of agents") {
            let index = Int.random(in: 0...1, using: &random)
            // Each client has the clips of one parity: undo of one author cannot know the order of two.
            let id = 2 * Int.random(in: 1...20, using: &random) - index
            switch Int.random(in: 0..<8, using: &random) {
            case 0: _ = try agents[index].call("add", ["title": "n\(round)", "tags": ["\(round)"]])
            case 1: try agents[index].call("delete", ["ids": [id], "confirm": true])
            case 2: try agents[index].call("restore", ["ids": [id]])
            case 3: try agents[index].call("update", ["id": id, "starred": Bool.random(using: &random)])
            case 4: try agents[index].call("update", ["id": id, "title": "u\(round)", "note": "n"])
            case 5:
                try agents[index].call(
                    "update", ["id": id, "tags": ["b", "\(round % 5)"], "archived": true])
            case 6: try agents[index].call("undo")
            default: _ = try clips.sqlite3("INSERT INTO Clip (title) VALUES ('sqlite \(round)')")
            }
        }
        let written = try export("title LIKE 'sqlite %'")
        #expect(try await soon { try window.rows == LiveRows.stored(in: clips) }, "seed \(seed)")
        for (index, client) in ["one", "two"].enumerated() {
            let run = try clips.run("undo", "--author", "mcp:\(client)", "--since", "1h")
            #expect(run.status == 0, "seed \(seed): \(run.errors.suffix(300))")
            #expect(try export(own(index)) == ownBefore[index], "seed \(seed): \(client)")
            #expect(try await soon { try window.rows == LiveRows.stored(in: clips) }, "seed \(seed)")
        }
        await window.close()
        let after = try export("title NOT LIKE 'sqlite %'")
        let changed = Set(after.split(separator: "\n")).symmetricDifference(before.split(separator: "\n"))
        #expect(after == before, "seed \(seed): \(changed.sorted().prefix(6))")
        #expect(try export("title LIKE 'sqlite %'") == written, "seed \(seed)")
    }

    @Test func `random bytes between calls end no server`() throws {
        // Their IDs are texts, unlike those of the calls.
        var random = SeededRandom(seed: 7)
        let agent = try AgentProcess(clips)
        let seeds = [
            #"{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"add","arguments":{"title":"a"}}}"#,
            #"{"jsonrpc":"2.0","id":"b","method":"resources/read","params":{"uri":"clips://search/a%20b"}}"#,
            #"{"jsonrpc":"2.0","id":"c","method":"tools/call","params":{"name":"undo","arguments":{"since":"1h"}}}"#,
        ]
        for round in 0..<LongProof.count(200, of: 2000, "hostile messages") {
            var bytes = Array(seeds[round % seeds.count].utf8)
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                let offset = Int.random(in: 0..<bytes.count, using: &random)
                bytes[offset] = .random(in: .min ... .max, using: &random)
            }
            agent.process.send(bytes + [0x0A])
            // Unread answers would fill the pipe.
            if round % 20 == 0 { try agent.ask("ping") }
        }
        #expect(try agent.ask("tools/list").object("result").objects("tools").count == 10)
    }
}

/// The rows of an open list in this process, as lines.
private final class LiveRows: Sendable {
    private let store: ClipStore
    private let live: LiveFetch<String>
    private let latest = Mutex<Set<String>>([])

    var rows: Set<String> { latest.withLock { $0 } }

    init(of path: String) async throws {
        store = try await ClipStore(path: path, author: "window")
        let request = ClipQuery(includesArchived: true).request
        live = try await LiveFetch(request, in: store.container) { object in
            let clip = Clip(object)
            return "\(clip.id)|\(clip.title)|\(clip.tags.joined(separator: ","))|\(clip.isStarred ? 1 : 0)"
                + "|\(clip.isArchived ? 1 : 0)"
        }
        let snapshots = live.snapshots
        Task { [weak self] in
            for try await snapshot in snapshots { self?.latest.withLock { $0 = Set(snapshot.rows) } }
        }
    }

    static func stored(in clips: ClipsProgram) throws -> Set<String> {
        let rows = try clips.sqlite3("SELECT id, title, tags, starred, archived FROM Clip")
        return Set(rows.split(separator: "\n").map(String.init))
    }

    func close() async {
        await live.stop()
        await store.close()
    }
}
