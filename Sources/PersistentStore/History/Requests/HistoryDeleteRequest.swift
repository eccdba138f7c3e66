public import FoundationEssentials

/// The part of the history to delete, always in whole transactions.
///
/// Everything before the end is deleted. The end itself is retained: the transaction that a token ends, the
/// transaction with the number, or one with exactly the timestamp.
public struct HistoryDeleteRequest: Hashable, Sendable {
    /// The position at which a deletion ends.
    @nonexhaustive
    public enum End: Hashable, Sendable {
        /// The transaction that ends at the token is retained.
        case before(HistoryToken)
        /// The transaction of that number is retained.
        case beforeTransaction(Int64)
        /// Transactions with a timestamp at or after the date are retained.
        case beforeDate(Date)
    }

    public var end: End
    /// The transactions to delete; nil deletes all.
    ///
    /// The transactions retained between deleted ones can still be read from the beginning, but every token
    /// before the newest deleted one has expired.
    public var predicate: TransactionPredicate?
    /// Whether to delete only history that every registered consumer has read. Consumers with an expired
    /// cursor need none of the remaining history and are ignored.
    public var respectsConsumers: Bool

    public init(
        _ end: End, where predicate: TransactionPredicate? = nil, respectsConsumers: Bool = true
    ) {
        self.end = end
        self.predicate = predicate
        self.respectsConsumers = respectsConsumers
    }
}

/// The size of the history that a purge deleted, and of the requested part that it retained.
public struct PurgeResult: Hashable, Sendable {
    /// The number of deleted transactions.
    public var transactions = 0
    /// The number of deleted changes.
    public var changes = 0
    /// The number of transactions that were requested but retained, because a consumer still needs them.
    ///
    /// A purge by bounds does not request history that some consumer has not read. It does request history
    /// beyond a limit on age or size, which a consumer may retain always.
    public var retained = 0
    /// The names of the consumers that need the retained transactions.
    public var blockedBy: [String] = []

    public init() {}
}
