import ClipsCore
import Terminal

extension AppState {
    /// The screen as it should be now.
    func draw() -> Frame {
        var frame = Frame(size: size)
        let layout = layout
        switch screen {
        case .list:
            ListPane(state: self).draw(layout, in: &frame)
            DetailPane(state: self).draw(layout, in: &frame)
        case .history: HistoryScreen(state: self).draw(layout, in: &frame)
        case .consumers, .mistakes: TextScreen(state: self).draw(layout, in: &frame)
        case .conflict: ConflictScreen(state: self).draw(layout, in: &frame)
        case .help: HelpScreen(state: self).draw(layout, in: &frame)
        }
        if let menu { MenuBox(menu: menu, theme: theme).draw(layout, in: &frame) }
        StatusLine(state: self).draw(layout, in: &frame)
        return frame
    }

    /// Words that are shown where they stand in titles and texts.
    var highlightedWords: [String] {
        let words = query.filter.isEmpty ? (isReading ? lastWords : "") : query.filter
        return words.lowercased().split(whereSeparator: \.isWhitespace).map(String.init)
    }
}

extension Frame {
    /// Gives words another look where they stand in a line of text, which begins at a place.
    mutating func highlight(
        _ words: [String], in text: String, at place: Position, width: Int, _ style: Style
    ) {
        let line = SafeText.cut(text, to: width).map { Character($0.lowercased().prefix(1).description) }
        for word in words.map(Array.init) where word.count <= line.count {
            var index = 0
            while index + word.count <= line.count {
                guard line[index..<index + word.count].elementsEqual(word) else {
                    index += 1
                    continue
                }
                let start = line[..<index].reduce(0) { $0 + DisplayWidth.columns(of: $1) }
                let columns = word.reduce(0) { $0 + DisplayWidth.columns(of: $1) }
                let found = Rect(
                    row: place.row, column: place.column + start, rows: 1,
                    columns: min(columns, width - start))
                restyle(found) { $0 = style }
                index += word.count
            }
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
