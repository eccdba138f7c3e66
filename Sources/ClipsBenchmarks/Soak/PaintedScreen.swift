/// The contents of an xterm after the output of ncurses: each character is one column wide, without colors.
struct PaintedScreen {
    private(set) var rows: [[Unicode.Scalar]]
    private let columns: Int
    private var row = 0
    private var column = 0
    private var scrolled: ClosedRange<Int>
    private var state = State.text
    private var last: Unicode.Scalar = " "
    private var partial: [UInt8] = []

    private enum State {
        case text
        case escape
        /// The byte after ESC ( and similar sequences.
        case oneMore
        case control([UInt8])
        /// Up to BEL or ESC \.
        case string
    }

    init(rows: Int, columns: Int) {
        self.columns = columns
        self.rows = Array(repeating: Array(repeating: " ", count: columns), count: rows)
        scrolled = 0...max(0, rows - 1)
    }

    var lines: [String] {
        rows.map { row in
            var text = String.UnicodeScalarView()
            text.append(contentsOf: row)
            return String(text)
        }
    }

    mutating func write(_ bytes: some Sequence<UInt8>) {
        for byte in bytes { write(byte) }
    }

    private mutating func write(_ byte: UInt8) {
        switch state {
        case .text: appendText(byte)
        case .escape: handleEscape(byte)
        case .oneMore: state = .text
        case .string: if byte == 7 { state = .text } else if byte == 27 { state = .oneMore }
        case .control(var sequence):
            guard (0x40...0x7E).contains(byte) else {
                sequence.append(byte)
                state = .control(sequence)
                return
            }
            state = .text
            execute(byte, sequence)
        }
    }

    private mutating func appendText(_ byte: UInt8) {
        switch byte {
        case 27: state = .escape
        case 8: column = max(0, column - 1)
        case 9: column = min(columns - 1, (column / 8 + 1) * 8)
        case 10: lineFeed()
        case 13: column = 0
        case 0..<32: break
        default:
            partial.append(byte)
            // An unfinished character waits for its last byte.
            guard byte < 0x80 || partial.count == Self.length(partial[0]) else { return }
            for scalar in String(decoding: partial, as: UTF8.self).unicodeScalars { put(scalar) }
            partial = []
        }
    }

    private static func length(_ first: UInt8) -> Int { first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2 }

    private mutating func put(_ scalar: Unicode.Scalar) {
        if column >= columns {
            column = 0
            lineFeed()
        }
        rows[row][column] = scalar
        last = scalar
        column += 1
    }

    private mutating func handleEscape(_ byte: UInt8) {
        state = .text
        switch byte {
        case UInt8(ascii: "["): state = .control([])
        case UInt8(ascii: "]"), UInt8(ascii: "P"): state = .string
        case UInt8(ascii: "("), UInt8(ascii: ")"): state = .oneMore
        case UInt8(ascii: "M"):
            if row == scrolled.lowerBound { scroll(by: -1) } else { row = max(0, row - 1) }
        default: break
        }
    }

    private mutating func lineFeed() {
        if row == scrolled.upperBound { scroll(by: 1) } else { row = min(rows.count - 1, row + 1) }
    }

    /// Executes a sequence of ctlseqs (invisible-island.net/xterm/ctlseqs); ignores those for styles and
    /// modes.
    private mutating func execute(_ final: UInt8, _ sequence: [UInt8]) {
        guard sequence.first.map({ (0x30...0x3B).contains($0) }) ?? true else { return }
        let numbers = sequence.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false).map {
            Int(String(decoding: $0, as: UTF8.self)) ?? 0
        }
        func number(_ index: Int = 0) -> Int { index < numbers.count ? max(1, numbers[index]) : 1 }
        let mode = numbers.first ?? 0
        switch final {
        case UInt8(ascii: "H"): (row, column) = (number() - 1, number(1) - 1)
        case UInt8(ascii: "d"): row = number() - 1
        case UInt8(ascii: "G"): column = number() - 1
        case UInt8(ascii: "A"): row -= number()
        case UInt8(ascii: "B"): row += number()
        case UInt8(ascii: "C"): column = min(column, columns - 1) + number()
        case UInt8(ascii: "D"): column -= number()
        case UInt8(ascii: "J"): erase(mode)
        case UInt8(ascii: "K"): eraseLine(mode)
        case UInt8(ascii: "X"): blank(row, column..<min(columns, column + number()))
        case UInt8(ascii: "b"): for _ in 0..<number() { put(last) }
        case UInt8(ascii: "L") where scrolled.contains(row): scroll(by: -number(), from: row)
        case UInt8(ascii: "M") where scrolled.contains(row): scroll(by: number(), from: row)
        case UInt8(ascii: "S"): scroll(by: number())
        case UInt8(ascii: "T"): scroll(by: -number())
        case UInt8(ascii: "P"): shift(by: -number())
        case UInt8(ascii: "@"): shift(by: number())
        case UInt8(ascii: "r"):
            let bottom = numbers.count > 1 ? number(1) : rows.count
            scrolled = min(number() - 1, rows.count - 1)...max(0, min(bottom, rows.count) - 1)
            (row, column) = (0, 0)
        default: break
        }
        row = max(0, min(row, rows.count - 1))
        column = max(0, min(column, columns))
    }

    private mutating func blank(_ row: Int, _ range: Range<Int>) {
        for column in range { rows[row][column] = " " }
    }

    private mutating func eraseLine(_ mode: Int) {
        let column = min(column, columns - 1)
        blank(row, mode == 0 ? column..<columns : mode == 1 ? 0..<column + 1 : 0..<columns)
    }

    private mutating func erase(_ mode: Int) {
        if mode < 2 { eraseLine(mode) }
        let others = mode == 0 ? row + 1..<rows.count : mode == 1 ? 0..<row : 0..<rows.count
        for row in others { blank(row, 0..<columns) }
    }

    private mutating func scroll(by distance: Int, from first: Int? = nil) {
        let region = (first ?? scrolled.lowerBound)...scrolled.upperBound
        let old = rows
        for row in region {
            let source = row + distance
            rows[row] = region.contains(source) ? old[source] : Array(repeating: " ", count: columns)
        }
    }

    /// Moves the rest of the line after the cursor.
    private mutating func shift(by distance: Int) {
        let old = rows[row]
        for position in min(column, columns)..<columns {
            let source = position - distance
            rows[row][position] = source >= column && source < columns ? old[source] : " "
        }
    }
}
