/// A part of a frame that clips drawing. It may extend beyond the frame.
package struct Rect: Hashable, Sendable {
    package var row: Int
    package var column: Int
    package var size: Size

    package init(row: Int, column: Int, rows: Int, columns: Int) {
        self.row = row
        self.column = column
        size = Size(rows: rows, columns: columns)
    }

    package init(_ size: Size) {
        self.init(row: 0, column: 0, rows: size.rows, columns: size.columns)
    }

    package var rows: Range<Int> { row..<row.addingClamped(size.rows) }
    package var columns: Range<Int> { column..<column.addingClamped(size.columns) }

    package func contains(_ position: Position) -> Bool {
        rows.contains(position.row) && columns.contains(position.column)
    }
}

extension Int {
    /// Returns the sum, clamped to the limits of `Int`: untrusted coordinates must not trap.
    func addingClamped(_ other: Int) -> Int {
        let (sum, overflow) = addingReportingOverflow(other)
        guard overflow else { return sum }
        return other < 0 ? .min : .max
    }
}
