import ClipsCore
import Terminal

/// Commands typed in this session, the oldest first.
struct CommandHistory: Sendable {
    private(set) var lines: [String] = []

    private static let most = 500

    mutating func add(_ line: String) {
        lines.removeAll { $0 == line }
        lines.append(line)
        if lines.count > Self.most { lines.removeFirst() }
    }

    /// Counted from the newest.
    func line(_ place: Int) -> String? { place < lines.count ? lines[lines.count - 1 - place] : nil }
}

extension Action {
    /// A name as it is typed: the whole, or a beginning that only one has.
    init?(typed: String) {
        if let exact = Action(rawValue: typed) {
            self = exact
            return
        }
        let fitting = Action.allCases.filter { $0.rawValue.hasPrefix(typed) }
        guard fitting.count == 1, !typed.isEmpty else { return nil }
        self = fitting[0]
    }
}

extension Action {
    /// Whether it does something to the clip under the cursor.
    var actsOnClip: Bool {
        switch self {
        case .edit, .tag, .star, .toggleUnread, .delete, .browse, .browseHere, .copy, .mark, .open: true
        default: false
        }
    }

    /// Whether it is of no use on a store that can only be read.
    var saves: Bool {
        switch self {
        case .add, .edit, .tag, .star, .toggleUnread, .delete, .undo, .redo, .restore: true
        default: false
        }
    }
}

extension AppState {
    /// Whether the cursor is on the clip that the person meant; it is put back there if somebody moved it.
    mutating func isStill(on clip: Int64?) -> Bool {
        guard let clip, !actsOnMarks, target?.id != clip else { return true }
        if !isReading, list.select(id: clip) { return true }
        tell("Somebody deleted the clip meanwhile; nothing was done.", isError: true)
        return false
    }

    /// Does what was typed behind `:`.
    ///
    /// - Parameter clip: the one the cursor was on when typing began.
    mutating func run(_ line: String, on clip: Int64?) {
        let line = line.trimmed
        guard !line.isEmpty else { return }
        commands.add(line)
        if let number = Int(line), number > 0 {
            return screen == .list ? list.moveTo(index: number - 1) : perform(.last, count: number)
        }
        let words = line.split(separator: " ", maxSplits: 1)
        let name = words.first.map(String.init) ?? ""
        guard let action = Action(typed: name) else { return tell(Self.unknownCommand(name), isError: true) }
        if action.actsOnClip, screen == .list, !isStill(on: clip) { return }
        let argument = words.count > 1 ? words[1].trimmed : ""
        guard !argument.isEmpty else { return runBare(action) }
        guard ActionTable.entry(of: action)?.argument != nil else {
            return tell("':\(action.rawValue)' takes nothing behind it.", isError: true)
        }
        run(action, argument)
    }

    private static func unknownCommand(_ name: String) -> String {
        let fitting = Action.allCases.map(\.rawValue).filter { $0.hasPrefix(name) }
        if fitting.count > 1 { return "':\(name)' may be \(fitting.joined(separator: ", "))." }
        let hint = Spelling.nearest(to: name, in: Action.allCases.map(\.rawValue)).map { " Is it ':\($0)'?" }
        return "There is no command ':\(name)'.\(hint ?? " Tab lists them.")"
    }

    private mutating func runBare(_ action: Action) {
        if action == .set {
            return tell(Setting.allCases.map { "\($0.rawValue) \(config[$0])" }.joined(separator: " · "))
        }
        if action == .filter, screen == .list { return filter(by: "") }
        perform(action, count: nil)
    }

    private mutating func run(_ action: Action, _ argument: String) {
        if action == .set { return set(argument) }
        if action == .history { return filterHistory(argument) }
        if action == .filter, screen == .history { return filterHistory(argument) }
        if action != .add, let obstacle = obstacle(to: action) { return tell(obstacle) }
        switch action {
        case .filter: filter(by: argument)
        case .add: add(argument)
        case .tag: tag(chosen, by: argument)
        case .copy: copy(argument)
        case .sort: sort(argument)
        default: break
        }
    }

    private mutating func sort(_ argument: String) {
        let words = argument.split(separator: " ").map(String.init)
        let names = ClipQuery.sortKeys.map(\.attribute.rawValue)
        guard let key = ClipQuery.sortKeys.first(where: { $0.attribute.rawValue == words[0] }) else {
            let hint = Spelling.nearest(to: words[0], in: names).map { " Is it '\($0)'?" } ?? ""
            return tell(
                "Clips are not sorted by '\(words[0])'; choose from \(names.joined(separator: ", ")).\(hint)",
                isError: true)
        }
        guard words.count == 1 || words[1...] == ["reverse"] else {
            return tell("Write ':sort \(words[0])' or ':sort \(words[0]) reverse'.", isError: true)
        }
        sort(by: key.attribute, isReversed: words.count > 1)
    }

    private mutating func copy(_ argument: String) {
        guard let form = CopyForm(rawValue: argument) else {
            let names = CopyForm.allCases.map(\.rawValue).joined(separator: ", ")
            return tell("'\(argument)' is nothing to copy; choose from \(names).", isError: true)
        }
        emit(.gather(chosen, query.sort, .copy(form)))
    }

    private mutating func set(_ argument: String) {
        let words = argument.split(separator: " ").map(String.init)
        if let setting = Setting(rawValue: words[0]), words.count == 1, setting.values.contains("on") {
            return set(words[0], "on")
        }
        guard words.count == 2 else {
            return tell("Write ':set OPTION VALUE', such as ':set relativenumber on'.", isError: true)
        }
        set(words[0], words[1])
    }

    private mutating func set(_ option: String, _ value: String) {
        if let error = config.set(option, value) { return tell(error.sentence, isError: true) }
        takeSettings()
        if option == Setting.color.rawValue { emit(.setColors(config.colors ?? .auto)) }
        tell("\(option) is \(value).")
    }
}

extension String {
    /// With a capital letter first.
    var sentence: String { prefix(1).uppercased() + dropFirst() }
}
