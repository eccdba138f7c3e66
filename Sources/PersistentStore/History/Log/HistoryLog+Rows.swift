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
            "SELECT \(HistoryHeaders.columns) FROM json_each(?1) AS wanted CROSS JOIN history ON number = wanted.value",
            ["[\(numbers.map(String.init).joined(separator: ","))]"])
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

/// The search for the newest transactions that a request admits, backward from the newest row.
extension HistoryLog {
    /// The first and last row of a transaction.
    struct Piece {
        let first: Int64
        let last: Int64
    }

    /// The number of transactions stored as pieces; beyond it, only the first and the last row are stored.
    private static let maxPieces = 1000

    /// Narrows a range to the transactions that the offset and limit select. SQLite skips rejected authors,
    /// ten times as fast as a check of every row here.
    func narrowToNewest(
        _ range: inout Range, _ request: HistoryFetchRequest, on connection: borrowing Connection
    ) throws {
        guard range.offset > 0 || range.limit < .max else { return }
        let isFew = range.limit <= Self.maxPieces && range.offset <= Self.maxPieces
        if request.changePredicate == nil, range.limit < .max,
            let origins = try AdmittedOrigins(request.predicate, on: connection)
        {
            try narrow(&range, to: origins, request, on: connection)
        } else if request.changePredicate != nil, request.predicate == nil, isFew {
            try narrowByChanges(&range, request, on: connection)
        } else {
            try narrowByEveryRow(&range, request, on: connection)
        }
        // The remaining offset lies before the beginning.
        range.offset = 0
    }

    private func narrow(
        _ range: inout Range, to origins: AdmittedOrigins, _ request: HistoryFetchRequest,
        on connection: borrowing Connection
    ) throws {
        let rows = try connection.prepare(
            """
            SELECT \(HistoryHeaders.columns) FROM history WHERE number > ?1 AND number <= ?2 AND kind = 3
            AND origin IN (SELECT value FROM json_each(?3)) ORDER BY number DESC
            """, [range.after, range.upTo, origins.list])
        var headers = HistoryHeaders()
        var found = Found(range)
        while !found.isEnough, try rows.step() {
            let header = try headers.header(rows, on: connection)
            guard request.predicate?.admits(header) ?? true else { continue }
            let first = rows.integer(0)
            try found.add(first) {
                try HistoryBoundary.end(atOrAfter: first, on: connection) ?? first
            }
        }
        found.narrow(&range)
    }

    /// Narrows a range for a condition on kinds or objects: finds the next matching change, then its
    /// transaction.
    private func narrowByChanges(
        _ range: inout Range, _ request: HistoryFetchRequest, on connection: borrowing Connection
    ) throws {
        var values: [AttributeValue] = []
        let matches = try request.changePredicate?.sql(entities, values: &values, first: 3) ?? "1"
        let rows = try connection.prepare(
            """
            SELECT number FROM history WHERE number > ?1 AND number <= ?2 AND kind < 3 AND (\(matches))
            ORDER BY number DESC LIMIT 1
            """)
        for (index, value) in values.enumerated() { try value.bind(to: rows, at: index + 3) }
        var found = Found(range)
        var upTo = range.upTo
        while !found.isEnough {
            try rows.bind(range.after, at: 1)
            try rows.bind(upTo, at: 2)
            guard try rows.step() else { break }
            let number = rows.integer(0)
            rows.reset()
            let first =
                try HistoryBoundary.beginning(ofTransactionWith: number, on: connection) ?? number
            try found.add(first) {
                try HistoryBoundary.end(atOrAfter: number, on: connection) ?? number
            }
            upTo = first - 1
        }
        found.narrow(&range)
    }

    /// The transactions found so far, newest first.
    private struct Found {
        private var offset: Int
        private var left: Int
        private var pieces: [Piece] = []
        private var newest: Piece?
        private var oldest: Piece?

        init(_ range: Range) { (offset, left) = (range.offset, range.limit) }

        var isEnough: Bool { left == 0 }

        mutating func add(_ first: Int64, upTo last: () throws -> Int64) rethrows {
            guard offset == 0 else {
                offset -= 1
                return
            }
            left -= 1
            let piece = Piece(first: first, last: try last())
            newest = newest ?? piece
            oldest = piece
            if pieces.count <= HistoryLog.maxPieces { pieces.append(piece) }
        }

        func narrow(_ range: inout Range) {
            guard let newest, let oldest else {
                range.upTo = range.after
                return
            }
            range.upTo = min(range.upTo, newest.last)
            range.after = max(range.after, oldest.first - 1)
            if pieces.count <= HistoryLog.maxPieces { range.pieces = pieces.reversed() }
        }
    }

    private func narrowByEveryRow(
        _ range: inout Range, _ request: HistoryFetchRequest, on connection: borrowing Connection
    ) throws {
        let rows = try rows(request, range, includesChanges: false, .backward, on: connection)
        var headers = HistoryHeaders()
        var left = range.limit
        var hasMatch = false
        while left > 0, range.offset > 0 || left < .max, try rows.step() {
            let isChange = rows.integer(1) < RowKind.begin.rawValue
            hasMatch = hasMatch || (isChange && rows.integer(10) != 0)
            let isFirst = isChange != rows.isNull(5)
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
    }
}
