import Platform

/// The action of a key, with the text that would follow its name after `:`, and the actions after it.
struct Binding: Hashable, Sendable {
    let action: Action
    var argument: String?
    private(set) var next: [Binding] = []

    /// Parses `delete`, `tag +work`, `!program {url}`, or `|program`, or several of them between semicolons.
    init(_ text: String) throws(ConfigError) {
        let parts = Self.parts(text)
        try self.init(single: parts[0])
        for part in parts.dropFirst() { next.append(try Binding(single: part)) }
    }

    /// Divides a line at semicolons between spaces, outside quotation marks.
    private static func parts(_ line: String) -> [String] {
        var parts: [[Substring]] = [[]]
        var quote: Character?
        for word in line.split(separator: " ", omittingEmptySubsequences: false) {
            if word == ";", quote == nil {
                parts.append([])
                continue
            }
            parts[parts.count - 1].append(word)
            for character in word where character == "\"" || character == "'" {
                if quote == nil { quote = character } else if quote == character { quote = nil }
            }
        }
        return parts.map { $0.joined(separator: " ").trimmed }
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
        if action == .run || action == .pipe { _ = try ClipCommand(argument) }
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
