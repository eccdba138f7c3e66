import Terminal

/// A menu above the status line, with its letters at the left.
struct MenuBox {
    let menu: Menu
    let theme: Theme

    /// The rows of each border; a low screen has room for the choices only.
    static func border(rows: Int) -> Int { rows >= 12 ? 1 : 0 }

    func draw(_ layout: Layout, in frame: inout Frame) {
        let bottom = layout.status?.row ?? frame.size.rows
        let border = Self.border(rows: bottom)
        let shown = min(menu.items.count, bottom - 2 * border)
        guard shown > 0 else { return }
        // Choices that do not fit are reached by their letters, or by moving down.
        let first = max(0, min(menu.selected - shown + 1, menu.items.count - shown))
        let widest = menu.items.map { DisplayWidth.columns(of: $0.label) }.max() ?? 0
        let columns = min(frame.size.columns, max(widest + 8, DisplayWidth.columns(of: menu.title) + 6))
        let rows = shown + 2 * border
        let area = Rect(row: bottom - rows, column: 0, rows: rows, columns: columns)
        frame.fill(area)
        if border > 0 { frame.putBox(area, title: menu.title, theme) }
        for (row, item) in menu.items[first..<first + shown].enumerated() {
            let line = Rect(
                row: area.row + row + border, column: border, rows: 1, columns: columns - 2 * border)
            frame.put(String(item.key), in: line, column: 1, style: theme.key)
            frame.putCut(item.label, in: line, column: 4, width: line.size.columns - 5)
            if first + row == menu.selected { frame.select(line, theme) }
        }
        guard border > 0 else { return }
        let bar = Rect(row: area.row + 1, column: columns - 1, rows: shown, columns: 1)
        frame.putScrollBar(bar, top: first, height: shown, count: menu.items.count, track: nil, theme)
    }
}

extension Frame {
    /// Draws a border with a title.
    mutating func putBox(_ area: Rect, title: String, _ theme: Theme) {
        let width = max(0, area.size.columns - 2)
        for (row, ends) in [(0, "┌┐"), (area.size.rows - 1, "└┘")] {
            let line = String(ends.prefix(1)) + String(repeating: "─", count: width) + ends.suffix(1)
            put(line, in: area, row: row, style: theme.border)
        }
        for row in 1..<max(1, area.size.rows - 1) {
            put("│", in: area, row: row, style: theme.border)
            put("│", in: area, row: row, column: width + 1, style: theme.border)
        }
        putCut(" \(title) ", in: area, column: 2, width: width - 2, style: theme.bold)
    }
}
