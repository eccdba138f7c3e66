import CTerminal
import Glibc

extension TerminalScreen {
    /// Writes the cells that differ to ncurses, in runs of one style.
    func draw(_ frame: Frame, over old: Frame, after scroll: Scroll?) {
        let scroll = scroll.flatMap { old.admits($0) && Self.repeats($0) ? $0 : nil }
        for row in frame.bounds.rows {
            guard let scroll, scroll.rect.rows.contains(row) else {
                guard frame.rows[row] != old.rows[row] else { continue }
                draw(frame.rows[row], over: old.rows[row], row: row, frame.bounds.columns)
                continue
            }
            let moved = scroll.rect.columns
            draw(frame.rows[row], over: old.rows[row], row: row, 0..<moved.lowerBound)
            let source = scroll.source(of: row).map { old.rows[$0] }
            draw(frame.rows[row], over: source ?? Self.blank(frame.size), row: row, moved)
            draw(frame.rows[row], over: old.rows[row], row: row, moved.upperBound..<frame.size.columns)
        }
    }

    private static func blank(_ size: Size) -> [Cell] {
        Array(repeating: .blank(.plain), count: size.columns)
    }

    /// Moves cells in the memory of ncurses, and returns whether that succeeded.
    private static func repeats(_ scroll: Scroll) -> Bool {
        let (rect, size) = (scroll.rect, scroll.rect.size)
        return terminal_scroll(
            CInt(rect.row), CInt(rect.column), CInt(size.rows), CInt(size.columns), CInt(scroll.count)) == 1
    }

    private func draw(_ cells: [Cell], over before: [Cell], row: Int, _ columns: Range<Int>) {
        cells.withUnsafeBufferPointer { cells in
            before.withUnsafeBufferPointer { before in draw(cells, over: before, row: row, columns) }
        }
    }

    private func draw(
        _ cells: UnsafeBufferPointer<Cell>, over before: UnsafeBufferPointer<Cell>, row: Int,
        _ columns: Range<Int>
    ) {
        var scalars: [UInt32] = []
        // Nearly always enough: a cell has a letter and a 0.
        scalars.reserveCapacity(2 * columns.count)
        var column = columns.lowerBound
        while column < columns.upperBound {
            column = Self.firstDifference(cells, before, column..<columns.upperBound)
            guard column < columns.upperBound else { return }
            let start = column
            scalars.removeAll(keepingCapacity: true)
            while column < columns.upperBound, cells[column].style == cells[start].style,
                cells[column] != before[column]
            {
                append(cells[column], to: &scalars)
                column += 1
            }
            terminal_put(CInt(row), CInt(start), scalars, CInt(scalars.count), curses(cells[start].style))
        }
    }

    /// Returns the first column whose cells differ, or the end. Compares memory, since most of a row is the same:
    /// a cell is three integers without padding.
    private static func firstDifference(
        _ cells: UnsafeBufferPointer<Cell>, _ before: UnsafeBufferPointer<Cell>, _ columns: Range<Int>
    ) -> Int {
        guard let new = cells.baseAddress, let old = before.baseAddress else { return columns.upperBound }
        func isSame(_ part: Range<Int>) -> Bool {
            memcmp(
                new + part.lowerBound, old + part.lowerBound, part.count * MemoryLayout<Cell>.stride) == 0
        }
        var rest = columns
        while !rest.isEmpty, !isSame(rest) {
            let part = rest.prefix(16)
            if !isSame(part) { return part.first { cells[$0] != before[$0] } ?? part.upperBound }
            rest = part.upperBound..<rest.upperBound
        }
        return columns.upperBound
    }

    /// Appends the scalars of a cell. A right half has none: the glyph before it fills both columns.
    private func append(_ cell: Cell, to scalars: inout [UInt32]) {
        guard cell.columns > 0 else { return }
        cell.glyph.forEachScalar { scalars.append($0) }
        scalars.append(0)
    }

    private func curses(_ style: Style) -> terminal_style {
        let style = colors.adapted(style)
        return terminal_style(
            attributes: style.attributes.rawValue, foreground: style.foreground.curses,
            background: style.background.curses)
    }

    /// Returns the terminal's contents as known to ncurses, read cell by cell.
    package func snapshot() -> Frame {
        let size = shown?.size ?? pinnedSize
        var frame = Frame(size: size)
        for row in 0..<size.rows {
            var column = 0
            while column < size.columns {
                var style = terminal_style()
                var scalars: [UInt32] = Array(repeating: 0, count: 6)
                let count = Int(terminal_get(CInt(row), CInt(column), &scalars, &style))
                var text = String.UnicodeScalarView()
                text.append(contentsOf: scalars.prefix(count).compactMap { Unicode.Scalar($0) })
                let columns = frame.put(String(text), row: row, column: column, style: Style(style))
                column += max(1, columns)
            }
        }
        var row: CInt = 0
        var column: CInt = 0
        var isVisible: CInt = 0
        terminal_get_cursor(&row, &column, &isVisible)
        if isVisible == 1 { frame.cursor = Position(row: Int(row), column: Int(column)) }
        return frame
    }
}

extension Color {
    fileprivate var curses: Int32 {
        switch self {
        case .standard: -1
        case .indexed(let index): Int32(index)
        case .rgb(let value): TERMINAL_RGB | Int32(bitPattern: value & 0xFFFFFF)
        }
    }

    fileprivate init(curses: Int32) {
        self =
            UInt8(exactly: curses).map { .indexed($0) }
            ?? (curses < 0 ? .standard : .rgb(UInt32(bitPattern: curses & 0xFFFFFF)))
    }
}

extension Style {
    fileprivate init(_ style: terminal_style) {
        self.init(
            foreground: Color(curses: style.foreground), background: Color(curses: style.background),
            attributes: Attributes(rawValue: style.attributes))
    }
}
