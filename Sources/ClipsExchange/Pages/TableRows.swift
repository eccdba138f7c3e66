/// The cells of a table of data, whose rows are lines: `a | b`, with dashes below the first.
struct TableRows {
    private let columns: Int
    private var next = 0
    private var current = 0
    private var written = 0
    /// Whether a row has been written.
    private(set) var hasHeader = false
    /// Whether a row is open, and has text.
    private(set) var isInRow = false
    private(set) var hasText = false

    private static let maxSpan = 20

    /// - Returns: nil if the table does not contain data.
    init?(_ table: HTMLDocument.Node) {
        guard Boilerplate.isData(table: table) else { return nil }
        var columns = 0
        ReadableText.forEachElement(in: table) { row in
            guard row.name == "tr" else { return }
            columns = max(columns, row.children.reduce(0) { $0 + ($1.isElement ? Self.span(of: $1) : 0) })
        }
        self.columns = columns
    }

    private static func span(of cell: HTMLDocument.Node) -> Int {
        max(1, min(maxSpan, cell["colspan"].flatMap { Int($0) } ?? 1))
    }

    mutating func openRow() {
        (next, current, written) = (0, 0, 0)
        (isInRow, hasText) = (true, false)
    }

    mutating func openCell(_ cell: HTMLDocument.Node) {
        current = next
        next += Self.span(of: cell)
    }

    /// Returns the marks between the last cell with text and this one.
    mutating func begin() -> [UInt8] {
        let count = current - written
        let isFirst = !hasText
        (written, hasText) = (current, true)
        guard count > 0 else { return [] }
        // A mark before the first cell is none between cells.
        return Array(((isFirst ? "|" : "") + String(repeating: " |", count: count) + " ").utf8)
    }

    /// Returns the end of the first row with text, and the line below it.
    mutating func closeRow(indent: [UInt8]) -> [UInt8] {
        defer { isInRow = false }
        guard hasText, !hasHeader else { return [] }
        hasHeader = true
        guard columns > 1 else { return [] }
        let missing = columns - 1 - written
        let cells = missing > 0 ? String(repeating: " |", count: missing + 1) : ""
        let dashes = [String](repeating: "---", count: columns).joined(separator: " | ")
        return Array(cells.utf8) + [UInt8(ascii: "\n")] + indent + Array(dashes.utf8)
    }
}
