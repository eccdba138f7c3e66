/// A subcommand: its description for help, the manual page, and completions, and its implementation.
struct Command: Sendable {
    struct Option: Sendable {
        let name: String
        /// The value's name in help; nil for a switch.
        let value: String?
        let help: String
        let choices: [String]

        init(_ name: String, value: String? = nil, _ help: String, choices: [String] = []) {
            (self.name, self.value, self.help, self.choices) = (name, value, help, choices)
        }

        var usage: String { name + (value.map { " " + $0 } ?? "") }
    }

    let name: String
    /// An imperative phrase.
    let summary: String
    var details = ""
    /// As help shows them: in brackets if they are optional, with an ellipsis if they may be repeated.
    let operands: String
    var options: [Option] = []
    let example: String
    let run: @Sendable (Arguments) async throws -> Int32

    static let all = [
        track, follow, log, restore, status, clean, doctor, untrack, completions, manual,
    ]

    static let global = [
        Option("--help", "print this help"), Option("--version", "print the version"),
    ]

    var call: String { ["dbhistory", name, operands].filter { !$0.isEmpty }.joined(separator: " ") }
}

/// An error in the program's arguments.
struct UsageError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

/// A failure, as a sentence.
struct Failure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

/// The options and operands of a command.
struct Arguments: Sendable {
    private var values: [String: String] = [:]
    private(set) var operands: [String] = []

    /// Parses words of which options may be anywhere; `--` ends them.
    init(_ words: [String], of command: Command) throws {
        var rest = words[...]
        let options = command.options + Command.global
        while let word = rest.popFirst() {
            if word == "--" {
                operands += rest
                break
            }
            guard word.hasPrefix("-"), word != "-" else {
                operands.append(word)
                continue
            }
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(
                String.init)
            let name = parts[0] == "-h" ? "--help" : parts[0]
            guard let option = options.first(where: { $0.name == name }) else {
                throw UsageError("Unknown option '\(name)'.")
            }
            guard option.value != nil else {
                guard parts.count == 1 else { throw UsageError("Option \(name) takes no value.") }
                values[name] = ""
                continue
            }
            guard let value = parts.count > 1 ? parts[1] : rest.popFirst() else {
                throw UsageError("Option \(name) requires a value: \(option.usage).")
            }
            guard option.choices.isEmpty || option.choices.contains(value) else {
                throw UsageError(
                    "Invalid value '\(value)' for \(name). Use \(option.choices.joined(separator: ", ")).")
            }
            values[name] = value
        }
        guard !has("--help"), !has("--version") else { return }
        let names = command.operands.split(separator: " ")
        let required = names.prefix { !$0.hasPrefix("[") }
        guard operands.count >= required.count else {
            throw UsageError("Missing operand: \(required[operands.count]).")
        }
        guard operands.count <= names.count || command.operands.contains("…") else {
            throw UsageError("Unexpected operand '\(operands[names.count])'.")
        }
    }

    func has(_ name: String) -> Bool { values[name] != nil }
    func value(_ name: String) -> String? { values[name] }

    func number(_ name: String) throws -> Int? {
        guard let text = value(name) else { return nil }
        guard let number = Int(text), number >= 0 else {
            throw UsageError("Invalid value '\(text)' for \(name). Use a number.")
        }
        return number
    }

    var path: String { operands[0] }
    var rest: [String] { Array(operands.dropFirst()) }
}
