import SQLite

/// A scan of the index for the documents with the words of a query, newest first.
struct IndexScan {
    /// The FTS5 expression; nil if the index excludes nothing and the store must be read.
    let expression: String?
    private let news: Set<Int64>
    /// The oldest position that the backfill has reached; nil if the index is complete.
    let builtPosition: SearchPosition?
    private var number: Int64
    /// Documents that were added with an older creation time, newest first.
    private(set) var late: [SearchPosition] = []
    private(set) var isAtEnd = false

    init(
        _ candidates: Candidates, _ record: IndexRecord, news: Set<Int64>, after start: SearchPosition,
        _ connection: borrowing Connection
    ) throws(SQLiteError) {
        self.news = news
        expression = candidates.expression
        let isWhole = record.phase != .building
        builtPosition = isWhole ? nil : record.builtPosition ?? SearchPosition(created: .max, id: .max)
        let before = min(start, SearchPosition(created: candidates.createdBefore, id: .min))
        number = try Self.number(before: before, connection)
        isAtEnd = candidates.isImpossible
        guard let expression, !isAtEnd else { return }
        let rows = try Self.rows(connection)
        try rows.bind(expression, at: 1)
        try rows.bind(IndexFile.firstLateNumber, at: 2)
        try rows.bind(Int64.max, at: 3)
        while try rows.step() {
            let position = SearchPosition(created: rows.integer(1), id: rows.integer(2))
            if position < start && !news.contains(position.id) { late.append(position) }
        }
        late.sort(by: >)
    }

    /// Returns the next documents; fewer than requested only at the end.
    mutating func next(_ count: Int, _ connection: borrowing Connection) throws(SQLiteError)
        -> [SearchPosition]
    {
        guard let expression, !isAtEnd else { return [] }
        let rows = try Self.rows(connection)
        try rows.bind(expression, at: 1)
        try rows.bind(Int64(0), at: 2)
        try rows.bind(number, at: 3)
        var positions: [SearchPosition] = []
        while positions.count < count {
            guard try rows.step() else {
                isAtEnd = true
                return positions
            }
            number = rows.integer(0) - 1
            let position = SearchPosition(created: rows.integer(1), id: rows.integer(2))
            if !news.contains(position.id) { positions.append(position) }
        }
        return positions
    }

    private static func rows(_ connection: borrowing Connection) throws(SQLiteError) -> Statement {
        try connection.prepare(
            """
            SELECT words.rowid, created, object FROM words CROSS JOIN document ON number = words.rowid
            WHERE words MATCH ?1 AND words.rowid BETWEEN ?2 AND ?3 ORDER BY words.rowid DESC
            """)
    }

    /// Returns the highest number that is not late and whose position is before this one.
    ///
    /// - Complexity: O(log *n*) lookups, by binary search.
    private static func number(
        before position: SearchPosition, _ connection: borrowing Connection
    ) throws(SQLiteError) -> Int64 {
        var low: Int64 = 0
        var high = IndexFile.firstLateNumber - 1
        guard position < SearchPosition(created: .max, id: .max) else { return high }
        let row = try connection.prepare(
            "SELECT number, created, object FROM document WHERE number <= ?1 ORDER BY number DESC LIMIT 1")
        while low < high {
            let middle = low + (high - low + 1) / 2
            try row.bind(middle, at: 1)
            let isBefore =
                try !row.step() || SearchPosition(created: row.integer(1), id: row.integer(2)) < position
            if isBefore { low = middle } else { high = middle - 1 }
            row.reset()
        }
        return low
    }
}
