import Foundation
import TestSupport
import Testing

/// Changes of many clips, and undo, in the app as a user runs it.
@Suite(.serialized) struct RestartedSessionTests {
    let clips: ClipsProgram

    init() throws { clips = try ClipsProgram() }

    private func open() throws -> TmuxSession {
        let terminal = try TmuxSession(
            [ClipsProgram.path], columns: 80, rows: 24, environment: clips.environment)
        #expect(try eventually { try terminal.shows("live") })
        return terminal
    }

    @Test func `marked clips are deleted together, and restored after a restart`() async throws {
        for number in 1...9 { try clips.run("add", "--title", "clip number \(number)") }
        let terminal = try open()
        try terminal.send("j", "v", "2", "j")
        #expect(try await soon { try terminal.shows("3 marked") })
        // While another process writes, the marks stay on their clips.
        try clips.run("extension", "--title", "from the extension")
        #expect(try await soon { try terminal.shows("from the extension") })
        #expect(try terminal.lines().filter { $0.hasPrefix("✓") }.count == 3)
        try terminal.send("d")
        #expect(try await soon { try terminal.shows("Deleted 3 clips") })
        #expect(try clips.sqlite3("SELECT group_concat(id) FROM Clip") == "1,2,3,4,5,9,10")
        try terminal.send("q")
        #expect(try await soon { try terminal.format("#{pane_dead}") == "1" })

        let next = try open()
        try next.send("u")
        #expect(try await soon { try next.shows("Undo “deleted 3 clips”") })
        #expect(try clips.sqlite3("SELECT count(*) FROM Clip") == "7")
        try next.send("y")
        #expect(try await soon { try next.shows("Undone: deleted 3 clips in an earlier run") })
        #expect(try clips.sqlite3("SELECT count(*) FROM Clip") == "10")
        try next.send("H")
        #expect(try await soon { try next.shows("undo") && next.shows("clip number 7") })
        try next.send("q", "q")
        #expect(try await soon { try next.format("#{pane_dead}") == "1" })
    }

    @Test func `the history names quotes, leads to their clip, and undo there deletes them`() async throws {
        try clips.run(
            "add", "--jsonl", input: "{\"title\":\"read\",\"text\":\"one\\ntwo\"}\n{\"title\":\"other\"}\n")
        let terminal = try open()
        try terminal.send("G", "Enter")
        #expect(try await soon { try terminal.shows("two") })
        try terminal.send("v", "j", "\"")
        #expect(try await soon { try clips.sqlite3("SELECT count(*) FROM Quote") == "1" })
        try terminal.send("q", "g", "H")
        #expect(
            try await soon {
                try terminal.shows("~ read  quote added") && terminal.shows("quote: nothing → “one")
            })
        try terminal.send("Enter")
        #expect(
            try await soon { try terminal.cursorLine().contains("read") && !terminal.shows("quote added") })
        try terminal.send("H", "u")
        #expect(try await soon { try terminal.shows("~ read  undone: quote added") })
        #expect(try clips.sqlite3("SELECT count(*) FROM Quote") == "0")
        try terminal.send("q", "q")
        #expect(try await soon { try terminal.format("#{pane_dead}") == "1" })
    }

    @Test func `a command is typed, completed, and run at any size`() async throws {
        for number in 1...9 { try clips.run("add", "--title", "clip number \(number)", "--tag", "numbered") }
        let terminal = try open()
        for (columns, rows) in [(200, 60), (40, 12), (80, 24)] {
            try terminal.resize(columns: columns, rows: rows)
            try terminal.send(":")
            try terminal.send("sort ti", "Tab", "Enter")
            #expect(
                try await soon { try terminal.shows("by title") || terminal.shows("already in this order") })
        }
        try terminal.send("g", "Space", "Space", ":")
        try terminal.send("tag +fine -num")
        // The store's tags are offered as soon as they are read.
        #expect(try await soon { try terminal.shows("numbered") })
        try terminal.send("Tab", "Enter")
        #expect(try await soon { try terminal.shows("Tagged 2 clips +fine -numbered") })
        #expect(
            try clips.sqlite3("SELECT group_concat(tags) FROM Clip WHERE tags <> 'numbered'") == "fine,fine")
        try terminal.send("q")
        #expect(try await soon { try terminal.format("#{pane_dead}") == "1" })
    }
}
