/// The contents of an xterm after a complete redraw by ncurses: each character is one column wide, without
/// styles and scrolling.
struct PaintedScreen {
    private var rows: [[Unicode.Scalar]]
    private let columns: Int
    private var (row, column) = (0, 0)
    private var last: Unicode.Scalar = " "

    var lines: [String] { rows.map { String(String.UnicodeScalarView($0)) } }

    init(_ output: String, rows: Int, columns: Int) {
        self.columns = columns
        self.rows = Array(repeating: Array(repeating: " ", count: columns), count: rows)
        var rest = output.unicodeScalars[...]
        while let scalar = rest.popFirst() {
            switch scalar {
            case "\u{1b}": execute(&rest)
            case "\u{8}": column = max(0, column - 1)
            case "\t": column = min(columns - 1, (column / 8 + 1) * 8)
            case "\n": row = min(rows - 1, row + 1)
            case "\r": column = 0
            default: if scalar >= " " { put(scalar) }
            }
        }
    }

    private mutating func put(_ scalar: Unicode.Scalar) {
        if column >= columns { (row, column) = (min(rows.count - 1, row + 1), 0) }
        rows[row][column] = scalar
        last = scalar
        column += 1
    }

    /// Executes a sequence of ctlseqs (invisible-island.net/xterm/ctlseqs); ignores those for styles and
    /// modes.
    private mutating func execute(_ rest: inout Substring.UnicodeScalarView) {
        let kind = rest.popFirst()
        if kind == "(" || kind == ")" { rest.removeFirst(min(1, rest.count)) }
        guard kind == "[" else { return }
        let sequence = rest.prefix { !("@"..."~").contains($0) }
        rest = rest.dropFirst(sequence.count)
        guard let final = rest.popFirst(), sequence.allSatisfy({ ("0"...";").contains($0) }) else { return }
        let numbers = String(sequence).split(separator: ";", omittingEmptySubsequences: false).map { Int($0) }
        let mode = numbers.first.flatMap { $0 } ?? 0
        let first = max(1, mode)
        switch final {
        case "H": (row, column) = (first - 1, max(1, numbers.dropFirst().first.flatMap { $0 } ?? 1) - 1)
        case "d": row = first - 1
        case "G": column = first - 1
        case "A": row -= first
        case "B": row += first
        case "C": column = min(column, columns - 1) + first
        case "D": column -= first
        case "J":
            if mode == 0 { blank(row, column..<columns) }
            for row in (mode == 0 ? row + 1 : 0)..<rows.count { blank(row, 0..<columns) }
        case "K": blank(row, mode == 1 ? 0..<column + 1 : column..<columns)
        case "X": blank(row, column..<column + first)
        case "b": for _ in 0..<first { put(last) }
        default: break
        }
        row = max(0, min(row, rows.count - 1))
        column = max(0, min(column, columns))
    }

    private mutating func blank(_ row: Int, _ range: Range<Int>) {
        for column in range.clamped(to: 0..<columns) { rows[row][column] = " " }
    }
}
