import Terminal

/// A menu above the status line; its letters stand at the left.
struct MenuBox {
    let menu: Menu
    let theme: Theme

    func draw(_ layout: Layout, in frame: inout Frame) {
        let bottom = layout.status?.row ?? frame.size.rows
        let rows = min(menu.items.count + 1, bottom)
        guard rows > 0 else { return }
        // What does not fit is reached by its letter, or by going down.
        let shown = rows - (rows > 1 ? 1 : 0)
        let first = max(0, min(menu.selected - shown + 1, menu.items.count - shown))
        let widest = menu.items.map { DisplayWidth.columns(of: $0.label) }.max() ?? 0
        let columns = min(frame.size.columns, max(widest, DisplayWidth.columns(of: menu.title)) + 8)
        let area = Rect(row: bottom - rows, column: 0, rows: rows, columns: columns)
        frame.fill(area)
        // What stands behind it begins with a line between.
        if columns < frame.size.columns {
            for row in 0..<rows {
                frame.put("│", row: area.row + row, column: columns, style: theme.border)
            }
        }
        if rows > 1 {
            frame.fill(Rect(row: area.row, column: 0, rows: 1, columns: columns), style: theme.heading)
            frame.putCut(menu.title, in: area, column: 1, width: columns - 1, style: theme.heading)
        }
        for (place, item) in menu.items.enumerated().dropFirst(max(0, first)).prefix(shown) {
            let row = place - max(0, first) + (rows > 1 ? 1 : 0)
            frame.put(String(item.key), in: area, row: row, column: 2, style: theme.key)
            frame.putCut(item.label, in: area, row: row, column: 5, width: columns - 6)
            guard place == menu.selected else { continue }
            let line = Rect(row: area.row + row, column: 0, rows: 1, columns: columns)
            frame.restyle(line) { $0 = theme.selection }
            frame.cursor = Position(row: line.row, column: 0)
        }
    }
}
