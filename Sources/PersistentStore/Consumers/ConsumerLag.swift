import SQLite

/// The number of transactions after a position, without reading all of a long history.
struct ConsumerLag {
    /// The maximum number of rows counted; beyond it, the result is an estimate.
    private static let maxRows: Int64 = 32_768

    let count: Int
    let isExact: Bool

    init(after position: Int64, newest: Int64, on connection: borrowing Connection) throws {
        let rows = try connection.prepare(
            """
            SELECT count(*), coalesce(sum(\(HistoryBoundary.isFirstRow)), 0), max(number) FROM
            (SELECT number, kind, at FROM history WHERE number > ?1 ORDER BY number LIMIT ?2)
            """)
        try rows.bind(position, at: 1)
        try rows.bind(Self.maxRows, at: 2)
        guard try rows.step(), rows.integer(0) == Self.maxRows, rows.integer(2) < newest else {
            count = Int(rows.integer(1))
            isExact = true
            return
        }
        let share = Double(newest - position) / Double(rows.integer(2) - position)
        count = max(1, Int(Double(rows.integer(1)) * share))
        isExact = false
    }
}
