import FoundationEssentials
import SQLite

/// The description of a transaction that is known before its changes are read.
struct HistoryHeader {
    /// A row of `history_origin`; all nil for an external writer.
    struct Origin {
        var author: String?
        var contextName: String?
        var program: String?

        /// By bytes, without Unicode's equivalences, as the database compares names.
        func hasContextName(from start: String) -> Bool {
            contextName?.utf8.starts(with: start.utf8) == true
        }
    }

    /// The number of the row that contains the header.
    var row: Int64 = 0
    /// Whether a context made the transaction. A change of an external writer is a transaction by itself.
    var isOurs = true
    var origin = Origin()
    var process: Int32?
    var session: Int64?
    var milliseconds: Int64

    func transaction(
        _ token: HistoryToken, _ changes: [HistoryChange], pieceIndex: Int, isComplete: Bool
    ) -> HistoryTransaction {
        HistoryTransaction(
            number: token.number, token: token, timestamp: Date(milliseconds: milliseconds),
            author: origin.author, contextName: origin.contextName, process: process,
            program: origin.program, session: session, firstRow: row, changes: changes,
            pieceIndex: pieceIndex, isComplete: isComplete)
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
