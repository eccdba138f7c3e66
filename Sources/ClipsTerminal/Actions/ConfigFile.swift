import Glibc
package import Terminal

/// What the config file sets. A mistake in it is told with its line, and the rest counts.
package struct ConfigFile: Sendable {
    package private(set) var follows = true
    package private(set) var colors: ColorCapability.Choice?
    package private(set) var wraps = true
    /// A sentence for each line that could not be used.
    package private(set) var mistakes: [String] = []
    private(set) var keys = KeyMap()

    package init(_ text: String = "") {
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let words = line.split { $0 == " " || $0 == "\t" || $0 == "\r" }.map(String.init)
            guard let first = words.first, !first.hasPrefix("#") else { continue }
            if let mistake = take(first, Array(words.dropFirst())) {
                mistakes.append("config line \(index + 1): \(mistake)")
            }
        }
    }

    /// Reads `clips/config` under XDG_CONFIG_HOME; a missing file is an empty one.
    package static func read() -> ConfigFile {
        func variable(_ name: String) -> String? {
            getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
        }
        guard let folder = variable("XDG_CONFIG_HOME") ?? variable("HOME").map({ $0 + "/.config" }) else {
            return ConfigFile()
        }
        let path = folder + "/clips/config"
        guard let text = TextFile.read(path) else {
            var config = ConfigFile()
            if access(path, F_OK) == 0 {
                config.mistakes = ["\(path) cannot be read; the defaults are used."]
            }
            return config
        }
        return ConfigFile(text)
    }

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
        guard let action = Action(rawValue: action) else {
            return "there is no action '\(action)'; key ? lists them."
        }
        keys.bind(key, to: action)
        return nil
    }

    private static func unknownKey(_ name: String) -> String {
        "'\(name)' is no key; write a character, <C-x>, <F1> or <Enter>."
    }

    private mutating func set(_ option: String, _ value: String) -> String? {
        switch option {
        case "follow": set(\.follows, value)
        case "wrap": set(\.wraps, value)
        case "color": setColor(value)
        default: "there is no option '\(option)'; the options are follow, wrap and color."
        }
    }

    private mutating func set(_ path: WritableKeyPath<ConfigFile, Bool>, _ value: String) -> String? {
        guard value == "on" || value == "off" else { return "'\(value)' is neither on nor off." }
        self[keyPath: path] = value == "on"
        return nil
    }

    private mutating func setColor(_ value: String) -> String? {
        guard let choice = ColorCapability.Choice(rawValue: value) else {
            let choices = ColorCapability.Choice.allCases.map(\.rawValue).joined(separator: ", ")
            return "'\(value)' is no choice of colours; choose from \(choices)."
        }
        colors = choice
        return nil
    }
}
