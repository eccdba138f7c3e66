import Platform
package import Terminal

/// What the config file sets. An error in it is reported with its line, and the rest counts.
package struct ConfigFile: Sendable {
    private var values: [Setting: String] = [:]
    /// A sentence for each line that could not be used.
    package private(set) var errors: [String] = []
    private(set) var keys = KeyMap()
    /// Where it was read from.
    private(set) var path: String?

    package init(_ text: String = "") {
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let words = line.split { $0 == " " || $0 == "\t" || $0 == "\r" }.map(String.init)
            guard let first = words.first, !first.hasPrefix("#") else { continue }
            if let error = take(first, Array(words.dropFirst())) {
                errors.append("config line \(index + 1): \(error)")
            }
        }
    }

    /// Reads `clips/config` under XDG_CONFIG_HOME; a missing file is an empty one.
    package static func read() -> ConfigFile {
        guard
            let folder = Environment.variable("XDG_CONFIG_HOME")
                ?? Environment.variable("HOME").map({ $0 + "/.config" })
        else { return ConfigFile() }
        let path = folder + "/clips/config"
        guard let text = TextFile.read(path) else {
            var config = ConfigFile()
            if FilePath.exists(path) {
                config.errors = ["\(path) cannot be read; the defaults are used."]
            }
            return config
        }
        var config = ConfigFile(text)
        config.path = path
        return config
    }

    package subscript(_ setting: Setting) -> String { values[setting] ?? setting.usual }

    package var follows: Bool { self[.follow] == "on" }
    package var wraps: Bool { self[.wrap] == "on" }
    package var takesMouse: Bool { self[.mouse] == "on" }
    package var tellsRelativeNumbers: Bool { self[.relativenumber] == "on" }
    package var colors: ColorCapability.Choice? {
        values[.color].flatMap(ColorCapability.Choice.init(rawValue:))
    }
    var theme: Theme.Choice { Theme.Choice(rawValue: self[.theme]) ?? .auto }

    private mutating func take(_ command: String, _ words: [String]) -> String? {
        switch (command, words.count) {
        case ("bind", 2): bind(words[0], words[1])
        case ("unbind", 1):
            if let key = Key(named: words[0]) { unbind(key) } else { Self.unknownKey(words[0]) }
        case ("set", 2): set(words[0], words[1])
        case ("bind", _): "write 'bind KEY ACTION', such as 'bind x delete'."
        case ("unbind", _): "write 'unbind KEY'."
        case ("set", _): "write 'set OPTION VALUE', such as 'set follow off'."
        default: "there is no '\(command)'; use bind, unbind or set."
        }
    }

    private mutating func unbind(_ key: Key) -> String? {
        keys.unbind(key)
        return nil
    }

    private mutating func bind(_ name: String, _ action: String) -> String? {
        guard let key = Key(named: name) else { return Self.unknownKey(name) }
        if case .character(let character) = key, character.isASCII, character.isNumber {
            return "'\(name)' counts and cannot be bound."
        }
        guard let action = Action(rawValue: action) else {
            let near = Spelling.nearest(to: action, in: Action.allCases.map(\.rawValue))
            return
                "there is no action '\(action)'; \(near.map { "is it '\($0)'?" } ?? "the help lists them.")"
        }
        keys.bind(key, to: action)
        return nil
    }

    private static func unknownKey(_ name: String) -> String {
        "'\(name)' is no key; write a character, <C-x>, <F1> or <Enter>."
    }

    /// Returns what is wrong with it, if something is.
    mutating func set(_ option: String, _ value: String) -> String? {
        guard let setting = Setting(rawValue: option) else {
            let names = Setting.allCases.map(\.rawValue)
            let near = Spelling.nearest(to: option, in: names).map { "is it '\($0)'?" }
            return "there is no option '\(option)'; \(near ?? "the options are \(Self.list(names)).")"
        }
        guard setting.values.contains(value) else {
            return setting.values == ["on", "off"]
                ? "'\(value)' is neither on nor off."
                : "'\(value)' is no \(option); choose from \(Self.list(setting.values))."
        }
        values[setting] = value
        return nil
    }

    private static func list(_ names: [String]) -> String {
        names.dropLast().joined(separator: ", ") + " and " + (names.last ?? "")
    }
}
