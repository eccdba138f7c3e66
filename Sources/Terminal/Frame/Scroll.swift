/// A move of whole lines: the cells of a rectangle, to other rows of it.
package struct Scroll: Hashable, Sendable {
    package let rect: Rect
    /// How many rows the cells move down; negative for up.
    package let count: Int

    package init(_ rect: Rect, by count: Int) {
        self.rect = rect
        self.count = count
    }

    /// Returns the row whose cells a row of the rectangle gets; nil for a row that becomes free.
    func source(of row: Int) -> Int? {
        let source = row.addingClamped(-count)
        return rect.rows.contains(source) ? source : nil
    }
}

extension Frame {
    /// Moves cells. The rows that become free retain theirs, which the caller replaces.
    package mutating func apply(_ scroll: Scroll) {
        guard admits(scroll) else { return }
        let columns = scroll.rect.columns
        for row in scroll.count > 0 ? Array(scroll.rect.rows.reversed()) : Array(scroll.rect.rows) {
            guard let source = scroll.source(of: row) else { continue }
            let cells = rows[source]
            rows[row].withUnsafeMutableBufferPointer { target in
                cells.withUnsafeBufferPointer { cells in
                    _ = target[columns].update(fromContentsOf: cells[columns])
                }
            }
        }
    }

    /// Whether a move is inside the frame and cuts no wide glyph.
    func admits(_ scroll: Scroll) -> Bool {
        let (rect, columns) = (scroll.rect, scroll.rect.columns)
        guard scroll.count != 0, scroll.count.magnitude < rect.size.rows, !columns.isEmpty,
            rect.rows.clamped(to: bounds.rows) == rect.rows, columns.clamped(to: bounds.columns) == columns
        else { return false }
        let edges = [columns.lowerBound, columns.upperBound].filter { $0 < size.columns }
        return rect.rows.allSatisfy { row in edges.allSatisfy { rows[row][$0].columns > 0 } }
    }
}
