import SQLite

extension HistoryLog {
    enum Direction: String {
        case forward = "ASC"
        case backward = "DESC"
    }

    /// The rows between two numbers: where transactions begin and end, and with `tellsChanges` also those of their
    /// changes. The last column is whether the request admits the change.
    func rows(
        _ request: HistoryFetchRequest, _ range: Range, tellsChanges: Bool, _ direction: Direction = .forward,
        on connection: borrowing Connection
    ) throws -> Statement {
        var values: [Value] = []
        let resumption = request.resumption
        let first = resumption == nil ? 3 : 4
        let matches = request.changePredicate?.sql(
            entities, values: &values, first: first)
        let bounds = "kind > 2 OR at NOT NULL"
        let condition =
            if matches != nil { " AND (\(bounds) OR matches)" } else if tellsChanges { "" } else {
                " AND (\(bounds))"
            }
        let columns = """
            SELECT \(HistoryHeaders.columns), \(matches ?? "1") AS matches FROM history
            """
        // What has been read of a long transaction is jumped over, but for the row that tells whose it is.
        let head = resumption == nil ? "" : columns + " WHERE number = ?3 UNION ALL "
        let rows = try connection.prepare(
            """
            \(head)\(columns) WHERE number > ?1 AND number <= ?2\(condition)
            ORDER BY number \(direction.rawValue)
            """)
        try rows.bind(resumption?.change ?? range.after, at: 1)
        try rows.bind(range.upTo, at: 2)
        if let resumption { try rows.bind(resumption.first, at: 3) }
        for (index, value) in values.enumerated() { try value.bind(to: rows, at: index + first) }
        return rows
    }

    /// Walks back over as many transactions as the offset and the limit say.
    func narrowToNewest(
        _ range: inout Range, _ request: HistoryFetchRequest, on connection: borrowing Connection
    ) throws {
        guard range.offset > 0 || range.limit < .max else { return }
        let rows = try rows(request, range, tellsChanges: false, .backward, on: connection)
        var headers = HistoryHeaders()
        var left = range.limit
        var hasMatch = false
        while left > 0, range.offset > 0 || left < .max, try rows.step() {
            let isChange = rows.integer(1) < RowKind.begin.rawValue
            hasMatch = hasMatch || (isChange && rows.integer(11) != 0)
            let isFirst = isChange ? !rows.isNull(5) && rows.integer(6) != 1 : rows.isNull(5)
            guard isFirst else { continue }
            let isAdmitted = try request.predicate?.admits(headers.header(rows, on: connection)) ?? true
            if isAdmitted && (hasMatch || request.changePredicate == nil) {
                if range.offset > 0 {
                    range.offset -= 1
                    range.upTo = rows.integer(0) - 1
                } else {
                    left -= 1
                    if left == 0 { range.after = rows.integer(0) - 1 }
                }
            }
            hasMatch = false
        }
        // What is left of it lies before the beginning.
        range.offset = 0
    }
}

/// Reads who and when from rows of the log; knows an author's name after the first time.
struct HistoryHeaders {
    /// What ``header(_:on:)`` expects in a row.
    static let columns =
        "number, kind, entity, object, columns, at, continues, began, origin, process, session"

    private var origins: [Int64: HistoryHeader.Origin] = [:]

    /// From a `begin` row, or from the first row of a stranger's statement.
    mutating func header(_ row: borrowing Statement, on connection: borrowing Connection) throws
        -> HistoryHeader
    {
        guard row.integer(1) == HistoryLog.RowKind.begin.rawValue else {
            return HistoryHeader(row: row.integer(0), isOurs: false, milliseconds: row.integer(5))
        }
        return HistoryHeader(
            row: row.integer(0), origin: try origin(row.integer(8), on: connection),
            process: row.optionalInteger(9).map(Int32.init(clamping:)), session: row.optionalInteger(10),
            milliseconds: row.integer(7))
    }

    private mutating func origin(_ id: Int64, on connection: borrowing Connection) throws
        -> HistoryHeader.Origin
    {
        if let known = origins[id] { return known }
        let statement = try connection.prepare(
            "SELECT author, context, program FROM history_origin WHERE id = ?1")
        try statement.bind(id, at: 1)
        var origin = HistoryHeader.Origin()
        if try statement.step() {
            origin = HistoryHeader.Origin(
                author: statement.optionalText(0), contextName: statement.optionalText(1),
                program: statement.optionalText(2))
        }
        origins[id] = origin
        return origin
    }
}
