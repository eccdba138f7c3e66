import TestSupport
import Testing

/// The mouse on a real terminal, by the reports of SGR mode.
@Suite(.serialized) struct MouseSessionTests {
    @Test func `headers, rows, buttons, and the wheel work in a terminal`() async throws {
        let clips = try ClipsProgram()
        for name in ["beta", "alpha", "gamma"] {
            try clips.run("add", "--title", name, "--url", "https://\(name).example")
        }
        let terminal = try TmuxSession(
            [ClipsProgram.path], columns: 80, rows: 24, environment: clips.environment)
        #expect(try await soon { try terminal.shows("live") })
        /// Sends a press and a release, with the column and row counted from 1.
        func press(_ column: Int, _ row: Int, button: Int = 0) throws {
            let report = "\u{1B}[<\(button);\(column);\(row)"
            try terminal.send("-l", "\(report)M\(report)m")
        }
        try press(5, 1)
        // The header changes before the rows arrive in the new order.
        #expect(
            try await soon {
                let lines = try terminal.lines()
                return lines[0].contains("Title↑") && lines[1].contains("alpha")
            })
        try press(5, 2)
        #expect(try await soon { try terminal.cursorLine().contains("alpha") })
        try press(5, 4, button: 65)
        #expect(try await soon { try terminal.cursorLine().contains("gamma") })
        try press(5, 4, button: 64)
        #expect(try await soon { try terminal.cursorLine().contains("alpha") })
        // The last line begins with the button of Enter.
        try press(3, 24)
        #expect(try await soon { try terminal.shows("Saved") })
        #expect(try await soon { try clips.sqlite3("SELECT unread FROM Clip WHERE title = 'alpha'") == "0" })
    }
}
