import ClipsCore
import Terminal

/// The drawn lines of the list, which the next frame copies where they are unchanged.
struct DrawnLines {
    private struct Drawn {
        let line: ListLine
        let cells: [Cell]
    }

    private let look: ListLook?
    private let highlight: ClipHighlight?
    private var known: [Int64: Drawn] = [:]

    /// Creates an empty value.
    init() { (look, highlight) = (nil, nil) }

    init(_ look: ListLook) {
        self.look = look
        highlight = ClipHighlight(look.words)
    }

    /// Returns the lines that a frame with this look may copy.
    func reusable(in look: ListLook) -> DrawnLines { self.look == look ? self : DrawnLines() }

    mutating func put(
        _ line: ListLine, at rect: Rect, in frame: inout Frame, copying earlier: DrawnLines
    ) {
        guard let look else { return }
        if let drawn = earlier.known[line.clip.id], drawn.line == line,
            drawn.cells.count == rect.size.columns
        {
            frame.put(drawn.cells, row: rect.row, column: rect.column)
            known[line.clip.id] = drawn
            return
        }
        line.draw(look, highlight, at: rect, in: &frame)
        known[line.clip.id] = Drawn(line: line, cells: frame.cells(of: rect))
    }
}
