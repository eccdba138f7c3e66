import FoundationEssentials

/// The description of a transaction that is known before its changes are read.
struct HistoryHeader {
    /// A row of `history_origin`; all nil for an external writer.
    struct Origin {
        var author: String?
        var contextName: String?
        var program: String?
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
