import SearchIndex
import Terminal

/// A table of Markdown: the cells of a header, a line with dashes, and rows.
struct TextTable {
    private enum Alignment { case left, center, right }

    /// The cells of the header and of the rows, without spaces around them; none if there are too many.
    private let rows: [[Range<Int>]]
    private let alignments: [Alignment]
    let range: Range<Int>
    /// The indent, and the marks of quotes and items, before the header.
    private let first: Range<Int>
    /// The beginning of each further line.
    private let newline: String

    private static let maxRows = 2000
    private static let maxColumns = 64
    /// The narrowest column of a cell that continues in further lines.
    private static let minWidth = 8
    private static let newline = UInt8(ascii: "\n")
    private static let bar = UInt8(ascii: "|")

    /// - Parameters:
    ///   - header: The line of the header, which contains a bar.
    ///   - limit: The index before which the table ends.
    /// - Returns: nil if no line with dashes follows.
    init?(_ bytes: [UInt8], header: ArraySlice<UInt8>, limit: Int?) {
        let limit = min(limit ?? bytes.count, bytes.count)
        func line(after end: Int) -> ArraySlice<UInt8> {
            bytes[min(end + 1, limit)..<limit].prefix { $0 != Self.newline }
        }
        let dashes = line(after: header.endIndex)
        guard dashes.contains(Self.bar) else { return nil }
        // Only below the content of an item is a line its continuation.
        let under = LineMarks(dashes, maxItems: 0)
        var marks = LineMarks(header)
        if marks.hasItem, under.content - dashes.startIndex < marks.content - header.startIndex {
            marks = LineMarks(header, maxItems: 0)
        }
        guard under.quotes == marks.quotes, header[marks.content...].contains(Self.bar),
            let alignments = Self.alignments(bytes, dashes[under.content...])
        else { return nil }
        func row(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
            let own = LineMarks(line, maxQuotes: marks.quotes, maxItems: 0)
            let content = line[own.content...]
            guard own.quotes == marks.quotes, LineMarks.item(content) == 0,
                content.contains(where: { $0 > 0x20 }), !"#>".utf8.contains(content.first ?? 0)
            else { return nil }
            return content
        }
        var (rows, count) = ([Self.cells(bytes, header[marks.content...])], 1)
        var end = dashes.endIndex
        while end + 1 < limit, let next = row(line(after: end)) {
            // A page is saved without bars after the last word of a row.
            guard next.contains(Self.bar) || row(line(after: next.endIndex))?.contains(Self.bar) == true
            else { break }
            if count < Self.maxRows { rows.append(Self.cells(bytes, next)) }
            count += 1
            end = next.endIndex
        }
        let columns = rows.map(\.count).max() ?? 0
        range = header.startIndex..<end
        first = header.startIndex..<marks.content
        let prefix = header[..<marks.content].map { $0 == UInt8(ascii: ">") ? $0 : 0x20 }
        newline = "\n" + String(decoding: prefix, as: UTF8.self)
        self.rows = count <= Self.maxRows ? rows : []
        self.alignments = alignments + Array(repeating: .left, count: max(0, columns - alignments.count))
    }

    /// Returns the alignments of a line such as `|---|--:|`; nil for another line.
    private static func alignments(_ bytes: [UInt8], _ line: ArraySlice<UInt8>) -> [Alignment]? {
        var alignments: [Alignment] = []
        for cell in cells(bytes, line).map({ bytes[$0] }) {
            let dashes = cell.drop { $0 == colon }.prefix { $0 == UInt8(ascii: "-") }
            let (before, after) = (dashes.startIndex - cell.startIndex, cell.endIndex - dashes.endIndex)
            guard !dashes.isEmpty, before <= 1, after <= 1, cell.last == colon || after == 0 else {
                return nil
            }
            alignments.append(after == 0 ? .left : before == 0 ? .right : .center)
        }
        return alignments
    }

    private static let colon = UInt8(ascii: ":")

    /// Returns the cells of a line, between bars without a backslash.
    private static func cells(_ bytes: [UInt8], _ line: ArraySlice<UInt8>) -> [Range<Int>] {
        func trimmed(_ range: Range<Int>) -> Range<Int> {
            let start = bytes[range].firstIndex { $0 > 0x20 } ?? range.upperBound
            let end = bytes[range].lastIndex { $0 > 0x20 }.map { $0 + 1 } ?? start
            return start..<end
        }
        var line = trimmed(line.startIndex..<line.endIndex)
        func isBar(_ index: Int) -> Bool {
            bytes[index] == bar && (index == line.lowerBound || bytes[index - 1] != UInt8(ascii: "\\"))
        }
        if line.count > 1, isBar(line.upperBound - 1) { line = line.lowerBound..<line.upperBound - 1 }
        if !line.isEmpty, isBar(line.lowerBound) { line = line.lowerBound + 1..<line.upperBound }
        var (cells, start) = ([Range<Int>](), line.lowerBound)
        for index in line where isBar(index) {
            cells.append(trimmed(start..<index))
            start = index + 1
        }
        return cells + [trimmed(start..<line.upperBound)]
    }
}

/// Drawing.
extension TextTable {
    /// A cell without its marks.
    fileprivate struct Cell {
        /// The ranges of the source that are shown.
        let parts: [Range<Int>]
        let text: String
        let columns: Int
        let spans: [ShownText.Mark]
        /// Its lines, by their bytes.
        var lines: [(range: Range<Int>, columns: Int)]
    }

    /// Adds the aligned table, or one that is too wide as lines with a heading and a cell each.
    ///
    /// - Parameters:
    ///   - width: The columns of the pane.
    ///   - left: The number of bytes that may be added between cells.
    /// - Returns: The looks of words, and the wrapped cells; nil if the table is too large, or a cell has controls.
    func draw(
        _ bytes: [UInt8], _ code: [TextCode], width: Int, left: inout Int, in shown: inout ShownParts
    ) -> (looks: [ShownText.Mark], cells: [ShownText.CellPart])? {
        guard !rows.isEmpty, var cells = drawnCells(bytes, code) else { return nil }
        guard let widths = widths(of: cells, fitting: width - first.count) else {
            return drawRecords(cells, left: &left, in: &shown)
        }
        for row in cells.indices {
            for column in cells[row].indices { cells[row][column].wrap(to: widths[column]) }
        }
        let lines = cells.reduce(1) { $0 + ($1.map(\.lines.count).max() ?? 0) }
        let size = lines * widths.reduce(newline.utf8.count) { $0 + $1 + 5 }
        guard size <= left else { return nil }
        left -= size
        shown.copy(first)
        var parts: [ShownText.CellPart] = []
        for (index, row) in cells.enumerated() {
            if index == 0, hasEmptyHeader { continue }
            if index > (hasEmptyHeader ? 1 : 0) { shown.insert(newline) }
            parts += draw(row, widths, in: &shown)
            guard index == 0 else { continue }
            shown.insert(newline + widths.map { String(repeating: "─", count: $0) }.joined(separator: "─┼─"))
        }
        return (cells.flatMap { $0.flatMap(\.spans) }, parts)
    }

    /// Whether the table has no headings.
    private var hasEmptyHeader: Bool { rows.count > 1 && rows[0].allSatisfy(\.isEmpty) }

    /// Adds each row as lines with a heading and a cell.
    private func drawRecords(
        _ cells: [[Cell]], left: inout Int, in shown: inout ShownParts
    ) -> (looks: [ShownText.Mark], cells: [ShownText.CellPart])? {
        let added = newline.utf8.count + 2
        func size(_ cells: [Cell]) -> Int { cells.reduce(0) { $0 + $1.text.utf8.count + added } }
        let size = cells.count * size(cells[0]) + cells.reduce(0) { $0 + size($1) }
        guard size <= left else { return nil }
        left -= size
        shown.copy(first)
        var isFirst = true
        for (index, row) in (cells.count > 1 ? cells.dropFirst() : cells[...]).enumerated() {
            if index > 0 { shown.insert(newline) }
            for (column, cell) in row.enumerated() where !cell.text.isEmpty {
                if !isFirst { shown.insert(newline) }
                isFirst = false
                if cells.count > 1, column < cells[0].count, !cells[0][column].text.isEmpty {
                    cells[0][column].copyAll(to: &shown, isLabel: index > 0)
                    shown.insert(": ")
                }
                cell.copyAll(to: &shown)
            }
        }
        return (cells.flatMap { $0.flatMap(\.spans) }, [])
    }

    private func drawnCells(_ bytes: [UInt8], _ code: [TextCode]) -> [[Cell]]? {
        var rows: [[Cell]] = []
        for (index, row) in self.rows.enumerated() {
            var cells: [Cell] = []
            for range in row {
                let base: Style.Attributes = index == 0 ? .bold : []
                guard let cell = Cell(bytes, range, code, base) else { return nil }
                cells.append(cell)
            }
            rows.append(cells)
        }
        return rows
    }

    /// Returns the widths of the columns, of which the widest ones are cut to the same width if needed.
    private func widths(of cells: [[Cell]], fitting width: Int) -> [Int]? {
        var widths = alignments.map { _ in 1 }
        for row in cells {
            for (column, cell) in row.enumerated() { widths[column] = max(widths[column], cell.columns) }
        }
        let room = width - 3 * (widths.count - 1)
        guard widths.count <= Self.maxColumns else { return nil }
        guard widths.reduce(0, +) > room else { return widths }
        var (left, count) = (room, widths.count)
        for width in widths.sorted() where width * count <= left { (left, count) = (left - width, count - 1) }
        guard count > 0, left / count >= Self.minWidth else { return nil }
        var extra = left % count
        return widths.map { width in
            guard width > left / count else { return width }
            defer { extra -= 1 }
            return left / count + (extra > 0 ? 1 : 0)
        }
    }

    /// Adds a row, and returns the lines of its wrapped cells.
    private func draw(
        _ cells: [Cell], _ widths: [Int], in shown: inout ShownParts
    ) -> [ShownText.CellPart] {
        var parts: [ShownText.CellPart] = []
        for line in 0..<(cells.map(\.lines.count).max() ?? 0) {
            if line > 0 { shown.insert(newline) }
            // Spaces at the end of a line are omitted.
            var spaces = 0
            for (column, width) in widths.enumerated() {
                if column > 0 {
                    shown.insertSpaces(spaces)
                    shown.insert(" │")
                    spaces = 1
                }
                guard column < cells.count, line < cells[column].lines.count else {
                    spaces += width
                    continue
                }
                let part = cells[column].lines[line]
                let room = max(0, width - part.columns)
                let before =
                    switch alignments[column] {
                    case .left: 0
                    case .center: room / 2
                    case .right: room
                    }
                shown.insertSpaces(part.range.isEmpty ? 0 : spaces + before)
                if cells[column].lines.count > 1 {
                    parts.append(
                        ShownText.CellPart(
                            text: cells[column].text, range: part.range, offset: shown.bytes.count))
                }
                cells[column].copy(part.range, to: &shown)
                spaces = part.range.isEmpty ? spaces + width : room - before
            }
        }
        return parts
    }
}

extension TextTable.Cell {
    /// - Returns: nil if the cell has controls or line ends, which are replaced on the screen.
    fileprivate init?(_ bytes: [UInt8], _ range: Range<Int>, _ code: [TextCode], _ base: Style.Attributes) {
        let marks = InlineMarks(in: bytes, range, code: code, base: base, isCell: true)
        parts = ShownParts.ranges(of: range, without: marks.omitted)
        text = String(decoding: parts.flatMap { bytes[$0] }, as: UTF8.self)
        guard !text.unicodeScalars.contains(where: Self.isControl) else { return nil }
        columns = DisplayWidth.columns(of: text)
        spans = marks.spans
        lines = [(0..<text.utf8.count, columns)]
    }

    fileprivate mutating func wrap(to width: Int) {
        guard columns > width else { return }
        var wrapped = WrappedText(text, width: width)
        let bytes = Array(text.utf8)
        let starts = (0..<wrapped.count(upTo: .max)).map { wrapped.offset(ofLine: $0) }
        lines = zip(starts, starts.dropFirst() + [bytes.count]).map { start, next in
            let end = bytes[start..<next].lastIndex { $0 != 0x20 }.map { $0 + 1 } ?? start
            let line = String(decoding: bytes[start..<end], as: UTF8.self)
            return (start..<end, DisplayWidth.columns(of: line))
        }
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.generalCategory == .control || scalar == "\u{2028}" || scalar == "\u{2029}"
    }

    fileprivate func copyAll(to shown: inout ShownParts, isLabel: Bool = false) {
        copy(0..<text.utf8.count, to: &shown, isLabel: isLabel)
    }

    /// Copies a part of the cell, by its bytes.
    fileprivate func copy(_ range: Range<Int>, to shown: inout ShownParts, isLabel: Bool = false) {
        var start = 0
        for part in parts {
            let common = range.clamped(to: start..<start + part.count)
            let offset = part.lowerBound - start
            shown.copy(common.lowerBound + offset..<common.upperBound + offset, isLabel: isLabel)
            start += part.count
        }
    }
}
