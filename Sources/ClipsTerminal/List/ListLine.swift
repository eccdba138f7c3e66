import ClipsCore
import Terminal

/// The appearance that all lines of the list share.
struct ListLook: Equatable {
    let columns: ListColumns
    let theme: Theme
    /// The words to highlight.
    let words: String
    let dates: DateFormat
    /// The current year, which ages omit.
    let year: Int

    init(_ state: AppState, _ layout: Layout) {
        columns = state.columns(of: layout)
        theme = state.theme
        words = state.highlightedWords
        dates = state.settings.config.dates
        year = LocalTime(state.now).year
    }

    /// Draws an age over an earlier one.
    func drawAge(_ age: String, at line: Rect, in frame: inout Frame) {
        guard let column = columns[.age] else { return }
        let area = Rect(row: line.row, column: line.column + column.start, rows: 1, columns: column.width)
        frame.fill(area)
        frame.putRight(age, in: line, column: column.start, width: column.width, style: theme.dim)
    }
}

/// The contents of one line of the list, without the age.
struct ListLine: Equatable {
    struct Number: Equatable {
        let value: Int
        let isSelected: Bool
    }

    let clip: ClipRow
    /// The distance from the cursor, if it is shown.
    let number: Number?
    let isNew: Bool
    let isMarked: Bool

    func draw(_ look: ListLook, _ highlight: ClipHighlight?, at line: Rect, in frame: inout Frame) {
        let (columns, theme) = (look.columns, look.theme)
        if let column = columns.number, let number {
            frame.putRight(
                String(number.value), in: line, column: column.start, width: column.width,
                style: number.isSelected ? theme.bold : theme.dim)
        }
        if columns.hasMarks {
            if isNew { frame.put("▌", in: line, style: theme.arrival) }
            if isMarked { frame.put("✓", in: line, style: theme.mark) }
            if clip.isUnread { frame.put("•", in: line, column: 1, style: theme.key) }
            if clip.isStarred {
                frame.put("★", in: line, column: clip.isUnread ? 2 : 1, style: theme.star)
            }
        }
        for column in columns.all {
            switch column.name {
            case .title: drawTitle(look, highlight, line, &frame)
            case .site: put(ReadableURL.host(clip.site), column, theme.site)
            case .tags: put(tagText, column, theme.tag)
            case .author: put(AuthorName.shown(clip.author), column, theme.author(clip.author))
            case .url: put(ReadableURL.text(clip.url), column, theme.site)
            case .saved: put(look.dates.text(clip.created), column, theme.dim)
            // Changes more often than the others; see `ListLook.drawAge`.
            case .age: break
            }
        }

        func put(_ text: String, _ column: ListColumns.Column, _ style: Style) {
            frame.putCut(
                text, in: line, column: column.start, width: column.width,
                style: isNew && column.name == .author ? theme.arrival : style)
        }
    }

    private func drawTitle(
        _ look: ListLook, _ highlight: ClipHighlight?, _ line: Rect, _ frame: inout Frame
    ) {
        let (column, theme) = (look.columns.title, look.theme)
        let title = clip.title == clip.url ? ReadableURL.text(clip.url) : clip.title
        let shown = SafeText.cut(String(title.drop { $0.isWhitespace }), to: column.width)
        let used = frame.put(
            shown, in: line, column: column.start, width: column.width,
            style: isMarked ? theme.mark : clip.isUnread ? theme.unread : theme.title)
        // Without a column of their own, tags follow the title.
        let left = column.width + look.columns.slack - used - 2
        if look.columns[.tags] == nil, !clip.tags.isEmpty, left >= 6 {
            frame.putCut(tagText, in: line, column: column.start + used + 2, width: left, style: theme.tag)
        }
        guard let highlight else { return }
        frame.highlight(
            highlight.ranges(inTitle: shown), of: shown,
            at: Position(row: line.row, column: line.column + column.start), width: column.width, theme.match)
    }

    private var tagText: String { clip.tags.map { "#" + $0 }.joined(separator: " ") }
}
