import ClipsCore
import Terminal

/// The drawn lines of the list, from the first row on, which the next frame copies where they are unchanged.
struct DrawnLines {
    /// A line of the list: the cells before the selection is shown.
    private struct Drawn {
        let line: ListLine
        let age: String
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

    /// Draws the line of the next row.
    ///
    /// - Parameters:
    ///   - next: The index among the earlier lines at which this one is expected, updated for the next row.
    ///   - isReused: Whether the frame contains the earlier lines.
    mutating func put(
        _ line: ListLine, age: String, isSelected: Bool, at rect: Rect, in frame: inout Frame,
        copying earlier: DrawnLines, expected next: inout Int, isReused: Bool
    ) {
        guard let look else { return }
        let row = known.count
        guard let index = earlier.index(of: line, near: next), let drawn = earlier.known[index],
            drawn.cells.count == rect.size.columns
        else {
            if isReused { frame.fill(rect) }
            line.draw(look, highlight, at: rect, in: &frame)
            return finish(line, age, isSelected, at: rect, in: &frame, look)
        }
        next = index + 1
        guard drawn.age == age else {
            frame.put(drawn.cells, row: rect.row, column: rect.column)
            return finish(line, age, isSelected, at: rect, in: &frame, look)
        }
        if !isReused || index != row || isSelected || drawn.isSelected {
            frame.put(drawn.cells, row: rect.row, column: rect.column)
        }
        known.append(Drawn(line: line, age: age, cells: drawn.cells, isSelected: isSelected))
    }

    private mutating func finish(
        _ line: ListLine, _ age: String, _ isSelected: Bool, at rect: Rect, in frame: inout Frame,
        _ look: ListLook
    ) {
        look.drawAge(age, at: rect, in: &frame)
        known.append(Drawn(line: line, age: age, cells: frame.cells(of: rect), isSelected: isSelected))
    }

    private func index(of line: ListLine, near expected: Int) -> Int? {
        if known.indices.contains(expected), known[expected]?.line == line { return expected }
        return known.firstIndex { $0?.line.clip.id == line.clip.id && $0?.line == line }
    }
}
