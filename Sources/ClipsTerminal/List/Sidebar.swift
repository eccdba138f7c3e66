import ClipsCore
import FoundationEssentials
import LiveQuery
import Platform
import Terminal

/// The saved searches next to the list, with the numbers of their unread clips, and the most frequent tags and sites, with
/// the numbers of their clips.
struct Sidebar: Sendable {
    /// The tags or the sites, named by the field of their filters.
    enum Section: String, Sendable { case tag, site }

    /// A line; one without a query is a heading or a hint.
    struct Row: Hashable, Sendable {
        let name: String
        var query: ClipQuery?
        /// The number of clips of a tag or site.
        var count: Int?
        var isHeading = false
        /// The section of a heading, and of the number of the entries that are not listed.
        var section: Section?
    }

    /// What a number lacks: perhaps nothing, or changes of few or of many clips.
    enum Change: Comparable { case unknown, small, large }

    var scroll = ScrolledLines()
    var facets = ClipFacets()
    var hasRequestedFacets = false
    /// The sections that list all their known entries, so that the others may be below the screen.
    var expanded: Set<Section> = []
    private(set) var counts: [ClipQuery: UnreadCount] = [:]
    /// The searches on the screen.
    private var shown: [ClipQuery] = []
    /// The searches whose count no commit has changed since.
    private var current: Set<ClipQuery> = []
    private var countingStart: Date?
    private var counting: Set<ClipQuery> = []
    /// What may have changed since the count of the numbers, and when it first did.
    private var uncounted = Change.unknown
    private var outdatedSince: Date?
    /// The earliest time of the next count of a search that has one.
    private var countDue = Date.distantPast

    /// The share of the time for which the searches are counted while others write is one of this number, unless their
    /// numbers would be older than the longest pause.
    private static let pauseFactor = 20.0
    private static let (shortestPause, longestPause) = (0.1, 2.0)
    /// The longest time without a number.
    private static let longestGap = 0.5
    /// An older number than this gets a mark, which would flicker if each commit caused one.
    private static let newest = 0.1
    /// The smallest number of rows of a section: its heading, two entries, and the number of the others.
    fileprivate static let minRows = 4

    /// The columns on a screen; 0 on a small one.
    static func columns(_ size: Size) -> Int {
        // The list next to it has room for a title of good width.
        size.columns < 78 || size.rows < 8 ? 0 : min(28, size.columns / 5 + 4)
    }

    /// Counts all searches again, whose numbers are shown until then.
    mutating func recount(after change: Change, at now: Date) {
        current = []
        uncounted = max(uncounted, change)
        if change != .unknown { outdatedSince = outdatedSince ?? now }
        guard change == .large else { return }
        // No number is shown until the next count, so that one is soon.
        countDue = min(countDue, now + Self.longestGap)
        // The numbers of searches that are not on the screen are counted when they are.
        counts = counts.filter { shown.contains($0.key) }
    }

    /// Returns the shown searches to count now, in order: those without a count, or all that commits may have changed.
    mutating func beginCounting(_ shown: [ClipQuery], at now: Date) -> [ClipQuery] {
        self.shown = shown
        guard countingStart == nil else { return [] }
        let outdated = shown.filter { !current.contains($0) && (countDue <= now || counts[$0] == nil) }
        guard !outdated.isEmpty else { return [] }
        countingStart = now
        counting = Set(outdated)
        current.formUnion(outdated)
        return outdated
    }

    mutating func finishCounting(_ counts: [ClipQuery: UnreadCount], at now: Date) {
        self.counts.merge(counts) { $1 }
        // Those that could not be counted are counted again, after a while.
        let failed = counting.subtracting(counts.keys)
        current.subtract(failed)
        let pause =
            failed.isEmpty ? Self.pauseFactor * now.timeIntervalSince(countingStart ?? now) : .infinity
        countDue = max(countDue, now + min(max(Self.shortestPause, pause), Self.longestPause))
        if current.isSuperset(of: shown) {
            (uncounted, outdatedSince) = (.unknown, nil)
        } else if let start = outdatedSince {
            outdatedSince = max(start, countingStart ?? start)
        }
        (countingStart, counting) = (nil, [])
    }

    /// The number of unread clips of a search, such as "3"; nil without any, or until they are counted first. It remains
    /// until the next count, with a mark if it is old.
    ///
    /// - Parameter most: The number of clips of the query, if it is known, above which an earlier number is not shown.
    func unreadCount(_ query: ClipQuery, upTo most: Int = .max, at now: Date) -> String? {
        guard let number = counts[query].flatMap({ $0.count > most ? nil : $0.shown }) else { return nil }
        guard counting.contains(query) || !current.contains(query) else { return number }
        return switch uncounted {
        case .unknown: number
        case .small: isOld(at: now) ? "~" + number : number
        // It would be wrong by much.
        case .large: "…"
        }
    }

    /// Whether numbers lack a commit of a while ago, or will.
    private func isOld(at now: Date) -> Bool {
        mark.map { $0 <= now } ?? false
            || countingStart == nil && countDue.timeIntervalSince(now) > Self.newest
    }

    private var mark: Date? { outdatedSince?.addingTimeInterval(Self.newest) }

    /// The time of the next count, if one is needed, or of the mark of the numbers that are being counted.
    func nextChange(at now: Date) -> Date? {
        guard countingStart != nil else { return current.isSuperset(of: shown) ? nil : countDue }
        return mark.flatMap { $0 > now ? $0 : nil }
    }
}

extension UnreadCount {
    /// Such as "1,000+"; nil without any.
    fileprivate var shown: String? { count == 0 ? nil : count.grouped + (isAll ? "" : "+") }
}

extension AppState {
    /// All clips, the saved searches, the tags, and the sites.
    var sidebarRows: [Sidebar.Row] {
        let sort = settings.config.sort
        var rows = [Sidebar.Row(name: "All clips", query: ClipQuery(sort: sort))]
        rows += typing.filters.searches.map { Sidebar.Row(name: $0.name, query: $0.query) }
        if rows.count == 1 {
            var hint = WrappedText("/ filters the list; :save NAME adds the filter here.", width: 16)
            rows += hint.lines(0..<4).map { Sidebar.Row(name: $0) }
        }
        return rows + facetRows(height: (layout.sidebar?.size.rows ?? 0) - 1 - rows.count)
    }

    /// Returns the tags and the sites.
    ///
    /// - Parameter height: The rows for both, of which either gets what the other leaves, and half if both need more.
    private func facetRows(height: Int) -> [Sidebar.Row] {
        let facets = sidebar.facets
        let tags = facetRows(.tag, "Tags", facets.tags, facets.moreTags)
        let sites = facetRows(.site, "Sites", facets.sites, facets.moreSites)
        let room = max(height, tags.isEmpty || sites.isEmpty ? Sidebar.minRows : 2 * Sidebar.minRows)
        let half = room / 2
        return cut(tags, to: max(half, room - sites.count), more: facets.moreTags)
            + cut(sites, to: max(room - half, room - tags.count), more: facets.moreSites)
    }

    /// Returns the heading, the entries that are known, and the number of the others.
    private func facetRows(
        _ section: Sidebar.Section, _ title: String, _ facets: [ClipFacets.Facet], _ more: Int
    ) -> [Sidebar.Row] {
        guard !facets.isEmpty else { return [] }
        let entries = facets.map { facet in
            Sidebar.Row(
                name: facet.name,
                query: ClipQuery(field: section.rawValue, facet.name, sort: settings.config.sort),
                count: facet.count)
        }
        return [Sidebar.Row(name: title, isHeading: true, section: section)] + entries
            + (more > 0 ? [.more(more, section)] : [])
    }

    /// Returns the first rows of a section that is not expanded, with the number of the others.
    private func cut(_ rows: [Sidebar.Row], to count: Int, more: Int) -> [Sidebar.Row] {
        guard let section = rows.first?.section, rows.count > count, !sidebar.expanded.contains(section)
        else { return rows }
        let left = rows.count - (more > 0 ? 1 : 0) - (count - 1)
        return rows.prefix(count - 1) + [.more(left + more, section)]
    }

    /// The index of the entry that the list shows.
    var sidebarIndex: Int? { sidebarIndex(in: sidebarRows) }

    fileprivate func sidebarIndex(in rows: [Sidebar.Row]) -> Int? {
        let filter = list.query.filter.trimmed
        return rows.firstIndex { $0.query?.filter.trimmed == filter && $0.query?.sort == list.query.sort }
    }

    /// Lays the sidebar out, and requests the numbers of unread clips on the screen: those of the list in the status line
    /// and those of the searches in the sidebar.
    mutating func reconcileSidebar(_ layout: Layout) {
        let rows = layout.sidebar == nil ? [] : sidebarRows
        sidebar.scroll.layOut(count: rows.count, height: max(0, (layout.sidebar?.size.rows ?? 0) - 1))
        guard list.clips.isLoaded else { return }
        if layout.sidebar != nil, !sidebar.hasRequestedFacets {
            sidebar.hasRequestedFacets = true
            emit(.countFacets)
        }
        var shown = rows.dropFirst(sidebar.scroll.top).prefix(sidebar.scroll.height)
            .compactMap { $0.count == nil ? $0.query : nil }
        // The counts of a filter that is being typed are those of words that are not finished.
        if layout.status != nil, prompt == nil, !list.feed.isLoading, loadedUnreadCount == nil,
            !shown.contains(list.query)
        {
            shown.insert(list.query, at: 0)
        }
        let outdated = sidebar.beginCounting(shown, at: now)
        if !outdated.isEmpty { emit(.countUnread(outdated)) }
    }

    /// The number of unread clips of the list in the status line.
    var unreadCount: String? {
        guard let count = loadedUnreadCount else {
            // The store has changes that a paused list lacks.
            guard list.pause?.messages.isEmpty != false else { return nil }
            let most = list.clips.isCounted ? list.clips.count : .max
            return sidebar.unreadCount(list.query, upTo: most, at: now)
        }
        return UnreadCount(count).shown
    }

    /// The number of unread clips of a list of which all rows are loaded; nil for another.
    private var loadedUnreadCount: Int? {
        let clips = list.clips
        guard clips.isLoaded, clips.isCounted, clips.rows.count == clips.count,
            list.deviation.correction == nil,
            !list.feed.isLoading
        else { return nil }
        return clips.rows.count { $0.isUnread }
    }

    mutating func toggleSidebar() {
        let isShown = !settings.config.showsSidebar
        try? settings.config.set(Setting.sidebar.rawValue, isShown ? "on" : "off")
        if isShown { emit(.loadFilters) }
        if Sidebar.columns(size) == 0 {
            report("The screen has no room for the sidebar; a larger one \(isShown ? "shows" : "hides") it.")
        }
    }

    /// Shows the next or previous saved search, after the last all clips.
    mutating func goToSearch(by steps: Int) {
        let rows = sidebarRows
        let entries = rows.indices.filter { rows[$0].query != nil && rows[$0].count == nil }
        let shown = sidebarIndex(in: rows).flatMap { entries.firstIndex(of: $0) }
        let index = (shown ?? (steps > 0 ? -1 : 0)) + steps
        showSidebarEntry(entries[(index % entries.count + entries.count) % entries.count])
    }

    mutating func showSidebarEntry(_ index: Int) {
        let rows = sidebarRows
        guard rows.indices.contains(index) else { return }
        if let section = rows[index].section { return toggle(section, isHeading: rows[index].isHeading) }
        guard let query = rows[index].query else { return }
        let (top, height) = (sidebar.scroll.top, sidebar.scroll.height)
        sidebar.scroll.moveTo(index: max(min(top, index), index + 1 - height))
        show(query)
    }
}

extension AppState {
    /// Lists all known entries of a section, or as many as fit; beyond those, begins a filter for the rest.
    private mutating func toggle(_ section: Sidebar.Section, isHeading: Bool) {
        if !isHeading, sidebar.expanded.contains(section) { return beginFilter(section.rawValue + ":") }
        if isHeading, sidebar.expanded.remove(section) != nil { return }
        sidebar.expanded.insert(section)
    }
}

extension Sidebar.Row {
    fileprivate static func more(_ count: Int, _ section: Sidebar.Section) -> Self {
        Self(name: "… and \(count.grouped) more", section: section)
    }
}

struct SidebarPane {
    let state: AppState
    private var theme: Theme { state.theme }

    func draw(_ layout: Layout, in frame: inout Frame) {
        guard let area = layout.sidebar else { return }
        frame.fill(area)
        // The last column is a line.
        let width = area.size.columns - 1
        let head = Rect(row: area.row, column: area.column, rows: 1, columns: width)
        frame.putHeader("Searches", head, theme)
        frame.putRight("unread", in: head, width: width - 1, style: theme[.muted])
        let rows = state.sidebarRows
        let current = state.sidebarIndex(in: rows)
        for row in 1..<max(1, area.size.rows) {
            frame.put("│", in: area, row: row, column: width, style: theme[.border])
            let index = state.sidebar.scroll.top + row - 1
            guard rows.indices.contains(index) else { continue }
            let line = Rect(row: area.row + row, column: area.column, rows: 1, columns: width)
            draw(rows[index], at: line, in: &frame)
            if index == current { frame.select(line, theme, isFocused: false) }
        }
    }

    private func draw(_ row: Sidebar.Row, at line: Rect, in frame: inout Frame) {
        let width = line.size.columns
        guard !row.isHeading else {
            frame.putHeader(row.name, line, theme)
            return frame.putRight("clips", in: line, width: width - 1, style: theme[.muted])
        }
        let unread = row.query.flatMap { state.sidebar.unreadCount($0, at: state.now) } ?? ""
        let count = row.count.map(\.grouped) ?? unread
        frame.putCut(
            row.name, in: line, column: 1, width: width - DisplayWidth.columns(of: count) - 3,
            style: theme[
                row.query == nil ? .muted : row.count == nil && !unread.isEmpty ? .unread : .title])
        frame.putRight(count, in: line, width: width - 1, style: theme[row.count == nil ? .key : .muted])
    }
}
