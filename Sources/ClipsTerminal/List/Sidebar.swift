import ClipsCore
import FoundationEssentials
import LiveQuery
import Terminal

/// The saved searches next to the list, below all clips, with the numbers of their unread clips.
struct Sidebar: Sendable {
    var scroll = ScrolledLines()
    private(set) var counts: [ClipQuery: UnreadCount] = [:]
    /// The searches on the screen.
    private var shown: [ClipQuery] = []
    /// The searches whose count no commit has changed since.
    private var current: Set<ClipQuery> = []
    private var countingStart: Date?
    /// The earliest time of the next count of a search that has one.
    private var countDue = Date.distantPast

    /// The share of the time for which the searches are counted while others write is one of this number.
    private static let pauseFactor = 20.0

    /// The columns on a screen; 0 on a small one.
    static func columns(_ size: Size) -> Int {
        // The list next to it has room for a title of good width.
        size.columns < 78 || size.rows < 8 ? 0 : min(28, size.columns / 5 + 4)
    }

    mutating func invalidate() { current = [] }

    /// Returns the shown searches to count now, in order: those without a count, or all that commits may have changed.
    mutating func beginCounting(_ shown: [ClipQuery], at now: Date) -> [ClipQuery] {
        self.shown = shown
        guard countingStart == nil else { return [] }
        let outdated = shown.filter { !current.contains($0) && (countDue <= now || counts[$0] == nil) }
        guard !outdated.isEmpty else { return [] }
        countingStart = now
        current.formUnion(outdated)
        return outdated
    }

    mutating func finishCounting(_ counts: [ClipQuery: UnreadCount], at now: Date) {
        self.counts.merge(counts) { $1 }
        countDue = max(
            countDue, now + 1, now + Self.pauseFactor * now.timeIntervalSince(countingStart ?? now))
        countingStart = nil
    }

    /// The time of the next count, if one is needed.
    var nextCount: Date? {
        countingStart == nil && !current.isSuperset(of: shown) ? countDue : nil
    }
}

extension AppState {
    /// All clips, and the saved searches.
    var sidebarEntries: [SavedSearch] {
        [SavedSearch(name: "All clips", query: ClipQuery(sort: settings.config.sort))]
            + typing.filters.searches
    }

    /// The index of the entry that the list shows.
    var sidebarIndex: Int? {
        sidebarEntries.firstIndex {
            $0.query.hasSameFilter(as: list.query) && $0.query.sort == list.query.sort
        }
    }

    mutating func reconcileSidebar(_ layout: Layout) {
        guard let area = layout.sidebar else { return }
        let entries = sidebarEntries
        sidebar.scroll.layOut(count: entries.count, height: area.size.rows - 1)
        guard list.clips.isLoaded else { return }
        let shown = entries.dropFirst(sidebar.scroll.top).prefix(sidebar.scroll.height).map(\.query)
        let outdated = sidebar.beginCounting(shown, at: now)
        if !outdated.isEmpty { emit(.countUnread(outdated)) }
    }

    mutating func toggleSidebar() {
        let isShown = !settings.config.showsSidebar
        try? settings.config.set(Setting.sidebar.rawValue, isShown ? "on" : "off")
        if isShown, layout.sidebar == nil { report("The screen has no room for the sidebar.") }
    }

    /// Shows the next or previous entry of the sidebar, after the last the first.
    mutating func goToSearch(by steps: Int) {
        let count = sidebarEntries.count
        let start = sidebarIndex ?? (steps > 0 ? -1 : 0)
        showSidebarEntry(((start + steps) % count + count) % count)
    }

    mutating func showSidebarEntry(_ index: Int) {
        guard sidebarEntries.indices.contains(index) else { return }
        let (top, height) = (sidebar.scroll.top, sidebar.scroll.height)
        sidebar.scroll.moveTo(index: max(min(top, index), index + 1 - height))
        show(sidebarEntries[index].query)
    }
}

struct SidebarPane {
    let state: AppState
    private var theme: Theme { state.theme }

    func draw(_ layout: Layout, in frame: inout Frame) {
        guard let area = layout.sidebar else { return }
        // The last column is a line.
        let width = area.size.columns - 1
        frame.putHeader("Searches", Rect(row: area.row, column: area.column, rows: 1, columns: width), theme)
        let entries = state.sidebarEntries
        let current = state.sidebarIndex
        for row in 1..<max(1, area.size.rows) {
            frame.put("│", in: area, row: row, column: width, style: theme.border)
            let index = state.sidebar.scroll.top + row - 1
            guard entries.indices.contains(index) else { continue }
            let count = state.sidebar.counts[entries[index].query]?.text ?? ""
            let used = DisplayWidth.columns(of: count)
            frame.putCut(
                entries[index].name, in: area, row: row, column: 1, width: width - used - 3,
                style: count.isEmpty ? theme.title : theme.unread)
            frame.putRight(count, in: area, row: row, width: width - 1, style: theme.key)
            guard index == current else { continue }
            frame.select(
                Rect(row: area.row + row, column: area.column, rows: 1, columns: width), theme,
                isFocused: false)
        }
        guard entries.count == 1 else { return }
        var hint = WrappedText("/ filters the list; :save NAME adds the filter here.", width: width - 2)
        for (row, line) in hint.lines(0..<max(0, area.size.rows - 3)).enumerated() {
            frame.put(line, in: area, row: row + 3, column: 1, style: theme.dim)
        }
    }
}
