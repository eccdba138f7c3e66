import ClipsCore
import Terminal

extension AppState {
    /// The screen as it should be now.
    func draw() -> Frame {
        var nothing = DrawnLines()
        return draw(reusing: &nothing)
    }

    /// - Parameter drawn: the list's lines of the picture before, which become those of this one.
    func draw(reusing drawn: inout DrawnLines) -> Frame {
        var frame = Frame(size: size)
        let layout = layout
        switch screen {
        case .list:
            ListPane(state: self).draw(layout, reusing: &drawn, in: &frame)
            DetailPane(state: self).draw(layout, in: &frame)
        case .history: HistoryScreen(state: self).draw(layout, in: &frame)
        case .consumers, .errors: TextScreen(state: self).draw(layout, in: &frame)
        case .conflict: ConflictScreen(state: self).draw(layout, in: &frame)
        case .help: HelpScreen(state: self).draw(layout, in: &frame)
        }
        if let menu { MenuBox(menu: menu, theme: theme).draw(layout, in: &frame) }
        StatusLine(state: self).draw(layout, in: &frame)
        return frame
    }

    /// What is looked for is shown where it stands in titles and texts.
    var highlight: ClipHighlight? { ClipHighlight(highlightedWords) }

    var highlightedWords: String { query.filter.isEmpty ? (isReading ? lastWords : "") : query.filter }
}

extension Frame {
    /// Gives parts of a line of text another look; the line begins at a place.
    mutating func highlight(
        _ ranges: [Range<String.Index>], of text: String, at place: Position, width: Int, _ style: Style
    ) {
        for range in ranges {
            let start = DisplayWidth.columns(of: SafeText.line(String(text[..<range.lowerBound])))
            let columns = DisplayWidth.columns(of: SafeText.line(String(text[range])))
            guard start < width else { return }
            let part = Rect(
                row: place.row, column: place.column + start, rows: 1, columns: min(columns, width - start))
            restyle(part) { $0 = style }
        }
    }

    /// Writes, cut with an ellipsis where it does not fit.
    mutating func putCut(
        _ text: String, in rect: Rect, row: Int = 0, column: Int = 0, width: Int, style: Style = .plain
    ) {
        put(SafeText.cut(text, to: width), in: rect, row: row, column: column, width: width, style: style)
    }

    /// Writes so that the last column is at the right edge of the width.
    mutating func putRight(
        _ text: String, in rect: Rect, row: Int = 0, column: Int = 0, width: Int, style: Style = .plain
    ) {
        let text = SafeText.cut(text, to: width)
        let indent = max(0, width - DisplayWidth.columns(of: text))
        put(text, in: rect, row: row, column: column + indent, width: width - indent, style: style)
    }
}
