import Foundation
import TestSupport
import Testing

/// The text of a page that the extension sends after the save.
@Suite struct HostPageTests {
    private let clips: ClipsProgram
    private let host: HostProcess

    init() throws {
        clips = try ClipsProgram()
        host = try HostProcess(clips)
    }

    private let url = "https://a.org/page"

    private func markup(_ words: String) -> String {
        "<html><head><title>T</title></head><body><nav>Menu</nav><article><p>\(words)</p></article></body></html>"
    }

    private func send(_ html: String, of uuid: String, url: String = "") throws -> HostProcess.Message {
        try host.ask("page", ["uuid": uuid, "url": url, "html": html])
    }

    private func text() throws -> String { try clips.sqlite3("SELECT text FROM Clip WHERE url = '\(url)'") }

    @Test func `the text of a page is a second change of the same author`() throws {
        let clip = HostProcess.clip(url)
        try host.save([clip])
        let uuid = try #require(clip["uuid"] as? String)
        #expect(try send(markup("Zoë’s words."), of: uuid).text("text") == "saved")
        #expect(try text() == "Zoë’s words.")
        let history = try clips.run("history", "--author", "extension").output
        #expect(history.split(separator: "\n").count == 2, "\(history)")
        #expect(try clips.run("undo", "--author", "extension").status == 0)
        #expect(try text() == "")
        #expect(try clips.sqlite3("SELECT count(*) FROM Clip") == "1")
    }

    @Test func `a text is replaced only if it came from a page`() throws {
        let clip = HostProcess.clip(url)
        try host.save([clip])
        let uuid = try #require(clip["uuid"] as? String)
        #expect(try send(markup("First."), of: uuid).text("text") == "saved")
        #expect(try send(markup("First."), of: uuid).text("text") == "unchanged")
        #expect(try send(markup("Second."), of: uuid).text("text") == "saved")
        #expect(try text() == "Second.")
        _ = try clips.sqlite3("UPDATE Clip SET text = 'My own.'")
        #expect(try send(markup("Third."), of: uuid).text("text") == "unchanged")
        #expect(try text() == "My own.")
    }

    @Test func `the selection of a clip remains`() throws {
        let clip = HostProcess.clip(url, ["text": "A selection."])
        try host.save([clip])
        let uuid = try #require(clip["uuid"] as? String)
        #expect(try send(markup("A page."), of: uuid).text("text") == "unchanged")
        #expect(try text() == "A selection.")
    }

    @Test func `a clip that existed is found by its URL, and a deleted one is not saved again`() throws {
        try clips.run("add", "--url", url, "--title", "From the shell")
        let uuid = UUID().uuidString.lowercased()
        #expect(try send(markup("Words."), of: uuid, url: url).text("text") == "saved")
        #expect(try text() == "Words.")
        try host.ask("delete", ["clips": [1]])
        #expect(try send(markup("Words."), of: uuid, url: url).text("text") == "unchanged")
        #expect(try clips.sqlite3("SELECT count(*) FROM Clip") == "0")
    }

    @Test func `a page without text, one that is too large, and one that is cut are answered`() throws {
        let clip = HostProcess.clip(url)
        try host.save([clip])
        let uuid = try #require(clip["uuid"] as? String)
        #expect(try send("<html><body><nav>Menu</nav></body></html>", of: uuid).text("text") == "none")
        let large = String(repeating: "<p>Many words.</p>", count: 120_000)
        #expect(try send("<html>" + large, of: uuid).errorCode == "tooBig")
        #expect(try send("<html><body><p>The end is miss", of: "x").errorCode == "invalid")
        #expect(try send("<html><body><p>The end is miss", of: uuid).text("text") == "saved")
        #expect(try text() == "The end is miss")
    }
}
