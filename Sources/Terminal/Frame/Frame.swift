/// A screen as a value: the cells and the position of the terminal's cursor.
///
/// Drawing accepts any text and any coordinates; it clips parts outside the frame.
package struct Frame: Hashable, Sendable {
    package let size: Size
    /// The position of the hardware cursor, which screen readers and braille displays follow; nil hides it.
    package var cursor: Position?
    /// The rows. Identical rows, and rows copied from an earlier frame, share storage: comparing them does
    /// not read their cells.
    var rows: [[Cell]]

    package init(size: Size) {
        self.size = size
        rows = Array(repeating: Array(repeating: .blank(.plain), count: size.columns), count: size.rows)
    }

    package var bounds: Rect { Rect(size) }

    /// Writes to one row, at most `width` columns, and returns the number of columns used.
    @discardableResult
    package mutating func put(
        _ text: String, row: Int, column: Int, width: Int? = nil, style: Style = .plain
    ) -> Int {
        put(text, row: row, column: column, width: width, style: style, clip: bounds)
    }

    /// Writes at a position relative to the rectangle's corner, clipped by the rectangle.
    @discardableResult
    package mutating func put(
        _ text: String, in rect: Rect, row: Int = 0, column: Int = 0, width: Int? = nil,
        style: Style = .plain
    ) -> Int {
        put(
            text, row: rect.row.addingClamped(row), column: rect.column.addingClamped(column), width: width,
            style: style, clip: rect)
    }

    private mutating func put(
        _ text: String, row: Int, column: Int, width: Int?, style: Style, clip: Rect
    ) -> Int {
        let clip = clipped(clip)
        let end = min(clip.columns.upperBound, width.map { column.addingClamped(max(0, $0)) } ?? .max)
        guard clip.rows.contains(row), column < end else { return 0 }
        let hidden = column < 0 ? 0.addingClamped(column == .min ? .max : -column) : 0
        let text = text.beginning(for: end.addingClamped(hidden))
        return rows[row].put(text, column: column, from: clip.columns.lowerBound, upTo: end, style: style)
            - column
    }

    /// Copies cells of an earlier frame, which begin and end with whole glyphs.
    package mutating func put(_ cells: [Cell], row: Int, column: Int) {
        let target = Rect(row: row, column: column, rows: 1, columns: cells.count)
        guard clipped(target) == target else { return }
        if cells.count == size.columns {
            rows[row] = cells
        } else {
            rows[row].replaceSubrange(column..<column + cells.count, with: cells)
        }
    }

    /// Returns the cells of a rectangle of one row, for `put`.
    package func cells(of line: Rect) -> [Cell] {
        guard clipped(line) == line, line.size.rows == 1 else { return [] }
        return line.size.columns == size.columns ? rows[line.row] : Array(rows[line.row][line.columns])
    }

    /// Fills the cells with a character of one column; rows that have these cells remain shared.
    package mutating func fill(_ rect: Rect, with character: Unicode.Scalar = " ", style: Style = .plain) {
        let rect = clipped(rect)
        let cell = Cell(Glyph(character, columns: 1), style: style)
        for row in rect.rows {
            for column in rect.columns where rows[row][column] != cell {
                rows[row].replace(column, with: cell)
            }
        }
    }

    /// Changes the style of the cells and retains their text.
    package mutating func restyle(_ rect: Rect, _ change: (inout Style) -> Void) {
        let rect = clipped(rect)
        // Most neighbors have one style.
        var last: (old: Style, new: Style)?
        for row in rect.rows {
            for column in rect.columns {
                let old = rows[row][column].style
                if last?.old != old {
                    var new = old
                    change(&new)
                    last = (old, new)
                }
                if let last { rows[row][column].style = last.new }
            }
        }
    }

    private func clipped(_ rect: Rect) -> Rect {
        let rows = rect.rows.clamped(to: bounds.rows)
        let columns = rect.columns.clamped(to: bounds.columns)
        return Rect(
            row: rows.lowerBound, column: columns.lowerBound, rows: rows.count, columns: columns.count)
    }
}

extension [Cell] {
    /// Writes between two columns and returns the column after the text. The second column may be less than
    /// the first if everything is hidden at the left.
    fileprivate mutating func put(
        _ text: some StringProtocol, column: Int, from left: Int, upTo right: Int, style: Style
    ) -> Int {
        var next = column
        var forms = DisplayForms(text)
        while true {
            for byte in forms.nextPlainRun().utf8 {
                guard next < right else { return next }
                next = set(Glyph.ascii[Int(byte)], at: next, from: left, style: style)
            }
            guard let form = forms.next(), next + form.columns <= right else { return next }
            guard let first = form.first else { continue }
            next = set(first, at: next, from: left, style: style)
            for glyph in form.rest { next = set(glyph, at: next, from: left, style: style) }
        }
    }

    /// Sets a glyph and returns the column after it. A wide glyph that the left edge cuts becomes a space.
    private mutating func set(_ glyph: Glyph, at column: Int, from left: Int, style: Style) -> Int {
        let end = column + Int(glyph.columns)
        if column >= left {
            replace(column, with: Cell(glyph, style: style))
            if glyph.columns == 2 { replaceRightHalf(column + 1, style: style) }
        } else if end > left {
            replace(left, with: .blank(style))
        }
        return end
    }

    /// Replaces a cell. Overwriting one half of a wide glyph leaves a space in the other half.
    fileprivate mutating func replace(_ column: Int, with cell: Cell) {
        let old = self[column].columns
        if old == 0, column > 0 { self[column - 1] = .blank(self[column - 1].style) }
        if old == 2, column + 1 < count { self[column + 1] = .blank(self[column + 1].style) }
        self[column] = cell
    }

    private mutating func replaceRightHalf(_ column: Int, style: Style) {
        if self[column].columns == 2 { self[column + 1] = .blank(self[column + 1].style) }
        self[column] = .rightHalf(style)
    }
}
