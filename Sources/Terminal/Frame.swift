/// A screen as a value: what every cell shows and where the cursor stands.
///
/// Drawing takes any text and any coordinates; what lies outside is left out.
package struct Frame: Hashable, Sendable {
    package let size: Size
    /// Where the hardware cursor is put, so that screen readers and braille lines follow; hidden when nil.
    package var cursor: Position?
    /// Rows that are drawn alike, or were copied from an earlier frame, share their memory: they are seen to be the
    /// same without a look at their cells.
    private(set) var rows: [[Cell]]

    package init(size: Size) {
        self.size = size
        rows = Array(repeating: Array(repeating: .blank(.plain), count: size.columns), count: size.rows)
    }

    package var bounds: Rect { Rect(size) }

    /// Writes on one row, at most `width` columns, and returns how many columns were taken.
    @discardableResult
    package mutating func put(
        _ text: String, row: Int, column: Int, width: Int? = nil, style: Style = .plain
    ) -> Int {
        put(text, row: row, column: column, width: width, style: style, clip: bounds)
    }

    /// Writes at a place counted from the rectangle's corner, clipped by the rectangle.
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

    /// Puts cells of a frame that was drawn before, which begin and end with whole glyphs.
    package mutating func put(_ cells: [Cell], row: Int, column: Int) {
        let place = Rect(row: row, column: column, rows: 1, columns: cells.count)
        guard clipped(place) == place else { return }
        if cells.count == size.columns {
            rows[row] = cells
        } else {
            rows[row].replaceSubrange(column..<column + cells.count, with: cells)
        }
    }

    /// The cells of a rectangle of one row, for `put`.
    package func cells(of line: Rect) -> [Cell] {
        guard clipped(line) == line, line.size.rows == 1 else { return [] }
        return line.size.columns == size.columns ? rows[line.row] : Array(rows[line.row][line.columns])
    }

    /// Makes the cells blank in a style.
    package mutating func fill(_ rect: Rect, style: Style = .plain) {
        let rect = clipped(rect)
        for row in rect.rows {
            for column in rect.columns { rows[row].replace(column, with: .blank(style)) }
        }
    }

    package mutating func fill(rows: Range<Int>, columns: Range<Int>, style: Style = .plain) {
        fill(
            Rect(row: rows.lowerBound, column: columns.lowerBound, rows: rows.count, columns: columns.count),
            style: style)
    }

    /// Gives the cells another look and leaves their text.
    package mutating func restyle(_ rect: Rect, _ change: (inout Style) -> Void) {
        let rect = clipped(rect)
        for row in rect.rows {
            for column in rect.columns { change(&rows[row][column].style) }
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
    /// Writes between two columns, of which the second may come first where all is hidden at the left; returns the
    /// column behind what was written.
    fileprivate mutating func put(
        _ text: some StringProtocol, column: Int, from left: Int, upTo right: Int, style: Style
    ) -> Int {
        var next = column
        if text.isPlain {
            for byte in text.utf8 {
                guard next < right else { break }
                next = set(Glyph.ascii[Int(byte)], at: next, from: left, style: style)
            }
            return next
        }
        for form in DisplayForms(text) {
            guard next + form.columns <= right else { break }
            guard let first = form.first else { continue }
            next = set(first, at: next, from: left, style: style)
            for glyph in form.rest { next = set(glyph, at: next, from: left, style: style) }
        }
        return next
    }

    /// A wide glyph that the left edge cuts shows as a blank. Returns the column behind the glyph.
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

    /// Overwriting one half of a wide glyph leaves a blank in the other.
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
