import ClipsCore
import Foundation
import Terminal
import Testing

@testable import ClipsTerminal

@Suite struct HelpTests {
    @Test func `the help is searched, and Enter runs what was found`() throws {
        var state = AppState.showing(30)
        try state.press("?/undo brings it back")
        #expect(state.help.entries(state.keys).map(\.action) == [.delete])
        guard case .work(.delete([29], _))? = try state.press("<Enter>").last else {
            Issue.record("not deleted")
            return
        }
        #expect(state.screen == .list)
        // By its key, too; and the arrows choose while one types.
        try state.press("?/wraps the<Down><Enter>")
        #expect(state.screen == .list && state.prompt == nil)
    }

    @Test func `an entry that cannot be run says why, and stays`() throws {
        var state = AppState.showing(0)
        try state.press("?/gives a star")
        #expect(state.prompt != nil)
        try state.press("<Enter>")
        #expect(state.screen == .help && state.statusLine.contains("There is no clip here; a adds one."))
        try state.press("<Esc>/in your browser<Enter>")
        #expect(state.screen == .help && state.statusLine.contains("There is no clip here"))
    }

    @Test(arguments: [
        (Action.restore, "shows the history"), (.errors, "no errors"),
        (.nextMatch, "Nothing was looked for"),
        (.right, "wrapped"),
    ])
    func `keys and help give the same reason`(action: Action, words: String) throws {
        var state = AppState.showing(5)
        let reason = try #require(state.obstacle(to: action))
        #expect(reason.contains(words))
        state.perform(action, count: nil)
        #expect(state.message?.text == reason)
    }

    @Test(arguments: Action.allCases)
    func `whatever is run from the help, on every screen, says or does something`(action: Action) throws {
        for keys in ["", "H", "C", "<Enter>"] {
            var state = AppState.showing(5)
            try state.press(keys + "?")
            while state.help.entries(state.keys)[state.help.selected].action != action {
                try state.press("j")
            }
            let before = state.screen
            _ = try state.press("<Enter>")
            #expect(before == .help)
            if state.screen == .help {
                #expect(state.message != nil || action == .help, "\(action) after \(keys)")
            }
        }
    }
}

@Suite struct ConfigErrorTests {
    @Test func `all errors of the config file are shown, with their lines and the nearest names`() throws {
        let text = "bind x delte\nset folow on\nbind <Nokey> down\nset theme pink\nbind 5 down\n"
        let config = ConfigFile(text)
        #expect(config.errors.count == 5)
        #expect(config.errors[0] == "config line 1: there is no action 'delte'; is it 'delete'?")
        #expect(config.errors[1] == "config line 2: there is no option 'folow'; is it 'follow'?")
        #expect(config.errors[3].contains("auto, light, dark and plain"))
        let wide = AppState.showing(3, Size(rows: 24, columns: 120), config: text).lines.joined(
            separator: " ")
        for line in 1...5 { #expect(wide.contains("config line \(line):")) }
        var small = AppState.showing(3, Size(rows: 12, columns: 40), config: text)
        #expect(small.statusLine.contains(":errors shows all"))
        try small.press(":errors<Enter>")
        var seen = ""
        for _ in 0..<20 {
            seen += small.lines.joined(separator: " ")
            try small.press("j")
        }
        for line in 1...5 { #expect(seen.contains("config line \(line):")) }
    }

    @Test func `a near name is found, a far one is not`() {
        #expect(Spelling.nearest(to: "hlep", in: ["help", "history"]) == "help")
        #expect(Spelling.nearest(to: "browsehere", in: ["browse", "browse-here"]) == "browse-here")
        #expect(Spelling.nearest(to: "explode", in: Action.allCases.map(\.rawValue)) == nil)
    }

    @Test(arguments: [ColorCapability.none, .eight, .sixteen, .palette])
    func `every theme tells the selected row apart without its colours`(colors: ColorCapability) {
        for choice in Theme.Choice.allCases {
            let theme = Theme(choice, colors)
            let selection = ColorCapability.none.adapted(theme.selection)
            #expect(colors != .none || selection.attributes.contains(.reverse))
            #expect(colors.adapted(theme.selection) != .plain)
            #expect(theme.error != .plain && theme.selection != theme.unfocusedSelection)
        }
    }
}
