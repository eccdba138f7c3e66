import ClipsCore
import FoundationEssentials
import Terminal

/// The drawn lines of the list, from the first row on, which the next frame retains where they are unchanged.
struct DrawnLines {
    /// A line of the list.
    private struct Drawn {
        let line: ListLine
        /// The time in which its age is right.
        let period: (start: Date, end: Date)
        /// The cells before the selection is shown.
        let cells: [Cell]
        let isSelected: Bool
    }

    private let look: ListLook?
    private let highlight: ClipHighlight?
    private var known: [Drawn?] = []

    /// Creates an empty value.
    init() { (look, highlight) = (nil, nil) }

    init(_ look: ListLook) {
        self.look = look
        highlight = ClipHighlight(look.words)
    }

    /// Returns the lines that a frame with this look may copy.
    func reusable(in look: ListLook) -> DrawnLines { self.look == look ? self : DrawnLines() }

    /// Leaves a row without a line of the list.
    mutating func skip() { known.append(nil) }

    /// Moves the lines to the rows that they have in the next frame, if the others before and after them remain in
    /// theirs. Returns that move.
    mutating func move(to next: [ListLine?], in area: Rect) -> Scroll? {
        guard !known.isEmpty else { return nil }
        known += Array(repeating: nil, count: max(0, next.count - known.count))
        let (old, new) = (known.map { $0?.line.clip.id }, next.map { $0?.clip.id })
        guard let first = new.indices.first(where: { old[$0] != new[$0] }),
            let last = new.indices.last(where: { old[$0] != new[$0] }),
            let count = (first...last).lazy.compactMap({ row -> Int? in
                if old[first] != nil, old[first] == new[row] { return row - first }
                return new[first] != nil && old[row] == new[first] ? first - row : nil
            }).first
        else { return nil }
        let moved = known
        for row in first...last {
            known[row] = (first...last).contains(row - count) ? moved[row - count] : nil
        }
        return Scroll(
            Rect(
                row: area.row + first, column: area.column, rows: last - first + 1,
                columns: area.size.columns), by: count)
    }

    /// Draws the line of the next row.
    ///
    /// - Parameter isReused: Whether the frame contains the earlier lines.
    mutating func put(
        _ line: ListLine, isSelected: Bool, at rect: Rect, now: Date, in frame: inout Frame,
        copying earlier: DrawnLines, isReused: Bool
    ) {
        guard let look else { return }
        let row = known.count
        guard earlier.known.indices.contains(row), let drawn = earlier.known[row], drawn.line == line,
            drawn.cells.count == rect.size.columns
        else {
            if isReused { frame.fill(rect) }
            line.draw(look, highlight, at: rect, in: &frame)
            return drawAge(line, isSelected, at: rect, now, in: &frame, look)
        }
        if !isReused || isSelected || drawn.isSelected {
            frame.put(drawn.cells, row: rect.row, column: rect.column)
        }
        guard drawn.period.start <= now, now < drawn.period.end else {
            frame.put(drawn.cells, row: rect.row, column: rect.column)
            return drawAge(line, isSelected, at: rect, now, in: &frame, look)
        }
        known.append(Drawn(line: line, period: drawn.period, cells: drawn.cells, isSelected: isSelected))
    }

    private mutating func drawAge(
        _ line: ListLine, _ isSelected: Bool, at rect: Rect, _ now: Date, in frame: inout Frame,
        _ look: ListLook
    ) {
        let created = line.clip.created
        look.drawAge(Age(of: created, at: now).text, at: rect, in: &frame)
        known.append(
            Drawn(
                line: line, period: Age.period(of: created, at: now), cells: frame.cells(of: rect),
                isSelected: isSelected))
    }
}
