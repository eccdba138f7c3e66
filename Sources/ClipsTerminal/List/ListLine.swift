import ClipsCore
import Terminal

/// The appearance that all lines of the list share.
struct ListLook: Equatable {
    let columns: ListColumns
    let theme: Theme
    /// The words to highlight.
    let words: String
}

/// The contents of one line of the list.
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
    let age: String

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
            if clip.isStarred { frame.put("*", in: line, column: 1, style: theme.star) }
            if clip.isUnread { frame.put("•", in: line, column: 2, style: theme.dim) }
        }
        drawTitle(columns, theme, highlight, line, &frame)
        if let site = columns.site {
            frame.putCut(clip.site, in: line, column: site.start, width: site.width, style: theme.dim)
        }
        if let tags = columns.tags {
            frame.putCut(tagText, in: line, column: tags.start, width: tags.width, style: theme.dim)
        }
        if let author = columns.author {
            frame.putCut(
                AuthorName.shown(clip.author), in: line, column: author.start, width: author.width,
                style: isNew ? theme.arrival : theme.author(clip.author))
        }
        if let column = columns.age {
            frame.putRight(age, in: line, column: column.start, width: column.width, style: theme.dim)
        }
    }

    private func drawTitle(
        _ columns: ListColumns, _ theme: Theme, _ highlight: ClipHighlight?, _ line: Rect,
        _ frame: inout Frame
    ) {
        let title = String(clip.title.drop { $0.isWhitespace })
        let shown = SafeText.cut(title, to: columns.title.width)
        let used = frame.put(
            shown, in: line, column: columns.title.start, width: columns.title.width,
            style: isMarked ? theme.mark : isNew ? theme.bold : .plain)
        // Without a column of their own, tags follow the title.
        let left = columns.title.width - used - 2
        if columns.tags == nil, !clip.tags.isEmpty, left >= 6 {
            frame.putCut(
                tagText, in: line, column: columns.title.start + used + 2, width: left, style: theme.dim)
        }
        guard let highlight else { return }
        frame.highlight(
            highlight.ranges(inTitle: shown), of: shown,
            at: Position(row: line.row, column: line.column + columns.title.start),
            width: columns.title.width, theme.match)
    }

    private var tagText: String { clip.tags.map { "#" + $0 }.joined(separator: " ") }
}
