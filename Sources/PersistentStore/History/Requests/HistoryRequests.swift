public import FoundationEssentials

/// The part of the history to read, always in the order of the commits.
///
/// A transaction is admitted if it is after the start, if its condition on transactions is true, and if
/// the condition on changes, when set, is true for some of them. The offset and the limit select from the
/// admitted ones. Both count transactions, even in a request for changes, objects, or counts.
public struct HistoryFetchRequest: Hashable, Sendable {
    /// The position at which to begin. A position inside a transaction means its end: no part of a
    /// transaction is read.
    @nonexhaustive
    public enum Start: Hashable, Sendable {
        case beginning
        /// Strictly after the token.
        case after(HistoryToken)
        /// Strictly after the transaction of that number.
        case afterTransaction(Int64)
        /// Transactions with a later timestamp. The date only finds the position: everything after the first
        /// such transaction follows in order. Purged transactions are not reported as missing.
        case afterDate(Date)
        /// The transaction that ends at the token, and the following ones.
        case ending(at: HistoryToken)
        /// The newest transactions, up to the limit, before those that the offset skips.
        case newest
    }

    package var start: Start
    /// The condition on transactions; nil admits all.
    package var predicate: TransactionPredicate?
    /// The condition on their changes; nil admits all.
    package var changePredicate: ChangePredicate?
    /// Whether transactions include their changes; if not, the changes are not read.
    package var includesChanges: Bool
    /// The maximum number of transactions; nil for all, zero or less for none.
    package var limit: Int?
    /// The number of transactions to skip first; with ``Start/newest``, the newest ones.
    package var offset: Int
    /// The maximum number of changes per element. A longer transaction is split into pieces, of which the
    /// last one is ``HistoryTransaction/isComplete``; nil never splits.
    package var maxChangesAtOnce: Int?
    /// The position inside the first transaction after the start from which to continue, if some of its
    /// pieces were read before.
    package var resumption: HistoryResumption?

    /// Creates a request.
    ///
    /// - Parameters:
    ///   - start: The position at which to begin.
    ///   - predicate: The condition on transactions, such as `.authors(["app", nil])`.
    ///   - changePredicate: The condition on their changes.
    ///   - limit: The maximum number of transactions; nil for all, zero or less for none.
    ///   - offset: The number of transactions to skip first; with ``Start/newest``, the newest ones.
    ///   - includesChanges: Whether transactions include their changes; if not, the changes are not read.
    ///   - maxChangesAtOnce: The maximum number of changes per element. A longer transaction is split into pieces, of
    ///     which the last one is ``HistoryTransaction/isComplete``; nil never splits.
    public init(
        _ start: Start = .beginning, where predicate: TransactionPredicate? = nil,
        changes changePredicate: ChangePredicate? = nil, limit: Int? = nil, offset: Int = 0,
        includesChanges: Bool = true, maxChangesAtOnce: Int? = nil
    ) {
        (self.start, self.predicate, self.changePredicate) = (start, predicate, changePredicate)
        (self.limit, self.offset) = (limit, offset)
        (self.includesChanges, self.maxChangesAtOnce) = (includesChanges, maxChangesAtOnce)
    }

    var admitsAll: Bool { predicate == nil && changePredicate == nil && limit == nil && offset <= 0 }

    /// Whether the request reads whole transactions, whichever they are.
    var hasNoCondition: Bool { predicate == nil && changePredicate == nil && resumption == nil }
}

/// A position inside a long transaction, with the facts found for the first piece, so that each further piece
/// costs only its own changes.
package struct HistoryResumption: Hashable, Sendable {
    /// The first row of the transaction, which contains its author and time.
    let first: Int64
    /// The last change read so far.
    let change: Int64
    /// The last row of the transaction.
    let last: Int64
    /// The index of the next piece.
    let pieceIndex: Int

    /// The position after the changes of a piece.
    package init?(after piece: HistoryTransaction) {
        guard !piece.isComplete, let change = piece.changes.last?.number else { return nil }
        first = piece.firstRow
        last = piece.number
        pieceIndex = piece.pieceIndex + 1
        self.change = change
    }
}

/// The position at which a deletion of history ends. The end itself is retained: the transaction that a token ends, the
/// transaction with the number, or one with exactly the timestamp.
@nonexhaustive
public enum HistoryEnd: Hashable, Sendable {
    /// The transaction that ends at the token is retained.
    case before(HistoryToken)
    /// The transaction of that number is retained.
    case beforeTransaction(Int64)
    /// Transactions with a timestamp at or after the date are retained.
    case beforeDate(Date)
}

/// The part of the history to delete, always in whole transactions.
package struct HistoryDeleteRequest: Hashable, Sendable {
    package var end: HistoryEnd
    package var predicate: TransactionPredicate?
    package var respectsConsumers: Bool

    package init(
        _ end: HistoryEnd, where predicate: TransactionPredicate? = nil, respectsConsumers: Bool = true
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

    package init() {}
}
