import ClipsCore
import Terminal

extension AppState {
    /// Returns the current screen.
    func draw() -> Frame {
        var drawn = DrawnFrame()
        return draw(reusing: &drawn)
    }

    /// - Parameter drawn: The last frame, replaced by this one.
    func draw(reusing drawn: inout DrawnFrame) -> Frame {
        let layout = layout
        let listLook = ListLook(self, layout)
        let look = DrawnFrame.Look(self, layout, listLook)
        let readerLook = DrawnFrame.ReaderLook(self)
        let earlier = drawn.reusable(in: look)
        var frame = earlier ?? Frame(size: size)
        frame.cursor = nil
        var lines = drawn.lines
        var scroll: Scroll?
        switch screen {
        case .list:
            let list = ListPane(state: self, look: listLook)
            scroll = list.draw(layout, reusing: &lines, in: &frame, isReused: earlier != nil)
            let reader = ReaderPane(state: self)
            if earlier == nil {
                reader.draw(layout, in: &frame)
            } else if drawn.reader == readerLook {
                reader.drawSeparator(layout, in: &frame)
            } else {
                if let area = layout.detail { frame.fill(area) }
                reader.draw(layout, in: &frame)
            }
            list.drawScrollBar(layout, in: &frame)
            SidebarPane(state: self).draw(layout, in: &frame)
        case .history: HistoryScreen(state: self).draw(layout, in: &frame)
        case .consumers, .errors: TextScreen(state: self).draw(layout, in: &frame)
        case .output: ReaderPane(state: self).draw(layout, in: &frame)
        case .conflict: ConflictScreen(state: self).draw(layout, in: &frame)
        case .help: HelpScreen(state: self).draw(layout, in: &frame)
        }
        MenuBox(state: self)?.draw(layout, in: &frame)
        StatusLine(state: self).draw(layout, in: &frame, isReused: earlier != nil)
        drawn.finish(frame, look, readerLook, lines, scroll)
        return frame
    }

    /// The words to highlight in the rows of the list.
    var highlightedWords: String {
        screen == .output || list.query.filter.isEmpty ? "" : list.deviation.correction ?? list.query.filter
    }
}

extension Frame {
    /// Restyles ranges of a text that was drawn.
    mutating func highlight(
        _ ranges: [Range<String.Index>], of text: String, in rect: Rect, row: Int = 0, column: Int = 0,
        width: Int, _ style: Style
    ) {
        for range in ranges {
            let start = DisplayWidth.columns(of: SafeText.line(String(text[..<range.lowerBound])))
            let columns = DisplayWidth.columns(of: SafeText.line(String(text[range])))
            guard start < width else { return }
            let part = Rect(
                row: rect.row + row, column: rect.column + column + start, rows: 1,
                columns: min(columns, width - start))
            restyle(part) { $0 = style }
        }
    }

    /// Draws the heading of a screen.
    mutating func putHeader(_ title: String, _ header: Rect?, _ theme: Theme) {
        guard let header else { return }
        fill(header, style: theme[.heading])
        putCut(title, in: header, column: 1, width: header.size.columns - 1, style: theme[.heading])
    }

    /// Draws a row as selected, with the cursor if its pane has the keys. Bold text remains bold.
    mutating func select(_ line: Rect, _ theme: Theme, isFocused: Bool = true) {
        let look = theme[isFocused ? .selection : .unfocused]
        restyle(line) { style in
            if look.foreground != .standard || look.attributes.contains(.reverse) {
                style.foreground = look.foreground
                style.attributes.remove(.dim)
            }
            style.background = look.background
            style.attributes.formUnion(look.attributes)
        }
        if isFocused { cursor = Position(row: line.row, column: line.column) }
    }

    /// Draws the part of a list that is on the screen, if it is longer.
    ///
    /// - Parameter track: The rest of the bar; nil leaves the cells.
    mutating func putScrollBar(
        _ bar: Rect, top: Int, height: Int, count: Int, track: Unicode.Scalar? = "▕", _ theme: Theme
    ) {
        let rows = bar.size.rows
        guard count > height, height > 0, rows > 1 else { return }
        let length = max(1, rows * height / count)
        // The thumb touches an end only if the list does.
        let hidden = count - height
        let room = rows - length
        let start =
            top <= 0
            ? 0 : top >= hidden ? room : min(max(room > 1 ? 1 : 0, top * room / hidden), max(0, room - 1))
        if let track { fill(bar, with: track, style: theme[.border]) }
        let thumb = Rect(
            row: bar.row + start, column: bar.column, rows: length, columns: bar.size.columns)
        fill(thumb, with: "┃", style: theme[.scrollbar])
    }

    /// Draws a text, cut with an ellipsis if it does not fit.
    mutating func putCut(
        _ text: String, in rect: Rect, row: Int = 0, column: Int = 0, width: Int, style: Style = .plain
    ) {
        put(SafeText.cut(text, to: width), in: rect, row: row, column: column, width: width, style: style)
    }

    /// Draws a text aligned to the right.
    mutating func putRight(
        _ text: String, in rect: Rect, row: Int = 0, column: Int = 0, width: Int, style: Style = .plain
    ) {
        let text = SafeText.cut(text, to: width)
        let indent = max(0, width - DisplayWidth.columns(of: text))
        put(text, in: rect, row: row, column: column + indent, width: width - indent, style: style)
    }
}
