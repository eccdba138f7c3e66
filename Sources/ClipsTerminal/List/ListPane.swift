import ClipsCore
import LiveQuery
import PersistentStore
import Platform
import Terminal

/// The list of clips.
struct ListPane {
    let state: AppState
    let look: ListLook
    private var theme: Theme { look.theme }

    /// - Parameters:
    ///   - drawn: The lines of the last frame, replaced by those of this one.
    ///   - isReused: Whether the frame contains the last one.
    /// - Returns: The move of lines since the last frame, if it is reused.
    func draw(_ layout: Layout, reusing drawn: inout DrawnLines, in frame: inout Frame, isReused: Bool)
        -> Scroll?
    {
        guard let area = layout.list else { return nil }
        if let header = layout.header, !isReused { drawHeader(header, &frame) }
        let list = state.list.clips
        var earlier = drawn.reusable(in: look)
        drawn = DrawnLines(look)
        guard list.count > 0 || !list.isLoaded else {
            if isReused { frame.fill(area) }
            drawEmpty(area, &frame)
            return nil
        }
        let lines = (list.top..<list.top + area.size.rows).map { index in
            list.row(at: index).map { line($0, index, list.selectedIndex) }
        }
        let scroll = earlier.move(to: lines, in: area)
        if let scroll, isReused { frame.apply(scroll) }
        // A bar over the lines, which the next one may not cover.
        if let bar = layout.listBar, isReused, layout.arrangement != .beside { frame.fill(bar) }
        for (row, line) in lines.enumerated() {
            let index = list.top + row
            let rect = Rect(row: area.row + row, column: area.column, rows: 1, columns: area.size.columns)
            if let line {
                drawn.put(
                    line, isSelected: index == list.selectedIndex, at: rect, now: state.now, in: &frame,
                    copying: earlier, isReused: isReused)
            } else {
                if isReused { frame.fill(rect) }
                guard index < list.count else { continue }
                frame.put("…", in: rect, column: look.columns.title.start, style: theme[.muted])
                drawn.skip()
            }
            guard index == list.selectedIndex else { continue }
            frame.select(rect, theme, isFocused: !state.reader.hasFocus)
        }
        return isReused ? scroll : nil
    }

    /// Draws the scroll bar, over the separator next to the clip.
    func drawScrollBar(_ layout: Layout, in frame: inout Frame) {
        guard let bar = layout.listBar, let area = layout.list else { return }
        let list = state.list.clips
        frame.putScrollBar(
            bar, top: list.top, height: area.size.rows, count: list.count,
            track: layout.arrangement == .beside ? nil : "▕", theme)
    }

    private func drawHeader(_ area: Rect, _ frame: inout Frame) {
        frame.fill(area, style: theme[.heading])
        let sort = state.list.query.sort
        for column in look.columns.all {
            let isSorted = column.name.attribute.rawValue == sort.attribute && !state.list.query.isRanked
            let isUsual = column.name == .age && sort == ClipQuery.newestFirst
            let text = column.name.heading + (isSorted && !isUsual ? sort.isAscending ? "↑" : "↓" : "")
            if column.name == .age {
                frame.putRight(
                    text, in: area, column: column.start, width: column.width, style: theme[.heading])
            } else {
                frame.putCut(
                    text, in: area, column: column.start, width: column.width, style: theme[.heading])
            }
        }
    }

    private func line(_ clip: ClipRow, _ index: Int, _ selectedIndex: Int) -> ListLine {
        let distance = abs(index - selectedIndex)
        return ListLine(
            clip: clip, title: state.history.titles.title(of: clip), excerpt: state.list.excerpts[clip.id],
            number: look.columns.number == nil
                ? nil
                : ListLine.Number(value: distance == 0 ? index + 1 : distance, isSelected: distance == 0),
            isNew: state.list.arrivals.isMarked(clip.id), isMarked: state.list.marks.contains(clip.id))
    }

    /// Returns the lines of an empty list in a store that is not empty, or was not.
    private func lines(_ hidden: HiddenClips) -> [(String, Style)] {
        let (filter, history, restore) = (
            state.keys.name(of: .filter), state.keys.name(of: .history), state.keys.name(of: .restore)
        )
        let count = "\(hidden.archived.grouped) \(hidden.archived == 1 ? "clip is" : "clips are")"
        let archived = (
            "\(isPicking ? "Typing" : filter) is:archived shows archived clips: \(count) archived.",
            Style.plain
        )
        let deleted = (
            isPicking
                ? "'clips history' prints the IDs of deleted clips, and 'clips restore ID' restores one."
                : "\(history) shows the history; \(restore) restores the deleted clips of a row there.",
            Style.plain
        )
        return [
            (
                hidden.archived == 0
                    ? "All clips are deleted"
                    : hidden.hasDeleted ? "All clips are archived or deleted" : "All clips are archived",
                theme[.strong]
            ),
            ("", .plain),
        ] + (hidden.archived == 0 ? [] : [archived]) + (hidden.hasDeleted ? [deleted] : [])
    }

    /// Whether letters are those of the filter of a pick, and no actions.
    private var isPicking: Bool { state.pick != nil && state.prompt?.kind == .filter }

    /// Returns the commands that save the first clips, with their effects if there is room for them.
    private static func commands(columns: Int) -> [String] {
        let commands = [
            ("clips add --fetch swift.org", "saves a page with its text"),
            ("clips import bookmarks.html", "reads exports of browsers and services"),
            ("clips browser install", "saves pages with a click in the browser"),
        ]
        guard columns >= 74 else { return commands.map { "  \($0.0)" } }
        return commands.map { "  \($0)\(String(repeating: " ", count: 31 - $0.count))# \($1)" }
    }

    private func drawEmpty(_ area: Rect, _ frame: inout Frame) {
        let add = state.keys.name(of: .add)
        let indent = min(4, area.size.columns / 20)
        var lines: [(String, Style)]
        if state.list.query.admitsAll {
            guard let hidden = state.list.hidden else { return }
            lines =
                hidden == HiddenClips()
                ? [
                    ("No clips yet", theme[.strong]), ("", .plain),
                    (
                        isPicking
                            ? "Run in another terminal:"
                            : "Press \(add) to add a URL or a text, or run in another terminal:", .plain
                    ),
                    ("", .plain),
                ] + Self.commands(columns: area.size.columns - indent).map { ($0, theme[.strong]) } + [
                    ("", .plain),
                    ("Clips that any program saves appear here immediately.", theme[.muted]),
                ] : self.lines(hidden)
            if isPicking { lines.append((state.wayOut, .plain)) }
        } else {
            // The status line has room for a problem on a wide screen only.
            let problem = state.list.query.problem(isTyping: state.prompt?.kind == .filter)
            let hint = state.list.query.hint
            lines =
                [(problem ?? ClipQuery.noClip(for: state.list.query.filter), theme[.strong]), ("", .plain)]
                + (problem == nil ? [hint].compactMap(\.self) : []).map { ($0, .plain) }
                + [(state.wayOut, .plain)]
        }
        let width = area.size.columns - indent
        var wrapped = lines.flatMap { line in
            var text = WrappedText(line.0.isEmpty ? " " : line.0, width: max(1, width))
            return text.lines(0..<8).map { StyledRun($0, line.1) }
        }
        while wrapped.count > area.size.rows, let blank = wrapped.lastIndex(where: { $0.text == " " }) {
            wrapped.remove(at: blank)
        }
        let first = max(0, (area.size.rows - wrapped.count) / 3)
        for (row, line) in wrapped.enumerated() {
            frame.put(line.text, in: area, row: first + row, column: indent, width: width, style: line.style)
        }
    }
}

extension ListColumns.Name {
    /// The attribute that a column shows, by which the list can be sorted.
    var attribute: ClipAttribute {
        switch self {
        case .title: .title
        case .site, .url: .url
        case .tags: .tags
        case .age, .saved: .created
        case .author: .author
        }
    }
}

extension AppState {
    /// The columns of the list and of its header.
    func columns(of layout: Layout) -> ListColumns {
        ListColumns(
            width: layout.columnWidth, names: settings.columns,
            hasNumbers: settings.config.showsRelativeNumbers,
            isBeside: layout.arrangement == .beside, hasSidebar: layout.sidebar != nil,
            hasReasons: ClipQuery(filter: highlightedWords).hasWords)
    }
}
