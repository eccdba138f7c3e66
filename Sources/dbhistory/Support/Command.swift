import PersistentStore
import Platform

/// A subcommand: its description for help, the manual page, and completions, and its implementation.
struct Command: Sendable {
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

/// A failure, as a sentence.
struct Failure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

extension Arguments {
    /// Parses the words of a command, and checks its operands and choices.
    init(_ words: [String], of command: Command) throws(UsageError) {
        let options = command.options + Command.global
        try self.init(words, options: options)
        guard !has("--help"), !has("--version") else { return }
        for option in options where !option.choices.isEmpty {
            _ = try value(option.name) { option.choices.contains($0) ? $0 : nil }
        }
        let names = command.operands.split(separator: " ")
        let required = names.prefix { !$0.hasPrefix("[") }
        guard operands.count >= required.count else { throw .missing(required[operands.count]) }
        guard operands.count <= names.count || command.operands.contains("…") else {
            throw UsageError("Unexpected operand '\(operands[names.count])'.")
        }
    }

    func duration(_ name: String) throws(UsageError) -> Duration? {
        try value(name, expected: HistoryPoint.durationForm, as: HistoryPoint.duration)
    }

    func start(_ name: String) throws(UsageError) -> HistoryFetchRequest.Start? {
        try value(name, expected: "'beginning', \(HistoryPoint.forms)") {
            $0 == "beginning" ? .beginning : HistoryPoint($0)?.start
        }
    }

    var path: String { operands[0] }
    var rest: [String] { Array(operands.dropFirst()) }
}
