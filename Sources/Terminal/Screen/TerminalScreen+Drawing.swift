import CTerminal
import Glibc

extension TerminalScreen {
    /// Writes the cells that differ to ncurses, in runs of one style.
    func draw(_ frame: Frame, over old: Frame) {
        for (row, (cells, before)) in zip(frame.rows, old.rows).enumerated() where cells != before {
            cells.withUnsafeBufferPointer { cells in
                before.withUnsafeBufferPointer { before in draw(cells, over: before, row: row) }
            }
        }
    }

    private func draw(_ cells: UnsafeBufferPointer<Cell>, over before: UnsafeBufferPointer<Cell>, row: Int) {
        var scalars: [UInt32] = []
        var column = 0
        while column < cells.count {
            column = Self.firstDifference(cells, before, from: column)
            guard column < cells.count else { return }
            let start = column
            scalars.removeAll(keepingCapacity: true)
            while column < cells.count, cells[column].style == cells[start].style,
                cells[column] != before[column]
            {
                append(cells[column], to: &scalars)
                column += 1
            }
            terminal_put(CInt(row), CInt(start), scalars, CInt(scalars.count), curses(cells[start].style))
        }
    }

    /// Returns the index of the first cell that differs, or the number of cells. Compares memory, since most of
    /// a row is the same: a cell is three integers without padding.
    private static func firstDifference(
        _ cells: UnsafeBufferPointer<Cell>, _ before: UnsafeBufferPointer<Cell>, from start: Int
    ) -> Int {
        var column = start
        while column < cells.count {
            let end = min(column + 16, cells.count)
            let length = (end - column) * MemoryLayout<Cell>.stride
            guard let new = cells.baseAddress, let old = before.baseAddress,
                memcmp(new + column, old + column, length) == 0
            else { return (column..<end).first { cells[$0] != before[$0] } ?? end }
            column = end
        }
        return column
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
