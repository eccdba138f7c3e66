public import FoundationEssentials

/// One commit, or a piece of one that is too big to be held at once.
public struct HistoryTransaction: Hashable, Sendable {
    /// Rises from commit to commit and is never used twice.
    public let number: Int64
    /// The position just after this transaction; of every piece, that after the whole.
    public let token: HistoryToken
    /// When it was committed, by the writer's clock; never before the transaction that precedes it.
    public let timestamp: Date
    /// Nil when the writer knows nothing of the history, as the `sqlite3` shell.
    public let author: String?
    public let contextName: String?
    public let process: Int32?
    public let program: String?
    /// Which context made it; tells a context's own work from that of a namesake.
    package let session: Int64?
    /// Where the log tells of it first.
    let firstRow: Int64
    /// Those that the request admits, in order; none when the request asks for transactions only.
    public let changes: [HistoryChange]
    /// 0 for a whole transaction and for the first piece of a long one; then 1, 2, and so on. Pieces have the same
    /// number and token. See ``HistoryFetchRequest/mostChangesAtOnce``.
    public let pieceIndex: Int
    /// True for a whole transaction and for the last piece; false for a piece that more pieces follow.
    public let isComplete: Bool

    init(
        number: Int64, token: HistoryToken, timestamp: Date, author: String?, contextName: String?,
        process: Int32?, program: String?, session: Int64?, firstRow: Int64, changes: [HistoryChange],
        pieceIndex: Int = 0, isComplete: Bool = true
    ) {
        self.number = number
        self.token = token
        self.timestamp = timestamp
        self.author = author
        self.contextName = contextName
        self.process = process
        self.program = program
        self.session = session
        self.firstRow = firstRow
        self.changes = changes
        self.pieceIndex = pieceIndex
        self.isComplete = isComplete
    }

    /// Whether all changes that the request admits are in ``changes``.
    public var isWhole: Bool { pieceIndex == 0 && isComplete }

    /// The position just before this transaction.
    package var tokenBefore: HistoryToken {
        HistoryToken(storeID: token.storeID, generation: token.generation, number: firstRow - 1)
    }

    var withoutChanges: HistoryTransaction {
        HistoryTransaction(
            number: number, token: token, timestamp: timestamp, author: author, contextName: contextName,
            process: process, program: program, session: session, firstRow: firstRow, changes: [])
    }
}
