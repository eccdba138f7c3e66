import Platform
import Terminal

/// The options and keys of the config file. Invalid lines are reported and skipped.
package struct ConfigFile: Sendable {
    private var values: [Setting: String] = [:]
    /// A message for each invalid line.
    package private(set) var errors: [String] = []
    private(set) var keys = KeyMap()
    /// The words of the command that gets a page; nil for the default.
    private(set) var fetchCommand: [String]?
    /// The styles of `color`, by role.
    private(set) var styles: [(role: Theme.Role, style: Style)] = []
    /// The path of the file.
    private(set) var path: String?

    /// The commands of the file except `set`, for the documentation.
    package static let commands: [(name: String, help: String)] = [
        (
            "bind KEY ACTION [ARGUMENT]",
            "Bind a key, such as x, <C-x>, <F1>, or <Enter>, also without the brackets or as ^X, or several pressed "
                + "one after the other, such as gg or ,a, to an action under KEYS, or to several with ; between them"
        ),
        (
            "bind KEY !PROGRAM, bind KEY |PROGRAM",
            "Run a program on the clip; | passes the text on standard input, & at the end runs it in the "
                + "background. No shell reads the line; its fields are "
                + ClipCommand.placeholders.joined(separator: " ")
        ),
        ("unbind KEY", "Remove the binding of a key"),
        (
            "color PART STYLE",
            "Set a style, such as 'bold #ffcc00 on 236'. The words are bold, dim, italic, underline, reverse, a "
                + "color by name, number, or #rrggbb, and on before the background. The parts are "
                + Theme.Role.names.joined(separator: ", ")
        ),
        (
            "fetch COMMAND",
            "Get pages for 'clips add --fetch' with a command that writes them to standard output, without a "
                + "shell; %s is the URL, which otherwise follows at the end (default: curl)"
        ),
    ]

    package init(_ text: String = "") {
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let words = line.split { $0 == " " || $0 == "\t" || $0 == "\r" }.map(String.init)
            guard let first = words.first, !first.hasPrefix("#") else { continue }
            do throws(ConfigError) {
                try apply(first, Array(words.dropFirst()))
            } catch {
                errors.append("config:\(index + 1): \(error.text)")
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

    func isSet(_ setting: Setting) -> Bool { values[setting] != nil }

    private mutating func apply(_ command: String, _ words: [String]) throws(ConfigError) {
        let rest = words.dropFirst().joined(separator: " ")
        switch (command, words.count) {
        case ("bind", 2...): try bind(words[0], rest)
        case ("unbind", 1): try unbind(words[0])
        case ("set", 2...): try set(words[0], rest)
        case ("color", _): try setStyle(words)
        case ("fetch", 1...): fetchCommand = words
        case ("fetch", _): throw ConfigError("Use 'fetch COMMAND', such as 'fetch curl -sL'.")
        case ("bind", _): throw ConfigError("Use 'bind KEY ACTION', such as 'bind x delete'.")
        case ("unbind", _): throw ConfigError("Use 'unbind KEY'.")
        case ("set", _): throw ConfigError("Use 'set OPTION VALUE', such as 'set follow off'.")
        default: throw ConfigError("Unknown command '\(command)'. Use bind, unbind, set, color, or fetch.")
        }
    }

    mutating func bind(_ key: Key, to action: Action) { keys.bind([key], to: Binding(action)) }

    private mutating func unbind(_ name: String) throws(ConfigError) {
        let sequence = try Self.keys(name)
        // A binding above may have removed the one of a default key.
        guard keys[sequence] != nil || KeyMap()[sequence] != nil else {
            throw ConfigError("Cannot unbind '\(name)': it is not bound.")
        }
        keys.unbind(sequence)
    }

    private mutating func bind(_ name: String, _ text: String) throws(ConfigError) {
        let sequence = try Self.keys(name)
        if case .character(let character) = sequence[0], character.isASCII, character.isNumber {
            throw ConfigError("Cannot bind '\(name)': digits are counts.")
        }
        if sequence.count > 1, sequence.contains(where: { $0 == .escape || $0 == .control("c") }) {
            throw ConfigError("Cannot bind '\(name)': <Esc> and <C-c> cancel a sequence of keys.")
        }
        if let other = keys.conflict(with: sequence) {
            throw ConfigError(
                "Cannot bind '\(name)': '\(other.map(\.name).joined())' is bound above, and one begins with "
                    + "the other. Unbind it, or use different keys.")
        }
        keys.bind(sequence, to: try Binding(text))
    }

    private static func keys(_ name: String) throws(ConfigError) -> [Key] {
        if let key = Key(bareName: name) { return [key] }
        guard let keys = try? KeyParser.keys(in: name), !keys.isEmpty,
            name.contains("<") || keys.count <= maxLetters
        else {
            throw ConfigError(
                "Unknown key '\(name)'. Use a character, up to \(maxLetters) of them such as gg, C-x or ^X, A-x or "
                    + "M-x, F1 to F12, or one of \(Key.bareNames.prefix(16).joined(separator: ", ")).")
        }
        return keys
    }

    /// The letters of a sequence; a longer word is the name of a key in another program.
    private static let maxLetters = 3

    mutating func set(_ option: String, _ value: String) throws(ConfigError) {
        guard let setting = Setting(rawValue: option) else {
            let names = Setting.allCases.map(\.rawValue)
            let hint = Suggestion.question(for: option, in: names, else: " Use \(names.listed).")
            throw ConfigError("Unknown option '\(option)'.\(hint)")
        }
        if let error = setting.error(in: value) { throw ConfigError(error) }
        values[setting] = value
    }

    /// Sets the style of a part of the screen; a later one replaces it.
    mutating func setStyle(_ words: [String]) throws(ConfigError) {
        guard words.count > 1 else {
            throw ConfigError("Use 'color PART STYLE', such as 'color unread bold yellow'.")
        }
        guard let role = Theme.Role(words[0]) else {
            let names = Theme.Role.names
            let hint = Suggestion.question(for: words[0], in: names, else: " Use \(names.listed).")
            throw ConfigError("Unknown part '\(words[0])'.\(hint)")
        }
        styles.append((role, try Style(config: words.dropFirst())))
    }
}
