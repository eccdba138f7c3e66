import SQLite

extension HistoryLog {
    /// The text for a request without conditions, which follows each commit.
    private static let allRows = """
        SELECT \(HistoryHeaders.columns), 1 AS matches FROM history
        WHERE number > ?1 AND number <= ?2 ORDER BY number
        """

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
        if request.hasNoCondition && range.pieces == nil && includesChanges && direction == .forward {
            let rows = try connection.prepare(Self.allRows)
            try rows.bind(range.after, at: 1)
            try rows.bind(range.upTo, at: 2)
            return rows
        }
        var values: [AttributeValue] = []
        let resumption = request.resumption
        let first = resumption == nil ? 3 : 4
        let matches = try request.changePredicate?.sql(entities, values: &values, first: first)
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
        // A source has its own bounds. SQLite uses one upper bound to end a loop and computes others for each row.
        let number = source.value == nil ? "number" : "+number"
        let rows = try connection.prepare(
            "\(head)\(columns) \(source.text) WHERE \(number) > ?1 AND \(number) <= ?2\(condition)\(order)")
        if let value = source.value { values.append(value) }
        try rows.bind(resumption?.change ?? range.after, at: 1)
        try rows.bind(range.upTo, at: 2)
        if let resumption { try rows.bind(resumption.first, at: 3) }
        for (index, value) in values.enumerated() { try value.bind(to: rows, at: index + first) }
        return rows
    }

    /// Returns the changes of these numbers, in the order of the list.
    func changes(numbered numbers: [Int64], on connection: borrowing Connection) throws -> [HistoryChange] {
        let rows = try connection.prepare(
            "SELECT \(HistoryHeaders.columns) FROM json_each(?1) AS wanted CROSS JOIN history ON number = wanted.value"
        )
        try rows.bind("[\(numbers.map(String.init).joined(separator: ","))]", at: 1)
        var changes: [HistoryChange] = []
        while try rows.step() {
            if let change = try change(rows, on: connection) { changes.append(change) }
        }
        return changes
    }

    /// Returns the source of the rows in loop order: the pieces, the transactions of some origins, or a whole
    /// range.
    private func source(_ range: Range, _ origins: AdmittedOrigins?, parameter: Int) -> (
        text: String, value: AttributeValue?
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

/// The rows of `history_origin` that a predicate may admit. SQLite skips the transactions of all other rows
/// by the origin number in their first row.
struct AdmittedOrigins {
    /// A JSON array of row IDs, as `json_each` takes it.
    let list: String

    /// Creates nil if the predicate also admits writers that are not in the table, or if it admits every row.
    init?(_ predicate: TransactionPredicate?, on connection: borrowing Connection) throws {
        let unknown = HistoryHeader.Origin()
        guard let predicate, predicate.isTrue(of: unknown, isOurs: false) == false,
            predicate.isTrue(of: unknown, isOurs: true) == false
        else { return nil }
        var ids: [Int64] = []
        var leavesOut = false
        let rows = try connection.prepare("SELECT id, author, context, program FROM history_origin")
        while try rows.step() {
            let origin = HistoryHeader.Origin(
                author: rows.optionalText(1), contextName: rows.optionalText(2), program: rows.optionalText(3)
            )
            if predicate.isTrue(of: origin, isOurs: true) == false {
                leavesOut = true
            } else {
                ids.append(rows.integer(0))
            }
        }
        guard leavesOut else { return nil }
        list = "[\(ids.map(String.init).joined(separator: ","))]"
    }
}

extension TransactionPredicate {
    /// Nil if the time or the process decides.
    fileprivate func isTrue(of origin: HistoryHeader.Origin, isOurs: Bool) -> Bool? {
        switch self {
        case .author(let author): return origin.author == author
        case .contextName(let name): return origin.contextName == name
        case .contextNamePrefix(let start): return origin.hasContextName(from: start)
        case .program(let program): return origin.program == program
        // Only external writers certainly have no process.
        case .process(let process): return isOurs ? nil : process == nil
        case .after, .before: return nil
        case .and(let parts):
            let known = parts.map { $0.isTrue(of: origin, isOurs: isOurs) }
            return known.contains(false) ? false : known.contains(nil) ? nil : true
        case .or(let parts):
            let known = parts.map { $0.isTrue(of: origin, isOurs: isOurs) }
            return known.contains(true) ? true : known.contains(nil) ? nil : false
        case .not(let part): return part.isTrue(of: origin, isOurs: isOurs).map { !$0 }
        }
    }
}
