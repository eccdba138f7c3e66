import SQLite

/// Reads from the index, newest first, which documents have the words.
struct IndexScan {
    /// Nil when the index leaves out nothing and the store is to be read.
    let expression: String?
    private let news: Set<Int64>
    /// Where what has been built ends; nil when it is whole.
    let builtPlace: SearchPlace?
    private var number: Int64
    /// What came later than its time, newest first.
    private(set) var late: [SearchPlace] = []
    private(set) var isAtEnd = false

    init(
        _ candidates: Candidates, _ record: IndexRecord, news: Set<Int64>, after start: SearchPlace,
        _ connection: borrowing Connection
    ) throws(SQLiteError) {
        self.news = news
        expression = candidates.expression
        let isWhole = record.phase != .building
        builtPlace = isWhole ? nil : record.builtPlace ?? SearchPlace(created: .max, id: .max)
        let before = min(start, SearchPlace(created: candidates.createdBefore, id: .min))
        number = try Self.number(before: before, connection)
        isAtEnd = candidates.isImpossible
        guard let expression, !isAtEnd else { return }
        let rows = try Self.rows(connection)
        try rows.bind(expression, at: 1)
        try rows.bind(IndexFile.firstLateNumber, at: 2)
        try rows.bind(Int64.max, at: 3)
        while try rows.step() {
            let place = SearchPlace(created: rows.integer(1), id: rows.integer(2))
            if place < start && !news.contains(place.id) { late.append(place) }
        }
        late.sort(by: >)
    }

    /// The next documents; fewer than asked for only at the end.
    mutating func next(_ count: Int, _ connection: borrowing Connection) throws(SQLiteError) -> [SearchPlace]
    {
        guard let expression, !isAtEnd else { return [] }
        let rows = try Self.rows(connection)
        try rows.bind(expression, at: 1)
        try rows.bind(Int64(0), at: 2)
        try rows.bind(number, at: 3)
        var places: [SearchPlace] = []
        while places.count < count {
            guard try rows.step() else {
                isAtEnd = true
                return places
            }
            number = rows.integer(0) - 1
            let place = SearchPlace(created: rows.integer(1), id: rows.integer(2))
            if !news.contains(place.id) { places.append(place) }
        }
        return places
    }

    private static func rows(_ connection: borrowing Connection) throws(SQLiteError) -> Statement {
        try connection.prepare(
            """
            SELECT words.rowid, created, object FROM words CROSS JOIN document ON number = words.rowid
            WHERE words MATCH ?1 AND words.rowid BETWEEN ?2 AND ?3 ORDER BY words.rowid DESC
            """)
    }

    /// The highest number in the order of time whose place lies before this one, found by halving.
    private static func number(
        before place: SearchPlace, _ connection: borrowing Connection
    ) throws(SQLiteError) -> Int64 {
        var low: Int64 = 0
        var high = IndexFile.firstLateNumber - 1
        guard place < SearchPlace(created: .max, id: .max) else { return high }
        let row = try connection.prepare(
            "SELECT number, created, object FROM document WHERE number <= ?1 ORDER BY number DESC LIMIT 1")
        while low < high {
            let middle = low + (high - low + 1) / 2
            try row.bind(middle, at: 1)
            let isBefore = try !row.step() || SearchPlace(created: row.integer(1), id: row.integer(2)) < place
            if isBefore { low = middle } else { high = middle - 1 }
            row.reset()
        }
        return low
    }
}
