import ClipsCore
import Terminal

/// The lines of one picture of the list. What the next one shows again is copied from it: of a screen that moves by
/// a line, one line is drawn.
struct DrawnLines {
    private struct Drawn {
        let line: ListLine
        let cells: [Cell]
    }

    private let look: ListLook?
    private let highlight: ClipHighlight?
    private var known: [Int64: Drawn] = [:]

    /// Nothing drawn yet.
    init() { (look, highlight) = (nil, nil) }

    init(_ look: ListLook) {
        self.look = look
        highlight = ClipHighlight(look.words)
    }

    /// What may be copied into a picture of a look.
    func alike(_ look: ListLook) -> DrawnLines { self.look == look ? self : DrawnLines() }

    mutating func put(
        _ line: ListLine, at place: Rect, in frame: inout Frame, copying earlier: DrawnLines
    ) {
        guard let look else { return }
        if let drawn = earlier.known[line.clip.id], drawn.line == line,
            drawn.cells.count == place.size.columns
        {
            frame.put(drawn.cells, row: place.row, column: place.column)
            known[line.clip.id] = drawn
            return
        }
        line.draw(look, highlight, at: place, in: &frame)
        known[line.clip.id] = Drawn(line: line, cells: frame.cells(of: place))
    }
}
