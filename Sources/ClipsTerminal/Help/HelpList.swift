/// A row of the help: an action with its keys, or a key of the user.
struct HelpEntry: Sendable {
    let binding: Binding
    let keys: String
    let text: String
    /// The command that does the same.
    let usage: String
    /// nil for a key of the user.
    let group: ActionTable.Group?

    static func all(_ keys: KeyMap) -> [HelpEntry] {
        let actions = ActionTable.entries.map { entry in
            let names = keys.names(of: entry.action)
            return HelpEntry(
                binding: Binding(entry.action), keys: names.isEmpty ? keys.name(of: entry.action) : names,
                text: entry.help, usage: entry.usage, group: entry.group)
        }
        return actions
            + keys.commands.map {
                let text = $0.binding.text
                return HelpEntry(
                    binding: $0.binding, keys: KeyMap.shown($0.keys), text: text, usage: text, group: nil)
            }
    }
}

/// The state of the help: the filter, and the selected entry.
struct HelpList: Navigable, Sendable {
    var filter = "" {
        didSet { if filter != oldValue { selected = 0 } }
    }
    /// The index among the entries shown.
    private(set) var selected = 0
    private(set) var top = 0
    /// The screen where the help was opened, and where entries run.
    var origin = AppState.Screen.list
    /// The clip that was under the cursor.
    var clip: Int64?
    private var firstLines: [Int] = []
    private var lineCount = 0
    private(set) var height = 1

    /// Returns the entries that contain all words of the filter: first those whose name begins with it, then those
    /// with words that begin with all of it.
    func entries(_ keys: KeyMap) -> [HelpEntry] {
        let words = filter.lowercased().split(separator: " ")
        let entries = HelpEntry.all(keys)
        guard let first = words.first else { return entries }
        var ranked: [[HelpEntry]] = [[], [], []]
        for entry in entries {
            let text = "\(entry.usage) \(entry.keys) \(entry.text)".lowercased()
            guard words.allSatisfy({ text.contains($0) }) else { continue }
            let parts = text.split { !$0.isLetter && !$0.isNumber }
            let isWordStart = words.allSatisfy { word in parts.contains { $0.hasPrefix(word) } }
            let isName = isWordStart && entry.binding.action.rawValue.hasPrefix(first)
            ranked[isName ? 0 : isWordStart ? 1 : 2].append(entry)
        }
        return ranked.flatMap(\.self)
    }

    mutating func layOut(_ lines: [HelpScreen.Line], height: Int) {
        self.height = max(1, height)
        firstLines = lines.indices.filter { lines[$0].isFirst }
        lineCount = lines.count
        selected = max(0, min(selected, firstLines.count - 1))
        guard firstLines.indices.contains(selected) else {
            top = 0
            return
        }
        let line = firstLines[selected]
        let next = selected + 1 < firstLines.count ? firstLines[selected + 1] : lineCount
        // Scrolls to the heading above the first entry.
        let first = selected == 0 ? 0 : line
        top = max(
            0, min(max(top, min(next, line + self.height) - self.height), first, lineCount - self.height))
    }

    var index: Int { selected }

    mutating func moveTo(index: Int) { selected = max(0, min(index, firstLines.count - 1)) }

    mutating func page(by pages: Int, half: Bool) {
        // Entries have more than one line on average.
        move(by: pages * max(1, half ? height / 3 : height * 2 / 3))
    }
}

/// The scroll position of a screen of plain lines.
struct ScrolledLines: Navigable, Sendable {
    private(set) var top = 0
    private var count = 0
    private(set) var height = 1

    mutating func layOut(count: Int, height: Int) {
        self.count = count
        self.height = max(1, height)
        moveTo(index: top)
    }

    var index: Int { top }

    mutating func moveTo(index: Int) { top = max(0, min(index, count - height)) }
}

extension AppState {
    mutating func toggleHelp() {
        if screen == .help { return leaveScreen() }
        help.origin = screen
        help.clip = target?.id
        help.filter = ""
        help.moveToStart()
        screen = .help
    }

    /// Runs the selected entry where the help was opened, if it is available there.
    mutating func runHelpEntry() {
        let entries = help.entries(keys)
        guard entries.indices.contains(help.selected) else { return }
        let binding = entries[help.selected].binding
        if let reason = unavailabilityReason(of: binding.action, on: help.origin) { return report(reason) }
        leaveScreen()
        if ActionTable[binding.action].needsClip, screen == .list, !isStill(on: help.clip) { return }
        if binding.action != .help { perform(binding, count: nil) }
    }
}
