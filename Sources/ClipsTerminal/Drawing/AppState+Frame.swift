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
        case .help: HelpScreen(state: self).draw(layout, in: &frame)
        }
        StatusLine(state: self).draw(layout, in: &frame)
        return frame
    }
}

extension Frame {
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
