import Foundation
import TestSupport
import Testing

/// An app whose window is closed while another process holds the store.
@Suite(.serialized) struct ClosedWindowTests {
    @Test(arguments: [(SIGHUP, 129), (SIGTERM, 143)] as [(Int32, Int)])
    func `a window closed while a save waits retains the text, and reports its file`(
        signal: (number: Int32, status: Int)
    ) async throws {
        let clips = try Situation.someClips.make()
        let saved = try clips.ids()
        let app = try AppSession(clips)
        #expect(app.shows("1/\(Situation.clips)"))
        let holder = try LineProcess("sqlite3", [clips.storePath])
        #expect(try holder.ask(".timeout 5000\nBEGIN IMMEDIATE; SELECT 'held';") == "held")
        for word in ["first", "second"] {
            app.type("ahard to come by, \(word)")
            #expect(app.shows("hard to come by, \(word)"))
            app.type("\r")
            // The prompt has ended, since keys that no program has read end with the terminal.
            #expect(app.hides("hard to come by, \(word)"))
            #expect(app.shows("saving…"))
        }
        kill(app.process, signal.number)
        #expect(await soon { app.endStatus != nil }, "\(app.lines)")
        #expect(app.endStatus == signal.status)
        #expect(app.shows("Your text is in "))
        let lines = try clips.unsaved()
        for word in ["first", "second"] { #expect(lines.contains("hard to come by, \(word)"), "\(lines)") }
        #expect(try holder.ask("COMMIT; SELECT 'released';") == "released")
        #expect(try clips.ids() == saved)
        #expect(try clips.run("add", "--jsonl", input: lines).ids.count == 2)
        #expect(
            try clips.sqlite3(
                "SELECT count(*) FROM Clip WHERE text LIKE 'hard to come by%' AND author = 'app'")
                == "2")
        let all = try clips.ids()
        #expect(await Oracle(clips: clips).complaints(saved: all) == [])
    }
}
