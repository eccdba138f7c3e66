import SQLite

extension HistoryLog {
    enum Direction: String {
        case forward = "ASC"
        case backward = "DESC"
    }

    /// Returns the rows between two numbers: the first and last rows of transactions, and with
    /// `includesChanges` also their changes. The last column is whether the request admits the change.
    func rows(
        _ request: HistoryFetchRequest, _ range: Range, includesChanges: Bool,
        _ direction: Direction = .forward,
        on connection: borrowing Connection
    ) throws -> Statement {
        var values: [Value] = []
        let resumption = request.resumption
        let first = resumption == nil ? 3 : 4
        let matches = request.changePredicate?.sql(
            entities, values: &values, first: first)
        let bounds = "kind > 2 OR at NOT NULL"
        let condition =
            if matches != nil { " AND (\(bounds) OR matches)" } else if includesChanges { "" } else {
                " AND (\(bounds))"
            }
        let columns = "SELECT \(HistoryHeaders.columns), \(matches ?? "1") AS matches FROM"
        // Skips the part of a long transaction that was read before, except the row with its author and time.
        let head = resumption == nil ? "" : columns + " history WHERE number = ?3 UNION ALL "
        let isPlain = resumption != nil || direction == .backward
        let origins = isPlain ? nil : try AdmittedOrigins(request.predicate, on: connection)
        let source = source(
            range, origins, parameter: first + values.count)
        let order = source.value == nil ? " ORDER BY number \(direction.rawValue)" : ""
        let rows = try connection.prepare(
            "\(head)\(columns) \(source.text) WHERE number > ?1 AND number <= ?2\(condition)\(order)")
        if let value = source.value { values.append(value) }
        try rows.bind(resumption?.change ?? range.after, at: 1)
        try rows.bind(range.upTo, at: 2)
        if let resumption { try rows.bind(resumption.first, at: 3) }
        for (index, value) in values.enumerated() { try value.bind(to: rows, at: index + first) }
        return rows
    }

    /// Returns the source of the rows in loop order: the pieces, the transactions of some origins, or a whole
    /// range.
    private func source(_ range: Range, _ origins: AdmittedOrigins?, parameter: Int) -> (
        text: String, value: Value?
    ) {
        if let pieces = range.pieces {
            let list = pieces.map { "[\($0.first),\($0.last)]" }.joined(separator: ",")
            let text = """
                json_each(?\(parameter)) AS piece CROSS JOIN history
                ON number BETWEEN json_extract(piece.value, '$[0]') AND json_extract(piece.value, '$[1]')
                """
            return (text, .text("[\(list)]"))
        }
        guard let origins else { return ("history", nil) }
        let text = """
            (SELECT number AS first FROM history WHERE number > ?1 AND number <= ?2 AND kind = 3
            AND origin IN (SELECT value FROM json_each(?\(parameter)))) CROSS JOIN history
            ON number >= first AND number <= (SELECT ending.number FROM history AS ending
            WHERE ending.number > first AND ending.kind = 4 ORDER BY ending.number LIMIT 1)
            """
        return (text, .text(origins.list))
    }
}

/// Reads the author and time of transactions from rows of the log, and caches the origins.
struct HistoryHeaders {
    /// The columns that ``header(_:on:)`` expects in a row.
    static let columns =
        "number, kind, entity, object, columns, at, began, origin, process, session"

    private var origins: [Int64: HistoryHeader.Origin] = [:]

    /// Returns the header from a `begin` row, or from a change of an external writer.
    mutating func header(_ row: borrowing Statement, on connection: borrowing Connection) throws
        -> HistoryHeader
    {
        guard row.integer(1) == HistoryLog.RowKind.begin.rawValue else {
            return HistoryHeader(row: row.integer(0), isOurs: false, milliseconds: row.integer(5))
        }
        return HistoryHeader(
            row: row.integer(0), origin: try origin(row.integer(7), on: connection),
            process: row.optionalInteger(8).map(Int32.init(clamping:)), session: row.optionalInteger(9),
            milliseconds: row.integer(6))
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
