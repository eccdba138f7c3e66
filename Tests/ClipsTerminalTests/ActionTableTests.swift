import Terminal
import Testing

@testable import ClipsTerminal

@Suite struct ActionTableTests {
    @Test(arguments: Action.allCases)
    func `every action has one entry with help, and a key unless it is only a command`(
        action: Action
    ) {
        let entries = ActionTable.entries.filter { $0.action == action }
        #expect(entries.count == 1)
        for entry in entries {
            #expect(!entry.keys.isEmpty || action == .set || action == .errors)
            for key in entry.keys { #expect(Key(named: key) != nil, "\(key)") }
            #expect(!entry.help.hasSuffix(".") && entry.help.first?.isUppercase == true)
            #expect((entry.argument == nil) == (entry.performArgument == nil))
        }
    }

    @Test func `no key has two actions`() {
        let keys = ActionTable.entries.flatMap(\.keys)
        #expect(Set(keys).count == keys.count)
        #expect(!keys.contains { $0.first?.isNumber == true })
    }

    @Test(arguments: Action.allCases)
    func `the help lists every action`(action: Action) {
        let entry = ActionTable[action]
        #expect(
            HelpScreen.lines(ActionTable.entries, KeyMap(), columns: 200).contains {
                $0.text == entry.help && !$0.keys.isEmpty
            })
    }

    @Test func `keys are shown in their common form`() {
        #expect(KeyMap.shown(.control("d")) == "^D")
        #expect(KeyMap.shown(.enter) == "Enter")
        #expect(KeyMap.shown(.character("?")) == "?")
        #expect(KeyMap.shown(.down) == "↓")
        #expect(KeyMap.shown(.character(" ")) == "Space")
    }
}

@Suite struct ConfigFileTests {
    @Test func `options and keys take effect`() {
        let config = ConfigFile(
            "# mine\n\nset follow off\nset color never\nset wrap off\nbind x delete\nbind <C-n> down\nunbind d\n"
        )
        #expect(config.errors.isEmpty)
        #expect(!config.follows && !config.wraps)
        #expect(config.colors == .never)
        #expect(config.keys[.character("x")] == .delete)
        #expect(config.keys[.control("n")] == .down)
        #expect(config.keys[.character("d")] == nil)
        #expect(config.keys[.character("j")] == .down)
    }

    @Test(arguments: [
        ("bind x explode", "explode"), ("bind <Nokey> down", "<Nokey>"), ("set speed fast", "speed"),
        ("set follow maybe", "maybe"), ("set color pink", "pink"), ("frobnicate", "frobnicate"),
        ("bind x", "bind KEY ACTION"), ("set follow", "set OPTION VALUE"), ("unbind", "unbind KEY"),
    ])
    func `an error is reported with its line, and the other lines take effect`(line: String, words: String)
        throws
    {
        let config = ConfigFile("set wrap off\n\(line)\nbind x delete\n")
        #expect(config.errors.count == 1)
        let error = try #require(config.errors.first)
        #expect(error.hasPrefix("config:2: ") && error.contains(words))
        #expect(!config.wraps && config.keys[.character("x")] == .delete)
        let state = AppState.showing(3, config: line)
        // A long message covers rows above the status line.
        let screen = state.draw().lines.joined(separator: " ")
        #expect(screen.contains("config:1") && screen.contains(words))
    }

    @Test func `help and hints show a rebound key`() {
        let state = AppState.showing(3, config: "unbind ?\nbind <F1> help\n")
        #expect(state.lines.last?.contains("F1 help") == true)
        #expect(HelpScreen.lines(ActionTable.entries, state.keys, columns: 200).contains { $0.keys == "F1" })
    }
}
