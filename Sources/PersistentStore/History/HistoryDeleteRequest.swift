public import FoundationEssentials

/// Which part of the history to delete, always in whole transactions.
///
/// Everything before the end goes, the end itself stays: the transaction that a token ends, the one with the
/// number, one stamped with the very date.
public struct HistoryDeleteRequest: Hashable, Sendable {
    /// Where to stop.
    public enum End: Hashable, Sendable {
        /// The transaction that ends at the token stays.
        case token(HistoryToken)
        /// The transaction of that number stays.
        case transaction(Int64)
        /// Transactions whose timestamp is the date, or later, stay.
        case date(Date)
    }

    public var end: End
    /// Which transactions; nil for all.
    ///
    /// What stays between the deleted ones is still read from the beginning, but a token before the newest that
    /// was deleted has expired.
    public var predicate: TransactionPredicate?
    /// Deletes only what every registered consumer has passed. Consumers whose cursor has expired need nothing of
    /// what is left, and are not waited for.
    public var respectsConsumers: Bool

    public init(
        before end: End, where predicate: TransactionPredicate? = nil, respectsConsumers: Bool = true
    ) {
        self.end = end
        self.predicate = predicate
        self.respectsConsumers = respectsConsumers
    }
}
