import Platform
package import Terminal

/// The options and keys of the config file. Invalid lines are reported and skipped.
package struct ConfigFile: Sendable {
    private var values: [Setting: String] = [:]
    /// A message for each invalid line.
    package private(set) var errors: [String] = []
    private(set) var keys = KeyMap()
    /// The words of the command that gets a page; nil for the default.
    private(set) var fetchCommand: [String]?
    /// The path of the file.
    private(set) var path: String?

    package init(_ text: String = "") {
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let words = line.split { $0 == " " || $0 == "\t" || $0 == "\r" }.map(String.init)
            guard let first = words.first, !first.hasPrefix("#") else { continue }
            if let error = apply(first, Array(words.dropFirst())) {
                errors.append("config:\(index + 1): \(error)")
            }
        }
    }

    /// Reads `clips/config` in XDG_CONFIG_HOME; a missing file counts as empty.
    package static func read() -> ConfigFile {
        guard
            let folder = Environment.variable("XDG_CONFIG_HOME")
                ?? Environment.variable("HOME").map({ $0 + "/.config" })
        else { return ConfigFile() }
        let path = folder + "/clips/config"
        guard let text = TextFile.read(path) else {
            var config = ConfigFile()
            if FilePath.exists(path) {
                config.errors = ["Cannot read \(path); the defaults are in effect. Check its permissions."]
            }
            return config
        }
        var config = ConfigFile(text)
        config.path = path
        return config
    }

    package subscript(_ setting: Setting) -> String { values[setting] ?? setting.defaultValue }

    package var follows: Bool { self[.follow] == "on" }
    package var wraps: Bool { self[.wrap] == "on" }
    package var usesMouse: Bool { self[.mouse] == "on" }
    package var showsRelativeNumbers: Bool { self[.relativenumber] == "on" }
    package var colors: ColorCapability.Choice? {
        values[.color].flatMap(ColorCapability.Choice.init(rawValue:))
    }
    var theme: Theme.Choice { Theme.Choice(rawValue: self[.theme]) ?? .auto }

    private mutating func apply(_ command: String, _ words: [String]) -> String? {
        switch (command, words.count) {
        case ("bind", 2): bind(words[0], words[1])
        case ("unbind", 1):
            if let key = Key(named: words[0]) { unbind(key) } else { Self.unknownKey(words[0]) }
        case ("set", 2): set(words[0], words[1])
        case ("fetch", 1...): setFetch(words)
        case ("fetch", _): "Use 'fetch COMMAND', such as 'fetch curl -sL'."
        case ("bind", _): "Use 'bind KEY ACTION', such as 'bind x delete'."
        case ("unbind", _): "Use 'unbind KEY'."
        case ("set", _): "Use 'set OPTION VALUE', such as 'set follow off'."
        default: "Unknown command '\(command)'. Use bind, unbind, set, or fetch."
        }
    }

    private mutating func unbind(_ key: Key) -> String? {
        keys.unbind(key)
        return nil
    }

    private mutating func setFetch(_ words: [String]) -> String? {
        fetchCommand = words
        return nil
    }

    private mutating func bind(_ name: String, _ action: String) -> String? {
        guard let key = Key(named: name) else { return Self.unknownKey(name) }
        if case .character(let character) = key, character.isASCII, character.isNumber {
            return "Cannot bind '\(name)': digits are counts."
        }
        guard let action = Action(rawValue: action) else {
            let near = Suggestion.nearest(to: action, in: Action.allCases.map(\.rawValue))
            return
                "Unknown action '\(action)'. \(near.map { "Did you mean '\($0)'?" } ?? "The help lists them.")"
        }
        keys.bind(key, to: action)
        return nil
    }

    private static func unknownKey(_ name: String) -> String {
        "Unknown key '\(name)'. Use a character, <C-x>, <F1>, or <Enter>."
    }

    /// Sets an option, and returns the error if that fails.
    mutating func set(_ option: String, _ value: String) -> String? {
        guard let setting = Setting(rawValue: option) else {
            let names = Setting.allCases.map(\.rawValue)
            let near = Suggestion.nearest(to: option, in: names).map { "Did you mean '\($0)'?" }
            return "Unknown option '\(option)'. \(near ?? "Use \(Self.list(names)).")"
        }
        guard setting.values.contains(value) else {
            return "Unknown value '\(value)' of \(option). Use \(Self.list(setting.values))."
        }
        values[setting] = value
        return nil
    }

    private static func list(_ names: [String]) -> String {
        names.dropLast().joined(separator: ", ") + (names.count > 2 ? "," : "") + " or " + (names.last ?? "")
    }
}
