/// A screen as a value: what every cell shows and where the cursor stands.
///
/// Drawing takes any text and any coordinates; what lies outside is left out.
package struct Frame: Hashable, Sendable {
    package let size: Size
    /// Where the hardware cursor is put, so that screen readers and braille lines follow; hidden when nil.
    package var cursor: Position?
    private(set) var cells: [Cell]

    package init(size: Size) {
        self.size = size
        cells = Array(repeating: .blank(.plain), count: size.rows * size.columns)
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
        var next = column
        let text = text.beginning(for: end.addingClamped(hidden))
        if text.isPlain {
            for byte in text.utf8 {
                guard next < end else { break }
                next = set(
                    Glyph.ascii[Int(byte)], row: row, column: next, from: clip.columns.lowerBound,
                    style: style)
            }
            return next - column
        }
        for form in DisplayForms(text) {
            guard next + form.columns <= end else { break }
            guard let first = form.first else { continue }
            next = set(first, row: row, column: next, from: clip.columns.lowerBound, style: style)
            for glyph in form.rest {
                next = set(glyph, row: row, column: next, from: clip.columns.lowerBound, style: style)
            }
        }
        return next - column
    }

    /// Makes the cells blank in a style.
    package mutating func fill(_ rect: Rect, style: Style = .plain) {
        forEachIndex(in: rect) { frame, index in frame.replace(index, with: .blank(style)) }
    }

    package mutating func fill(rows: Range<Int>, columns: Range<Int>, style: Style = .plain) {
        fill(
            Rect(row: rows.lowerBound, column: columns.lowerBound, rows: rows.count, columns: columns.count),
            style: style)
    }

    /// Gives the cells another look and leaves their text.
    package mutating func restyle(_ rect: Rect, _ change: (inout Style) -> Void) {
        forEachIndex(in: rect) { frame, index in change(&frame.cells[index].style) }
    }

    private mutating func forEachIndex(in rect: Rect, _ body: (inout Frame, Int) -> Void) {
        let rect = clipped(rect)
        for row in rect.rows {
            for column in rect.columns { body(&self, row * size.columns + column) }
        }
    }

    private func clipped(_ rect: Rect) -> Rect {
        let rows = rect.rows.clamped(to: bounds.rows)
        let columns = rect.columns.clamped(to: bounds.columns)
        return Rect(
            row: rows.lowerBound, column: columns.lowerBound, rows: rows.count, columns: columns.count)
    }

    /// A wide glyph that the left edge cuts shows as a blank. Returns the column behind the glyph.
    private mutating func set(
        _ glyph: Glyph, row: Int, column: Int, from left: Int, style: Style
    ) -> Int {
        let end = column + Int(glyph.columns)
        let start = row * size.columns
        if column >= left {
            replace(start + column, with: Cell(glyph, style: style))
            if glyph.columns == 2 { replaceRightHalf(start + column + 1, style: style) }
        } else if end > left {
            replace(start + left, with: .blank(style))
        }
        return end
    }

    /// Overwriting one half of a wide glyph leaves a blank in the other.
    private mutating func replace(_ index: Int, with cell: Cell) {
        let old = cells[index].columns
        if old == 0, index > 0 { cells[index - 1] = .blank(cells[index - 1].style) }
        if old == 2, index + 1 < cells.count { cells[index + 1] = .blank(cells[index + 1].style) }
        cells[index] = cell
    }

    private mutating func replaceRightHalf(_ index: Int, style: Style) {
        if cells[index].columns == 2 { cells[index + 1] = .blank(cells[index + 1].style) }
        cells[index] = .rightHalf(style)
    }
}
