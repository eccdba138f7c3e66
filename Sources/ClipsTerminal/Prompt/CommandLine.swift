import ClipsCore
import LiveQuery
import Platform
import Terminal

/// The commands typed in this session, the oldest first.
struct CommandHistory: Sendable {
    private(set) var lines: [String] = []

    private static let maxLines = 500

    mutating func add(_ line: String) {
        lines.removeAll { $0 == line }
        lines.append(line)
        if lines.count > Self.maxLines { lines.removeFirst() }
    }

    /// Returns a command, counted from the newest.
    func line(_ index: Int) -> String? { index < lines.count ? lines[lines.count - 1 - index] : nil }
}

extension AppState {
    /// Runs the command typed after `:`.
    ///
    /// - Parameter clip: The clip that was under the cursor when typing began.
    mutating func run(_ line: String, on clip: Int64?) {
        let line = line.trimmed
        guard !line.isEmpty else { return }
        typing.commands.add(line)
        if let number = Int(line), number > 0 {
            return screen == .list ? list.clips.moveTo(index: number - 1) : perform(.last, count: number)
        }
        let sign = line.first.flatMap { $0 == "!" ? Action.run : $0 == "|" ? .pipe : nil }
        let words = line.split(separator: " ", maxSplits: 1)
        let name = sign?.rawValue ?? words.first.map(String.init) ?? ""
        guard let action = Action(typed: name) else {
            return report(Self.unknownCommand(name), isError: true)
        }
        let entry = ActionTable[action]
        if entry.needsClip, screen == .list, !isStill(on: clip) { return }
        let argument = sign != nil ? line.dropFirst().trimmed : words.count > 1 ? words[1].trimmed : ""
        guard !argument.isEmpty || entry.isArgumentOptional else { return perform(action, count: nil) }
        perform(action, argument: argument)
    }

    private static func unknownCommand(_ name: String) -> String {
        let names = Action.allCases.map(\.rawValue)
        let matches = names.filter { $0.hasPrefix(name) }
        if matches.count > 1 { return "':\(name)' is ambiguous: \(matches.joined(separator: ", "))." }
        if ["bind", "unbind", "color", "fetch"].contains(name) {
            return "'\(name)' is a line of the config file; after it has changed, restart clips."
        }
        let toggles: [Action] = [.archive, .star, .mark, .wrap, .zoom, .follow, .sidebar]
        if let action = toggles.first(where: { "un\($0.rawValue)" == name }) {
            return "Unknown command ':\(name)'. ':\(action.rawValue)' again reverses it."
        }
        let hint = Suggestion.nearest(to: name, in: names).map { "Did you mean ':\($0)'?" }
        return "Unknown command ':\(name)'. \(hint ?? "Tab lists the commands.")"
    }

    mutating func sort(byArgument argument: String) throws(ConfigError) {
        guard let (attribute, isReversed) = try Self.sortKey(argument) else { return rank() }
        sort(by: attribute, isReversed: isReversed)
    }

    /// Parses the argument of `sort`: `title`, or `title reverse`; nil for the order of relevance.
    static func sortKey(
        _ argument: String
    ) throws(ConfigError) -> (attribute: ClipAttribute, isReversed: Bool)? {
        let words = argument.split(separator: " ").map(String.init)
        let names = ClipQuery.sortNames
        if words == [ClipQuery.relevance] { return nil }
        guard let key = ClipQuery.sortKeys.first(where: { $0.attribute.rawValue == words.first }) else {
            let word = words.first ?? ""
            let hint = Suggestion.nearest(to: word, in: names).map { " Did you mean '\($0)'?" } ?? ""
            throw ConfigError(
                "Unknown sort key '\(word)'. Use one of \(names.joined(separator: ", ")).\(hint)")
        }
        guard words.count == 1 || words[1...] == ["reverse"] else {
            throw ConfigError("Use ':sort \(words[0])' or ':sort \(words[0]) reverse'.")
        }
        return (key.attribute, words.count > 1)
    }

    /// Sets an option; an empty argument shows all options.
    mutating func set(_ argument: String) throws(ConfigError) {
        let words = argument.split(separator: " ").map(String.init)
        guard let option = words.first else {
            return report(
                Setting.allCases.map { "\($0.rawValue) \(settings.config[$0])" }.joined(separator: "; "))
        }
        if words.count == 1, let setting = Setting(rawValue: option) {
            guard !setting.values.contains("on") else { return try set(option, "on") }
            let values = setting.form.contains("|") ? setting.form : setting.values.joined(separator: "|")
            return report("\(option) is \(settings.config[setting]) · \(values)")
        }
        try set(option, words.dropFirst().joined(separator: " "))
    }

    private mutating func set(_ option: String, _ value: String) throws(ConfigError) {
        try settings.config.set(option, value)
        applySettings()
        if option == Setting.color.rawValue { emit(.setColors(settings.config.colors ?? .auto)) }
        if option == Setting.relevance.rawValue, list.query.hasWords {
            var query = list.query
            query.ranksWords = settings.config.ranksWords
            show(query, aroundClip: list.clips.selectedID)
        }
        if option == Setting.sort.rawValue, list.query.sort != settings.config.sort {
            var query = list.query
            query.sort = settings.config.sort
            show(query, aroundClip: list.clips.selectedID)
        }
        report("Set \(option) to \(value)")
    }

    /// Sets the style of a part of the screen, such as `unread bold yellow`.
    mutating func setColor(_ argument: String) throws(ConfigError) {
        let words = argument.split(separator: " ").map(String.init)
        try settings.config.setStyle(words)
        applySettings()
        report("Set the style of \(words[0]) to \(words.dropFirst().joined(separator: " "))")
    }
}

extension String {
    /// The text with a capital letter first.
    var sentence: String { prefix(1).uppercased() + dropFirst() }
}
