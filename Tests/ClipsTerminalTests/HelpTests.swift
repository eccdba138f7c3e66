import ClipsCore
import Foundation
import Platform
import Terminal
import TestSupport
import Testing

@testable import ClipsTerminal

@Suite struct HelpTests {
    @Test func `the scroll bar covers no text`() {
        let width = HelpScreen.lines(HelpEntry.all(KeyMap()), isFiltered: false, columns: 80)
            .map { HelpScreen.indent(80) + $0.text.count }.max()
        #expect((60...78).contains(width ?? 0))
    }

    @Test func `the help is searched, and Enter runs what was found`() throws {
        var state = AppState.showing(30)
        try state.press("?/undo restores them")
        #expect(state.help.entries(state.keys).map(\.binding.action) == [.delete])
        guard case .work(.delete([29], _))? = try state.press("<Enter>").last else {
            Issue.record("not deleted")
            return
        }
        #expect(state.screen == .list)
        // The arrows select while the words are typed.
        try state.press("?/unwrap the lines<Down><Enter>")
        #expect(state.screen == .list && state.prompt == nil)
    }

    @Test func `the keys of the user are searched and run as others are`() throws {
        var state = AppState.showing(30, config: "bind X star ; archive")
        try state.press("?G")
        #expect(state.statusLine.contains("Enter runs star ; archive"), "\(state.statusLine)")
        try state.press("<Esc>?/x star ; arch")
        #expect(state.lines.contains { $0.contains("X  star ; archive") })
        let effects = try state.press("<Enter>")
        #expect(
            effects.contains { if case .work(.toggle(.starred, _, [29], _)) = $0 { true } else { false } })
        #expect(state.screen == .list)
    }

    @Test func `an unavailable entry gives the reason, and the help remains`() throws {
        var state = AppState.showing(0)
        try state.press("?/toggle star")
        #expect(state.prompt != nil)
        try state.press("<Enter>")
        #expect(state.screen == .help && state.statusLine.contains("There is no clip here; a adds one."))
        try state.press("<Esc>/in your browser<Enter>")
        #expect(state.screen == .help && state.statusLine.contains("There is no clip here"))
    }

    @Test(arguments: [
        (Action.restore, "shows the history"), (.errors, "no errors"),
        (.nextMatch, "Nothing to search for"),
        (.right, "wrapped"),
    ])
    func `keys and help give the same reason`(action: Action, words: String) throws {
        var state = AppState.showing(5)
        let reason = try #require(state.unavailabilityReason(of: action))
        #expect(reason.contains(words))
        state.perform(action, count: nil)
        #expect(state.message?.text == reason)
    }

    @Test(arguments: Action.allCases)
    func `every entry run from the help reports or does something, on every screen`(action: Action) throws {
        if !LongProof.isWhole { LongProof.omits("the help of two of four screens for \(action)") }
        let number = Action.allCases.firstIndex(of: action) ?? 0
        for (index, keys) in ["", "H", "C", "<Enter>"].enumerated() {
            // The list, and one other screen.
            guard LongProof.isWhole || index == 0 || index == number % 3 + 1 else { continue }
            var state = AppState.showing(5)
            try state.press(keys + "?")
            let entries = state.help.entries(state.keys)
            let row = try #require(entries.firstIndex { $0.binding.action == action })
            try state.press(row > 0 ? "\(row)j" : "")
            #expect(entries[state.help.selected].binding.action == action)
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
        #expect(config.errors[0] == "config:1: Unknown action 'delte'. Did you mean 'delete'?")
        #expect(config.errors[1] == "config:2: Unknown option 'folow'. Did you mean 'follow'?")
        #expect(config.errors[3].contains("auto, light, dark, or plain"))
        let wide = AppState.showing(3, Size(rows: 24, columns: 120), config: text).lines.joined(
            separator: " ")
        for line in 1...5 { #expect(wide.contains("config:\(line):")) }
        var small = AppState.showing(3, Size(rows: 12, columns: 40), config: text)
        #expect(small.statusLine.contains(":errors shows all"))
        try small.press(":errors<Enter>")
        var seen = ""
        for _ in 0..<20 {
            seen += small.lines.joined(separator: " ")
            try small.press("j")
        }
        for line in 1...5 { #expect(seen.contains("config:\(line):")) }
    }

    @Test func `a near name is found, a far one is not`() {
        #expect(Suggestion.nearest(to: "nope", in: ["open", "help"]) == nil)
        #expect(Suggestion.nearest(to: "serch", in: ["star", "search"]) == "search")
        #expect(Suggestion.nearest(to: "arch", in: ["search", "archive"]) == "archive")
        #expect(Suggestion.nearest(to: "ad", in: ["add", "star"]) == "add")
        #expect(Suggestion.nearest(to: "hlep", in: ["help", "history"]) == "help")
        #expect(Suggestion.nearest(to: "browsehere", in: ["browse", "browse-here"]) == "browse-here")
        #expect(Suggestion.nearest(to: "explode", in: Action.allCases.map(\.rawValue)) == nil)
    }

    @Test(arguments: [ColorCapability.none, .eight, .sixteen, .palette, .direct])
    func `every theme marks the selected row even without colors`(colors: ColorCapability) {
        for choice in Theme.Choice.allCases {
            let theme = Theme(choice, colors)
            let selection = ColorCapability.none.adapted(theme[.selection])
            #expect(colors != .none || selection.attributes.contains(.reverse))
            #expect(colors.adapted(theme[.selection]) != .plain)
            #expect(theme[.error] != .plain && theme[.selection] != theme[.unfocused])
        }
    }
}
