import ClipsCore
import Foundation
import PersistentStore
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
            #expect(
                !entry.keys.isEmpty
                    || [.set, .color, .errors, .pick, .save, .unsave, .read, .unread].contains(action))
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
            HelpScreen.lines(HelpEntry.all(KeyMap()), isFiltered: false, columns: 200).contains {
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
        #expect(config.keys[.character("x")] == Binding(.delete))
        #expect(config.keys[.control("n")] == Binding(.down))
        #expect(config.keys[.character("d")] == nil)
        #expect(config.keys[.character("j")] == Binding(.down))
    }

    @Test(arguments: [
        ("bind x explode", "explode"), ("bind <Nokey> down", "<Nokey>"), ("set speed fast", "speed"),
        ("set follow maybe", "maybe"), ("set color pink", "pink"), ("frobnicate", "frobnicate"),
        ("bind x", "bind KEY ACTION"), ("set follow", "set OPTION VALUE"), ("unbind", "unbind KEY"),
        ("set columns title,sites", "Did you mean 'site'?"), ("set columns age,age", "each column once"),
        ("set split 90", "Use 20 to 80"), ("set sort titel", "Did you mean 'title'?"),
        ("set date plain", "Invalid format"), ("set date %Y %Q", "Invalid format"),
        ("unbind zz", "not bound"),
        ("set date %H%n%M", "Invalid format"), ("set theme blue", "Use auto, light, dark, or plain"),
        ("color unread bold yelow", "Did you mean 'yellow'?"), ("color unread #12345", "#rrggbb"),
        ("color unred bold", "Did you mean 'unread'?"), ("color unread", "color PART STYLE"),
        ("color", "color PART STYLE"), ("color unread red on", "missing after 'on'"),
        ("bind x delete 3", "has no argument"), ("bind x !echo $HOME", "without a shell"),
        ("set duplicates mege", "'mege' of duplicates. Did you mean 'merge'?"),
        ("set theme drak", "Did you mean 'dark'?"), ("bind x |", "The program is missing"),
        ("bind x !sh -c 'curl {url}'", "would run text of web pages"),
        ("bind x !sed s/a/b/;p", "Cannot split"), ("bind x read ;", "action is missing"),
        ("bind x ;read", "action is missing"),
    ])
    func `an error is reported with its line, and the other lines take effect`(line: String, words: String)
        throws
    {
        let config = ConfigFile("set wrap off\n\(line)\nbind x delete\n")
        #expect(config.errors.count == 1)
        let error = try #require(config.errors.first)
        #expect(error.hasPrefix("config:2: ") && error.contains(words))
        #expect(!config.wraps && config.keys[.character("x")] == Binding(.delete))
        let state = AppState.showing(3, config: line)
        // A long message covers rows above the status line.
        let screen = state.draw().lines.joined(separator: " ")
        #expect(screen.contains("config:1") && screen.contains(words))
    }

    @Test func `columns, the split, the order, dates, and colors take effect`() throws {
        let config = """
            set columns title,saved,author
            set split 40
            set sort title reverse
            set date %d.%m.%Y
            color unread italic #ff8800 on 236
            color author dim red
            """
        let state = AppState.showing(3, Size(rows: 30, columns: 200), config: config)
        #expect(state.settings.config.errors.isEmpty && state.lines[0].hasPrefix("   Title"))
        #expect(state.lines[0].contains("Saved") && !state.lines[0].contains("Tags"))
        #expect(state.layout.separator?.column == 80 && state.lines[1].contains("15.01.2027"))
        #expect(state.list.query.sort == SortKey("title", isAscending: false))
        #expect(state.statusLine.contains("by title") == false)
        let unread = state.draw().cell(row: 3, column: 4)?.style
        #expect(
            unread == Style(foreground: .rgb(0xFF8800), background: .indexed(236), attributes: .italic))
        #expect(state.theme.author("berta") == Style(foreground: .red, attributes: .dim))
        #expect(state.theme.author("app") == Theme(.dark, .direct).author("app"))
    }

    @Test func `a color is set for the session, and a wrong one is reported`() throws {
        var state = AppState.showing(3, Size(rows: 24, columns: 160))
        try state.press(":color key underline 208<Enter>")
        #expect(state.theme[.key] == Style(foreground: .indexed(208), attributes: .underline))
        try state.press(":color key<Enter>")
        #expect(state.message?.text.hasPrefix("Use 'color PART STYLE'") == true)
        try state.press(":color key gren<Enter>")
        #expect(state.message?.text == "Unknown color 'gren'. Did you mean 'green'?")
    }

    @Test func `a key performs an action with an argument, and the help lists it`() throws {
        var state = AppState.showing(
            3, config: "bind W tag +work -new\nbind m !mpv {url} &\nbind <F2> set wrap off")
        guard case .work(.tag([2], adding: ["work"], removing: ["new"], _))? = try state.press("W").last
        else {
            Issue.record("not tagged")
            return
        }
        guard case .gather([2], _, .run(let command, withInput: false))? = try state.press("m").last else {
            Issue.record("not run")
            return
        }
        #expect(command.program == "mpv" && command.isInBackground)
        try state.press("<F2>")
        #expect(!state.reader.isWrapped)
        let lines = HelpScreen.lines(HelpEntry.all(state.keys), isFiltered: false, columns: 200)
        #expect(lines.contains { $0.keys == "W" && $0.text == "tag +work -new" })
        #expect(lines.contains { $0.keys == "m" && $0.text == "run mpv {url} &" })
    }

    @Test func `the README names every option, and its example is valid`() throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let readme = try String(contentsOf: root.appendingPathComponent("README.md"), encoding: .utf8)
        let section = try #require(
            readme.components(separatedBy: "\n## ").first { $0.hasPrefix("Configuration\n") })
        for setting in Setting.allCases { #expect(section.contains("`\(setting.rawValue)`")) }
        let example = try #require(section.components(separatedBy: "```\n").dropFirst().first)
        let config = ConfigFile(example)
        #expect(config.errors.isEmpty && config.columns == [.title, .tags, .age] && config.styles.count == 1)
    }

    @Test(arguments: Setting.allCases)
    func `every option accepts its default and the values that Tab completes`(setting: Setting) {
        #expect(setting.error(in: setting.defaultValue) == nil)
        for value in setting.values where setting != .columns { #expect(setting.error(in: value) == nil) }
        #expect(!setting.help.hasSuffix(".") && setting.help.first?.isUppercase == true)
    }

    @Test func `help and hints show a rebound key`() {
        let state = AppState.showing(3, config: "unbind ?\nbind <F1> help\n")
        #expect(state.lines.last?.contains("F1 help") == true)
        #expect(
            HelpScreen.lines(HelpEntry.all(state.keys), isFiltered: false, columns: 200).contains {
                $0.keys == "F1"
            })
    }
}
