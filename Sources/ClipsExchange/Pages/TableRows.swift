/// The cells of a table of data, whose rows are lines: `a | b`, with dashes below the header.
struct TableRows {
    private let columns: Int
    /// Whether the first row with text is the header. A table without one has an empty header.
    private let isFirstHeader: Bool
    private var grid = Grid()
    private var current = 0
    private var written = 0
    /// Whether the header has been written.
    private(set) var hasHeader = false
    /// Whether a row is open, and has text.
    private(set) var isInRow = false
    private(set) var hasText = false

    /// The columns of cells, of which some cover further columns and rows.
    private struct Grid {
        /// The number of next rows that a cell above covers, by column.
        private var covered: [Int] = []
        /// Whether a cell above covers the open row, by column.
        private var isCovered: [Bool] = []
        private var next = 0
        private(set) var columns = 0

        private static let maxColumnSpan = 20
        private static let maxRowSpan = 1000

        mutating func openRow() {
            next = 0
            isCovered = covered.map { $0 > 0 }
            covered = covered.map { max(0, $0 - 1) }
        }

        /// Ends the cells that cover the next rows.
        mutating func openGroup() { covered = [] }

        /// Returns the first column of a cell.
        mutating func open(_ cell: HTMLDocument.Node) -> Int {
            while next < isCovered.count, isCovered[next] { next += 1 }
            let start = next
            next += max(1, min(Self.maxColumnSpan, cell["colspan"].flatMap { Int($0) } ?? 1))
            // Zero is the rest of the group.
            let rows = cell["rowspan"].flatMap { Int($0) }.map { $0 == 0 ? Self.maxRowSpan : $0 } ?? 1
            if rows > 1 {
                covered += repeatElement(0, count: max(0, next - covered.count))
                for column in start..<next { covered[column] = min(rows, Self.maxRowSpan) - 1 }
            }
            columns = max(columns, next)
            return start
        }
    }

    /// - Returns: nil if the table does not contain data.
    init?(_ table: HTMLDocument.Node) {
        guard Boilerplate.isData(table: table) || Boilerplate.isGrid(table: table) else { return nil }
        var grid = Grid()
        var isFirstHeader: Bool?
        ReadableText.forEachElement(in: table) { node in
            if Self.groups.contains(node.name) { grid.openGroup() }
            guard node.name == "tr" else { return }
            grid.openRow()
            let cells = node.children.filter { $0.isElement && ["td", "th"].contains($0.name) }
            for cell in cells { _ = grid.open(cell) }
            let texts = cells.filter { !ReadableText.line(of: $0).isEmpty }
            guard isFirstHeader == nil, !texts.isEmpty else { return }
            isFirstHeader = node.parent?.name == "thead" || texts.allSatisfy { $0.name == "th" }
        }
        columns = grid.columns
        self.isFirstHeader = isFirstHeader ?? true
    }

    static let groups: Set = ["thead", "tbody", "tfoot"]

    mutating func openGroup() { grid.openGroup() }

    mutating func openRow() {
        grid.openRow()
        (current, written) = (0, 0)
        (isInRow, hasText) = (true, false)
    }

    mutating func openCell(_ cell: HTMLDocument.Node) { current = grid.open(cell) }

    /// Returns the marks between the last cell with text and this one, after an empty header if none is before it.
    mutating func begin(indent: [UInt8]) -> [UInt8] {
        let count = current - written
        let isFirst = !hasText
        (written, hasText) = (current, true)
        var header: [UInt8] = []
        if !hasHeader, !isFirstHeader, columns > 1 {
            hasHeader = true
            header = Array(("|" + String(repeating: " |", count: columns) + "\n").utf8)
            header += indent + dashes + [UInt8(ascii: "\n")] + indent
        }
        guard count > 0 else { return header }
        // A mark before the first cell is none between cells.
        return header + Array(((isFirst ? "|" : "") + String(repeating: " |", count: count) + " ").utf8)
    }

    private var dashes: [UInt8] {
        Array([String](repeating: "---", count: columns).joined(separator: " | ").utf8)
    }

    /// Returns the end of the header, and the line below it.
    mutating func closeRow(indent: [UInt8]) -> [UInt8] {
        defer { isInRow = false }
        guard hasText, !hasHeader else { return [] }
        hasHeader = true
        guard columns > 1 else { return [] }
        let missing = columns - 1 - written
        let cells = missing > 0 ? String(repeating: " |", count: missing + 1) : ""
        return Array(cells.utf8) + [UInt8(ascii: "\n")] + indent + dashes
    }
}
