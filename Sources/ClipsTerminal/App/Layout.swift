import Terminal

/// The areas of the screen. Areas without room are nil.
struct Layout: Equatable {
    enum Arrangement: Equatable { case listOnly, detailOnly, beside, below }

    let size: Size
    let arrangement: Arrangement
    private(set) var sidebar: Rect?
    private(set) var header: Rect?
    private(set) var list: Rect?
    private(set) var separator: Rect?
    /// The scroll bar of the list: the separator, or the last column.
    private(set) var listBar: Rect?
    private(set) var detail: Rect?
    /// The part of the detail with the text, between its margins.
    private(set) var text: Rect?
    private(set) var status: Rect?
    private(set) var hints: Rect?

    /// Returns the width with room for the list's columns and a clip at their side.
    static func minColumnsBeside(_ names: [ListColumns.Name]) -> Int {
        max(120, ListColumns.minWidthBeside(names) + 1 + minColumnsOfClip)
    }
    private static let minColumnsOfClip = 40
    /// The rows with room for the hints next to both versions of a clip and a box of choices.
    static let minRowsOfConflict = 13
    private static let minRowsBelow = 30
    private static let minColumnsWithBar = 24
    /// The narrowest screen on which a text alone has margins.
    private static let minColumnsWithMargin = 40

    /// - Parameters:
    ///   - share: The list's percentage of the screen next to the clip.
    ///   - hasSidebar: Whether the list has the sidebar at its left, on a screen that has room.
    ///   - names: The columns of the list.
    ///   - textWidth: The maximum width of the text, which is then in the middle of the detail.
    ///   - hasMargins: Whether a text alone has margins, on a screen that has room.
    ///   - hasHints: Whether the last row has hints, on a screen that has room.
    init(
        _ size: Size, isReading: Bool, isOneScreen: Bool = false, isZoomed: Bool = false,
        share: Int = 55, hasSidebar: Bool = false, names: [ListColumns.Name] = ListColumns.defaultNames,
        textWidth: Int? = nil, hasMargins: Bool = true, hasHints: Bool = true
    ) {
        self.size = size
        var rows = size.rows
        func row(_ row: Int) -> Rect { Rect(row: row, column: 0, rows: 1, columns: size.columns) }
        if hasHints, rows >= 10, size.columns >= 30 {
            rows -= 1
            hints = row(rows)
        }
        if rows >= 2 {
            rows -= 1
            status = row(rows)
        }
        let side = !hasSidebar || isOneScreen || isZoomed ? 0 : Sidebar.columns(size)
        var body = Rect(row: 0, column: side, rows: rows, columns: size.columns - side)
        if isOneScreen {
            arrangement = .listOnly
        } else if isZoomed {
            arrangement = isReading ? .detailOnly : .listOnly
        } else if body.size.columns >= Self.minColumnsBeside(names), rows >= 4 {
            arrangement = .beside
        } else if size.rows >= Self.minRowsBelow {
            arrangement = .below
        } else {
            arrangement = isReading ? .detailOnly : .listOnly
        }
        if side > 0 { sidebar = Rect(row: 0, column: 0, rows: rows, columns: side) }
        let width = body.size.columns
        if arrangement != .detailOnly, rows >= 4 {
            header = Rect(row: 0, column: side, rows: 1, columns: width)
            body = Rect(row: 1, column: side, rows: rows - 1, columns: width)
        }
        switch arrangement {
        case .listOnly: list = body
        case .detailOnly: detail = body
        case .beside:
            // Beside the clip, titles have at least the width that they have without it.
            let left = max(width * share / 100, ListColumns.minWidthBeside(names) + 1)
            list = Rect(row: body.row, column: side, rows: body.size.rows, columns: left)
            separator = Rect(row: 0, column: side + left, rows: rows, columns: 1)
            header = header.map { Rect(row: $0.row, column: side, rows: 1, columns: left) }
            detail = Rect(row: 0, column: side + left + 2, rows: rows, columns: width - left - 3)
        case .below:
            let upper = body.size.rows * share / 100
            list = Rect(row: body.row, column: side, rows: upper, columns: width)
            separator = Rect(row: body.row + upper, column: side, rows: 1, columns: width)
            detail = Rect(
                row: body.row + upper + 1, column: side + 1, rows: body.size.rows - upper - 1,
                columns: max(0, width - 2))
        }
        text = detail.map { pane in
            let columns = pane.size.columns
            let least =
                arrangement == .detailOnly && hasMargins && columns >= Self.minColumnsWithMargin ? 1 : 0
            let used = min(columns - 2 * least, textWidth ?? .max)
            return Rect(
                row: pane.row, column: pane.column + (columns - used) / 2, rows: pane.size.rows, columns: used
            )
        }
        guard width >= Self.minColumnsWithBar else { return }
        listBar =
            arrangement == .beside
            ? separator.map { Rect(row: body.row, column: $0.column, rows: body.size.rows, columns: 1) }
            : list.map {
                Rect(
                    row: $0.row, column: $0.columns.upperBound - 1, rows: $0.size.rows,
                    columns: min(1, $0.size.columns))
            }
    }

    /// The width of the list's columns.
    var columnWidth: Int {
        let width = list?.size.columns ?? 0
        guard listBar != nil else { return width }
        // The bar does not make the narrowest list with one narrower than the widest without.
        return arrangement == .beside ? width - 1 : max(Self.minColumnsWithBar - 1, width - 2)
    }
}
