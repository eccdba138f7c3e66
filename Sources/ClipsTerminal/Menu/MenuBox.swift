import Terminal

/// A menu above the status line, with its letters at the left.
struct MenuBox {
    let menu: Menu
    let theme: Theme

    func draw(_ layout: Layout, in frame: inout Frame) {
        let bottom = layout.status?.row ?? frame.size.rows
        let rows = min(menu.items.count + 1, bottom)
        guard rows > 0 else { return }
        // Choices that do not fit are reached by their letters, or by moving down.
        let shown = rows - (rows > 1 ? 1 : 0)
        let first = max(0, min(menu.selected - shown + 1, menu.items.count - shown))
        let widest = menu.items.map { DisplayWidth.columns(of: $0.label) }.max() ?? 0
        let columns = min(frame.size.columns, max(widest, DisplayWidth.columns(of: menu.title)) + 8)
        let area = Rect(row: bottom - rows, column: 0, rows: rows, columns: columns)
        frame.fill(area)
        // A border separates the menu from the text behind it.
        if columns < frame.size.columns {
            for row in 0..<rows {
                frame.put("│", row: area.row + row, column: columns, style: theme.border)
            }
        }
        if rows > 1 {
            frame.putHeader(menu.title, Rect(row: area.row, column: 0, rows: 1, columns: columns), theme)
        }
        for (index, item) in menu.items.enumerated().dropFirst(max(0, first)).prefix(shown) {
            let row = index - max(0, first) + (rows > 1 ? 1 : 0)
            frame.put(String(item.key), in: area, row: row, column: 2, style: theme.key)
            frame.putCut(item.label, in: area, row: row, column: 5, width: columns - 6)
            guard index == menu.selected else { continue }
            let line = Rect(row: area.row + row, column: 0, rows: 1, columns: columns)
            frame.select(line, theme)
        }
    }
}
