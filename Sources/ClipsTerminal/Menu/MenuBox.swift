import Terminal

/// A box above the status line with keys at the left: a menu, or the keys that continue a sequence.
struct MenuBox {
    private let title: String
    private let items: [(key: String, label: String)]
    private let selected: Int?
    private let theme: Theme
    private let keyWidth: Int
    private let isConflict: Bool

    init?(state: AppState) {
        theme = state.theme
        isConflict = state.screen == .conflict
        if let menu = state.menu {
            title = menu.title
            items = menu.items.map { (String($0.key), $0.label) }
            selected = menu.selected
        } else if state.prompt == nil, !state.typing.pressed.isEmpty {
            title = "\(KeyMap.shown(state.typing.pressed))…"
            items = state.keys.continuations(of: state.typing.pressed).map { keys, binding in
                (
                    KeyMap.shown(keys),
                    binding.isPlain ? ActionTable[binding.action].help : binding.text
                )
            }
            selected = nil
        } else {
            return nil
        }
        keyWidth = items.map { DisplayWidth.columns(of: $0.key) }.max() ?? 1
    }

    /// The rows of each border; a low screen has room for the choices only, below the texts of a conflict.
    static func border(rows: Int, isConflict: Bool) -> Int { rows >= (isConflict ? 12 : 8) ? 1 : 0 }

    /// The areas of the box and of its items, and the first item shown; nil without room.
    private func areas(_ layout: Layout) -> (box: Rect, items: Rect, first: Int)? {
        let bottom = layout.status?.row ?? layout.size.rows
        let border = Self.border(rows: bottom, isConflict: isConflict)
        let shown = min(items.count, bottom - 2 * border)
        guard shown > 0 else { return nil }
        let widest = items.map { DisplayWidth.columns(of: $0.label) }.max() ?? 0
        let columns = min(
            layout.size.columns, max(widest + keyWidth + 7, DisplayWidth.columns(of: title) + 6))
        let rows = shown + 2 * border
        let box = Rect(row: bottom - rows, column: 0, rows: rows, columns: columns)
        let inside = Rect(
            row: box.row + border, column: border, rows: shown, columns: max(0, columns - 2 * border))
        // Choices that do not fit are reached by their letters, or by moving down.
        return (box, inside, max(0, min((selected ?? 0) - shown + 1, items.count - shown)))
    }

    /// Returns the index of the item at a position; nil outside the box.
    func index(at position: Position, _ layout: Layout) -> Int? {
        guard let areas = areas(layout), areas.items.contains(position) else { return nil }
        return areas.first + position.row - areas.items.row
    }

    func draw(_ layout: Layout, in frame: inout Frame) {
        guard let (box, area, first) = areas(layout) else { return }
        frame.fill(box)
        if area.row > box.row { frame.putBox(box, title: title, theme) }
        for (row, item) in items[first..<first + area.size.rows].enumerated() {
            let line = Rect(
                row: area.row + row, column: area.column, rows: 1, columns: area.size.columns)
            frame.put(item.key, in: line, column: 1, style: theme.key)
            let label = SafeText.cutAtWord(item.label, to: line.size.columns - keyWidth - 4)
            frame.put(label, in: line, column: keyWidth + 3)
            if first + row == selected { frame.select(line, theme) }
        }
        guard area.row > box.row else { return }
        let bar = Rect(
            row: area.row, column: box.size.columns - 1, rows: area.size.rows, columns: 1)
        frame.putScrollBar(
            bar, top: first, height: area.size.rows, count: items.count, track: nil, theme)
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
        put(" \(SafeText.cutAtWord(title, to: width - 4)) ", in: area, column: 2, style: theme.strong)
    }
}
