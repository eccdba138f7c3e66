/// The help: which entries are shown, and which one Enter runs.
struct HelpList: Movable, Sendable {
    var filter = "" {
        didSet { if filter != oldValue { selected = 0 } }
    }
    /// Counts the entries that are shown, not lines.
    private(set) var selected = 0
    private(set) var top = 0
    /// Where the help was opened, and where an entry is run.
    var origin = AppState.Screen.list
    /// The clip that the cursor was on.
    var clip: Int64?
    private var firstLines: [Int] = []
    private var lineCount = 0
    private var height = 1

    /// Those with all the words in their name, their keys or their sentence.
    func entries(_ keys: KeyMap) -> [ActionTable.Entry] {
        let words = filter.lowercased().split(separator: " ")
        guard !words.isEmpty else { return ActionTable.entries }
        return ActionTable.entries.filter { entry in
            let names = keys.keys(of: entry.action).map { KeyMap.shown($0) }.joined(separator: " ")
            let text = "\(entry.usage) \(names) \(entry.help)".lowercased()
            return words.allSatisfy { text.contains($0) }
        }
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
        // The heading above the first entry is shown, too.
        let first = selected == 0 ? 0 : line
        top = max(0, min(max(top, min(next, line + self.height) - self.height), first))
    }

    mutating func moveToStart() { selected = 0 }
    mutating func moveToEnd() { selected = max(0, firstLines.count - 1) }
    mutating func moveTo(index: Int) { selected = max(0, min(index, firstLines.count - 1)) }

    mutating func move(by entries: Int) {
        let count = firstLines.count
        moveTo(index: selected + max(-count, min(entries, count)))
    }

    mutating func page(by pages: Int, half: Bool) {
        let count = firstLines.count
        move(by: max(-count, min(pages, count)) * max(1, half ? height / 3 : height * 2 / 3))
    }
}

/// Which line of a screen of text is the first to be seen.
struct ScrolledLines: Movable, Sendable {
    private(set) var top = 0
    private var count = 0
    private var height = 1

    mutating func layOut(count: Int, height: Int) {
        self.count = count
        self.height = max(1, height)
        moveTo(index: top)
    }

    mutating func move(by lines: Int) { moveTo(index: top + max(-count, min(lines, count))) }
    mutating func moveToStart() { top = 0 }
    mutating func moveToEnd() { moveTo(index: count) }
    mutating func moveTo(index: Int) { top = max(0, min(index, count - height)) }

    mutating func page(by pages: Int, half: Bool) {
        move(by: max(-count, min(pages, count)) * (half ? max(1, height / 2) : max(1, height - 2)))
    }
}
