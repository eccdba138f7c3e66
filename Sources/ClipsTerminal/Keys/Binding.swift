/// The action of a key, with the text that would follow its name after `:`.
struct Binding: Hashable, Sendable {
    let action: Action
    var argument: String?

    /// Parses `delete`, `tag +work`, `!program {url}`, or `|program`.
    init(_ text: String) throws(ConfigError) {
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

    /// The binding as after `:`.
    var text: String { action.rawValue + (argument.map { " " + $0 } ?? "") }

    private static func unknownAction(_ name: String) -> ConfigError {
        let near = Suggestion.nearest(to: name, in: Action.allCases.map(\.rawValue))
        return ConfigError(
            "Unknown action '\(name)'. \(near.map { "Did you mean '\($0)'?" } ?? "The help lists them.")")
    }
}
