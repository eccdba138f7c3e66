import ClipsCore
import Platform

/// The action of a key, with the text that would follow its name after `:`, and the actions after it.
struct Binding: Hashable, Sendable {
    let action: Action
    var argument: String?
    private(set) var next: [Binding] = []

    /// Parses `delete`, `tag +work`, `!program {url}`, or `|program`, or several of them between semicolons.
    init(_ text: String) throws(ConfigError) {
        let parts = Self.parts(text)
        guard parts.count == 1 || !parts.contains("") else {
            throw ConfigError("An action is missing before or after ';'.")
        }
        try self.init(single: parts[0])
        for part in parts.dropFirst() { next.append(try Binding(single: part)) }
    }

    /// Divides a line at semicolons outside quotation marks; those in words of a program's line belong to it.
    private static func parts(_ line: String) -> [String] {
        var parts = [""]
        var quote: Character?
        for index in line.indices {
            let (character, part) = (line[index], parts[parts.count - 1].trimmed)
            let isOfProgram = ["!", "|", "run ", "pipe "].contains { part.hasPrefix($0) }
            let isWord =
                line[..<index].last.map { $0 == " " } ?? true
                && line[index...].dropFirst().first.map { $0 == " " } ?? true
            if character == ";", quote == nil, isWord || !isOfProgram {
                parts.append("")
                continue
            }
            parts[parts.count - 1].append(character)
            guard character == "\"" || character == "'" else { continue }
            if quote == nil { quote = character } else if quote == character { quote = nil }
        }
        return parts.map(\.trimmed)
    }

    private init(single text: String) throws(ConfigError) {
        if let sign = text.first, sign == "!" || sign == "|" {
            (action, argument) = (sign == "!" ? .run : .pipe, text.dropFirst().trimmed)
        } else {
            let words = text.split(separator: " ", maxSplits: 1).map(String.init)
            guard let action = words.first.flatMap(Action.init(rawValue:)) else {
                throw Self.unknownAction(words.first ?? "")
            }
            (self.action, argument) = (action, words.count > 1 ? words[1].trimmed : nil)
        }
        guard let argument else { return }
        guard ActionTable[action].performArgument != nil else {
            throw ConfigError("The action '\(action.rawValue)' has no argument.")
        }
        try Self.check(argument, of: action)
    }

    /// Checks an argument that could never be used when the key is pressed.
    private static func check(_ argument: String, of action: Action) throws(ConfigError) {
        let words = argument.split(separator: " ").map(String.init)
        var config = ConfigFile()
        switch ActionTable[action].argument {
        case .program: _ = try ClipCommand(argument)
        case .form: _ = try CopyForm(argument: argument)
        case .sortKey: _ = try AppState.sortKey(argument)
        case .option where words.count > 1 || Setting(rawValue: argument) == nil:
            try config.set(words[0], words.dropFirst().joined(separator: " "))
        case .style where words.count > 1: try config.setStyle(words)
        default: break
        }
    }

    init(_ action: Action) { self.action = action }

    /// Whether the key does exactly what the action does.
    var isPlain: Bool { argument == nil && next.isEmpty }

    /// The binding as after `:`.
    var text: String {
        ([action.rawValue + (argument.map { " " + $0 } ?? "")] + next.map(\.text)).joined(separator: " ; ")
    }

    private static func unknownAction(_ name: String) -> ConfigError {
        let near = Suggestion.nearest(to: name, in: Action.allCases.map(\.rawValue))
        return ConfigError(
            "Unknown action '\(name)'. \(near.map { "Did you mean '\($0)'?" } ?? "The help lists them.")")
    }
}
