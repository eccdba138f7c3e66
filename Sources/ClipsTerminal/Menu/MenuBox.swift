import Terminal

/// A box above the status line with keys at the left: a menu, or the keys that continue a sequence.
struct MenuBox {
    private let title: String
    private let items: [(key: String, label: String)]
    private let selected: Int?
    private let theme: Theme
    private let keyWidth: Int
    private let isConflict: Bool
    /// The columns around a title in the border.
    private static let titleMargin = 6

    init?(state: AppState) {
        theme = state.theme
        isConflict = state.screen == .conflict
        if let menu = state.menu {
            // Text that is typed narrows it.
            let hint = menu.number == nil ? "type a name" : "type a number or a text"
            title = menu.title + (menu.search.map { $0.text.isEmpty ? " · \(hint)" : ": \($0.text)" } ?? "")
            items = menu.items.map { item in (item.number.map { String($0) } ?? String(item.key), item.label)
            }
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

    /// Returns the rows of the border above and below the items; a low screen has room for the choices only, below the
    /// header of a conflict and a name with both values.
    ///
    /// - Parameter rows: The rows above the status line.
    static func border(rows: Int, items: Int, isConflict: Bool) -> (top: Int, bottom: Int) {
        guard isConflict else { return rows >= 8 ? (1, 1) : (0, 0) }
        let free = rows - items - 4
        return (free >= 1 ? 1 : 0, free >= 2 ? 1 : 0)
    }

    /// The areas of the box and of its items, the first item shown, and the lines of a title that is longer than the
    /// border; nil without room.
    private func areas(_ layout: Layout) -> (box: Rect, items: Rect, first: Int, title: [String])? {
        let bottom = layout.status?.row ?? layout.size.rows
        let border = Self.border(rows: bottom, items: items.count, isConflict: isConflict)
        let shown = min(items.count, bottom - border.top - border.bottom)
        guard shown > 0 else { return nil }
        let widest = items.map { DisplayWidth.columns(of: $0.label) }.max() ?? 0
        let titleWidth = DisplayWidth.columns(of: SafeText.line(title)) + Self.titleMargin
        let columns = min(layout.size.columns, max(widest + keyWidth + 7, titleWidth))
        let left = bottom - shown - border.top - border.bottom
        let lines = titleWidth > columns && border.top > 0 ? titleLines(columns, left) : []
        let rows = shown + lines.count + border.top + border.bottom
        let box = Rect(row: bottom - rows, column: 0, rows: rows, columns: columns)
        let inside = Rect(
            row: box.row + border.top + lines.count, column: border.top, rows: shown,
            columns: max(0, columns - 2 * border.top))
        // Choices that do not fit are reached by their letters, or by moving down.
        return (box, inside, max(0, min((selected ?? 0) - shown + 1, items.count - shown)), lines)
    }

    /// Returns the lines of the title in a box, at most a number of them; none if it needs more.
    private func titleLines(_ columns: Int, _ limit: Int) -> [String] {
        var wrapped = WrappedText(title.replacing("\n", with: " "), width: max(1, columns - 4))
        let count = wrapped.count(upTo: limit + 1)
        return isConflict || count > limit ? [] : wrapped.lines(0..<count)
    }

    /// Returns the index of the item at a position; nil outside the box.
    func index(at position: Position, _ layout: Layout) -> Int? {
        guard let areas = areas(layout), areas.items.contains(position) else { return nil }
        return areas.first + position.row - areas.items.row
    }

    func draw(_ layout: Layout, in frame: inout Frame) {
        guard let (box, area, first, lines) = areas(layout) else { return }
        frame.fill(box)
        if area.row > box.row {
            let hasBottom = box.size.rows > area.row - box.row + area.size.rows
            frame.putBox(box, title: lines.isEmpty ? title : nil, hasBottom: hasBottom, theme)
        }
        for (row, line) in lines.enumerated() {
            frame.put(line, in: box, row: row + 1, column: 2, style: theme[.strong])
        }
        for (row, item) in items[first..<first + area.size.rows].enumerated() {
            let line = Rect(
                row: area.row + row, column: area.column, rows: 1, columns: area.size.columns)
            frame.put(item.key, in: line, column: 1, style: theme[.key])
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
    /// Draws a border, with a title if there is one.
    mutating func putBox(_ area: Rect, title: String?, hasBottom: Bool = true, _ theme: Theme) {
        let width = max(0, area.size.columns - 2)
        for (row, ends) in [(0, "┌┐")] + (hasBottom ? [(area.size.rows - 1, "└┘")] : []) {
            let line = String(ends.prefix(1)) + String(repeating: "─", count: width) + ends.suffix(1)
            put(line, in: area, row: row, style: theme[.border])
        }
        for row in 1..<max(1, area.size.rows - (hasBottom ? 1 : 0)) {
            put("│", in: area, row: row, style: theme[.border])
            put("│", in: area, row: row, column: width + 1, style: theme[.border])
        }
        guard let title else { return }
        put(" \(SafeText.cutAtWord(title, to: width - 4)) ", in: area, column: 2, style: theme[.strong])
    }
}
