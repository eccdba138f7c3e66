import ClipsCore
import LiveQuery
import Terminal
import Testing

@testable import ClipsTerminal

/// What a new user sees first.
@Suite struct FirstHourTests {
    @Test func `the footer of a pick says what Enter does`() {
        for (pick, label) in [(Pick(), "Enter print"), (Pick(isSeveral: true), "Enter keep")] {
            var state = AppState.showing(3)
            _ = state.handle(.picking(pick), at: noon)
            #expect(state.lines.last?.contains(label) == true)
        }
    }

    @Test func `marking all as read names the number of clips`() throws {
        var state = AppState.showing(30)
        try state.press("A")
        #expect(state.lines.contains { $0.contains("Mark all 30 clips of the list as read?") })
    }

    @Test func `a clip that is unread and starred shows both`() {
        // The clip 10 is the second of the list.
        let line = AppState.showing(12).lines[2]
        #expect(line.hasPrefix(" •★Clip 10"))
    }

    @Test func `an unknown field of a program is an error of the config file`() {
        #expect(
            ConfigFile("bind Y !echo {nope}").errors.first?.hasPrefix(
                "config:1: Unknown field '{nope}'. Use {url}")
                == true)
        #expect(ConfigFile("bind Y !echo {ulr}").errors.first?.contains("Did you mean '{url}'?") == true)
        #expect(ConfigFile("bind Y |awk '{print}'\nbind X !git show HEAD@{1} {id}").errors.isEmpty)
    }

    @Test(arguments: [("arch", Action.archive), ("del", .delete), ("quit", .quit), ("undo", .undo)])
    func `the help finds the action with the typed name first`(typed: String, action: Action) throws {
        var state = AppState.showing(3)
        try state.press("?/" + typed)
        #expect(state.help.entries(state.keys).first?.action == action)
        #expect(
            state.statusLine.isEmpty == false && state.lines[1].contains(ActionTable[action].help.prefix(20)))
    }

    @Test func `a menu has a border on a small screen`() throws {
        var state = AppState.showing(3, Size(rows: 12, columns: 40))
        try state.press("s")
        #expect(state.lines.contains { $0.hasPrefix("┌─ Sort by ") })
        #expect(state.lines.contains { $0.hasPrefix("└") })
    }

    @Test func `an external writer is shown with its program`() {
        #expect(
            transaction(1, author: nil).shownAuthor == transaction(1, author: nil).program
                ?? AuthorName.unknown)
        #expect(transaction(1, author: "cli").shownAuthor == "cli")
    }
}
