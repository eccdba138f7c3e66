import Platform

/// An option of a command.
struct Option: Sendable {
    let name: String
    /// The value's name in help; nil for a switch.
    let value: String?
    let help: String
    /// The possible values; empty if there are too many to list.
    let choices: [String]

    /// - Parameter help: An imperative phrase for a switch, otherwise a noun phrase; the choices by default.
    init(_ name: String, value: String? = nil, _ help: String? = nil, choices: [String] = []) {
        self.name = name
        self.value = value
        self.help = help ?? Self.list(choices)
        self.choices = choices
    }

    var isFile: Bool { ["FILE", "PATH", "NEW"].contains(value) }
    /// The option with its value's name: `--limit N`.
    var usage: String { name + (value.map { " " + $0 } ?? "") }

    /// The words as in `a, b, or c`.
    static func list(_ words: [String]) -> String {
        guard words.count > 2 else { return words.joined(separator: " or ") }
        return Array(words.dropLast()).joined(separator: ", ") + ", or " + (words.last ?? "")
    }
}

/// An error in the program's arguments; exit status 2.
struct UsageError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }

    static func missing(_ operand: some StringProtocol) -> UsageError {
        UsageError("Missing operand: \(operand).")
    }
}

/// The options and operands of a command.
struct Arguments: Sendable {
    private let options: [Option]
    private var values: [String: [String]] = [:]
    private(set) var operands: [String] = []

    /// Parses words of which options may be anywhere; `--` ends them; `--name=value` and `--name value` are
    /// the same.
    init(_ words: [String], of command: Command) throws(UsageError) {
        options = command.options + Command.globalOptions
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
                values[name, default: []].append(try Self.value(of: option, attached) { iterator.next() })
            } else if command.takesSignedWords && !word.hasPrefix("--") {
                operands.append(word)
            } else {
                throw UsageError("Unknown option '\(name)'.")
            }
        }
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

    /// Checks the number of operands.
    func checkOperands(of command: Command) throws(UsageError) {
        let words = command.operands.split(separator: " ")
        let isOptional = has("--query") || words.first?.hasPrefix("[") ?? true
        // The operands before a signed word, and all if there is none.
        let required = (command.takesSignedWords ? words.prefix(1) : words[...]).prefix { !$0.hasPrefix("[") }
        let given = operands.allSatisfy(\.isEmpty) ? 0 : operands.count
        guard isOptional || given >= required.count else {
            throw .missing(required[given].prefix { $0 != "…" })
        }
        let limit = isOptional && !words.isEmpty || command.operands.contains("…") ? .max : words.count
        guard operands.count <= limit else { throw UsageError("Unexpected operand '\(operands[limit])'.") }
    }

    func has(_ name: String) -> Bool { values[name] != nil }
    /// The value of an option, the last one if the option is repeated.
    func value(_ name: String) -> String? { values[name]?.last }
    func all(_ name: String) -> [String] { values[name] ?? [] }

    /// The value of an option, converted.
    ///
    /// - Parameter expected: The possible values, for an error; the option's choices by default.
    func value<Value>(
        _ name: String, expected: String? = nil, as convert: (String) -> Value?
    ) throws(UsageError) -> Value? {
        guard let text = value(name) else { return nil }
        if let value = convert(text) { return value }
        let choices = options.first { $0.name == name }?.choices ?? []
        throw UsageError("Invalid value '\(text)' for \(name). Use \(expected ?? Option.list(choices)).")
    }

    func number(_ name: String) throws(UsageError) -> Int? {
        try value(name, expected: "a number") { Int($0).flatMap { $0 < 0 ? nil : $0 } }
    }
}
