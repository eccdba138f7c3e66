import Terminal

/// The areas of the screen. Areas without room are nil.
struct Layout: Equatable {
    enum Arrangement: Equatable { case listOnly, detailOnly, beside, below }

    let arrangement: Arrangement
    private(set) var header: Rect?
    private(set) var list: Rect?
    private(set) var separator: Rect?
    private(set) var detail: Rect?
    private(set) var status: Rect?
    private(set) var hints: Rect?

    private static let minColumnsBeside = 100
    private static let minRowsBelow = 30

    init(_ size: Size, isReading: Bool, isOneScreen: Bool = false, isZoomed: Bool = false) {
        var rows = size.rows
        func row(_ row: Int) -> Rect { Rect(row: row, column: 0, rows: 1, columns: size.columns) }
        if rows >= 10, size.columns >= 30 {
            rows -= 1
            hints = row(rows)
        }
        if rows >= 2 {
            rows -= 1
            status = row(rows)
        }
        var body = Rect(row: 0, column: 0, rows: rows, columns: size.columns)
        if isOneScreen {
            arrangement = .listOnly
        } else if isZoomed {
            arrangement = isReading ? .detailOnly : .listOnly
        } else if size.columns >= Self.minColumnsBeside, rows >= 4 {
            arrangement = .beside
        } else if size.rows >= Self.minRowsBelow {
            arrangement = .below
        } else {
            arrangement = isReading ? .detailOnly : .listOnly
        }
        if arrangement != .detailOnly, rows >= 4 {
            header = row(0)
            body = Rect(row: 1, column: 0, rows: rows - 1, columns: size.columns)
        }
        switch arrangement {
        case .listOnly: list = body
        case .detailOnly: detail = body
        case .beside:
            let left = size.columns * 55 / 100
            list = Rect(row: body.row, column: 0, rows: body.size.rows, columns: left)
            separator = Rect(row: 0, column: left, rows: rows, columns: 1)
            header = header.map { Rect(row: $0.row, column: 0, rows: 1, columns: left) }
            detail = Rect(row: 0, column: left + 2, rows: rows, columns: size.columns - left - 3)
        case .below:
            let upper = body.size.rows * 55 / 100
            list = Rect(row: body.row, column: 0, rows: upper, columns: size.columns)
            separator = Rect(row: body.row + upper, column: 0, rows: 1, columns: size.columns)
            detail = Rect(
                row: body.row + upper + 1, column: 1, rows: body.size.rows - upper - 1,
                columns: max(0, size.columns - 2))
        }
    }
}
