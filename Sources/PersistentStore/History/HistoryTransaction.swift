public import FoundationEssentials

/// One commit.
public struct HistoryTransaction: Hashable, Sendable {
    /// Rises from commit to commit and is never used twice.
    public let number: Int64
    /// The position just after this transaction.
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
    public let changes: [HistoryChange]
}
