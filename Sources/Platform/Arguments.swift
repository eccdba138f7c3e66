/// The version of the package, which all programs print.
package let clipsVersion = "0.3.0"

/// An option of a command.
package struct Option: Sendable {
    package let name: String
    /// The value's name in help; nil for a switch.
    package let value: String?
    package let help: String
    /// The possible values; empty if there are too many to list.
    package let choices: [String]
    /// Whether a call may have several values of it. A value of another option is never replaced silently.
    package let repeats: Bool

    /// - Parameter help: An imperative phrase for a switch, otherwise a noun phrase; the choices by default.
    package init(
        _ name: String, value: String? = nil, _ help: String? = nil, choices: [String] = [],
        repeats: Bool = false
    ) {
        self.name = name
        self.value = value
        self.repeats = repeats
        self.help = help ?? choices.listed
        self.choices = choices
    }

    package var isFile: Bool { ["FILE", "PATH", "NEW"].contains(value) }
    /// The option with its value's name: `--limit N`.
    package var usage: String { name + (value.map { " " + $0 } ?? "") }
}

/// An error in the program's arguments; exit status 2.
package struct UsageError: Error, CustomStringConvertible {
    package let description: String
    /// Whether the name of the command is the error.
    package let isOfCommand: Bool

    package init(_ description: String, isOfCommand: Bool = false) {
        (self.description, self.isOfCommand) = (description, isOfCommand)
    }

    package static func missing(_ operand: some StringProtocol) -> UsageError {
        UsageError("Missing operand: \(operand).")
    }
}

/// The options and operands of a command.
package struct Arguments: Sendable {
    private let options: [Option]
    private var values: [String: [String]] = [:]
    package private(set) var operands: [String] = []

    /// Parses words of which options may be anywhere; `--` ends them; `--name=value` and `--name value` are
    /// the same.
    ///
    /// - Parameters:
    ///   - takesSignedWords: Whether an operand may begin with a minus sign.
    ///   - takesSignedLetters: Whether such an operand may be one letter, or the name of an option, both of which
    ///     otherwise are unknown options.
    package init(
        _ words: [String], options: [Option], takesSignedWords: Bool = false, takesSignedLetters: Bool = true
    ) throws(UsageError) {
        self.options = options
        var iterator = words.makeIterator()
        while let word = iterator.next() {
            if word == "--" {
                while let operand = iterator.next() { operands.append(operand) }
                return
            }
            let (name, attached) = Self.split(word)
            if !word.hasPrefix("-") || word == "-" {
                operands.append(word)
            } else if let option = options.first(where: { $0.name == name }) {
                let value = try Self.value(of: option, attached) { iterator.next() }
                guard option.repeats || values[name, default: [value]] == [value] else {
                    throw UsageError("Option \(name) has two values. Use one.")
                }
                values[name, default: []].append(value)
            } else if takesSignedWords, !word.hasPrefix("--"),
                takesSignedLetters
                    || !Self.isLetter(name) && !options.contains(where: { $0.name == "-\(name)" })
            {
                operands.append(word)
            } else {
                let names = options.map(\.name)
                // `-o`, for `--output`.
                let letter = names.first { $0.utf8.count == 2 && name.hasPrefix("-" + $0) }
                let hint = letter.map { " Did you mean '\($0)'?" } ?? ""
                throw UsageError(
                    "Unknown option '\(name)'.\(Suggestion.question(for: name, in: names, else: hint))")
            }
        }
    }

    /// Whether a word is a minus sign and a letter of the usual short options.
    private static func isLetter(_ name: String) -> Bool {
        name.utf8.count == 2 && name.dropFirst().allSatisfy { $0.isASCII && $0.isLetter }
    }

    private static func split(_ word: String) -> (String, String?) {
        guard let equals = word.firstIndex(of: "=") else {
            return (word == "-h" ? "--help" : word, nil)
        }
        return (String(word[..<equals]), String(word[word.index(after: equals)...]))
    }

    private static func value(
        of option: Option, _ attached: String?, or next: () -> String?
    ) throws(UsageError) -> String {
        guard option.value != nil else {
            guard attached == nil else { throw UsageError("Option \(option.name) takes no value.") }
            return ""
        }
        guard let value = attached ?? next(), !(option.isFile && value.isEmpty) else {
            throw UsageError("Option \(option.name) requires a value: \(option.usage).")
        }
        return value
    }

    package func has(_ name: String) -> Bool { values[name] != nil }
    /// The value of an option, the last one of an option that repeats.
    package func value(_ name: String) -> String? { values[name]?.last }
    package func all(_ name: String) -> [String] { values[name] ?? [] }

    /// The value of an option, converted.
    ///
    /// - Parameter expected: The possible values, for an error; the option's choices by default.
    package func value<Value>(
        _ name: String, expected: String? = nil, as convert: (String) -> Value?
    ) throws(UsageError) -> Value? {
        guard let text = value(name) else { return nil }
        if let value = convert(text) { return value }
        let choices = options.first { $0.name == name }?.choices ?? []
        let hint = Suggestion.question(for: text, in: choices, else: " Use \(expected ?? choices.listed).")
        throw UsageError("Invalid value '\(text)' for \(name).\(hint)")
    }

    package func number(_ name: String) throws(UsageError) -> Int? {
        try value(name, expected: "a number from 1") { Int($0).flatMap { $0 < 1 ? nil : $0 } }
    }
}
