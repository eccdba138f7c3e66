public import FoundationEssentials

/// Which part of the history to read. The order is that of the commits, always.
///
/// A transaction is admitted when it lies after the start, ``predicate`` is true of it, and
/// ``changePredicate``, if there is one, of some of its changes. Of those, ``offset`` and
/// ``limit`` choose; both count transactions, also where changes, objects or a count are asked for.
public struct HistoryFetchRequest: Hashable, Sendable {
    /// Where to begin. A position in the middle of a transaction stands for its end: no part of one is ever read.
    public enum Start: Hashable, Sendable {
        case beginning
        /// Strictly after the token.
        case token(HistoryToken)
        /// Transactions whose timestamp is strictly later. The date only finds the place: what follows the
        /// first such transaction comes too, in order. What cleaning has taken away is not missed.
        case date(Date)
        /// Strictly after the transaction of that number.
        case transaction(Int64)
        /// The transaction that ends at the token, and what follows it.
        case ending(at: HistoryToken)
        /// The newest transactions, as many as the limit says, before those that the offset leaves out.
        case newest
    }

    public var start: Start
    /// Which transactions; nil admits all.
    public var predicate: TransactionPredicate?
    /// Which changes of them; nil admits all.
    public var changePredicate: ChangePredicate?
    /// Whether transactions come with their changes; without, these are not read.
    public var includesChanges = true
    /// At most so many transactions.
    public var limit: Int?
    /// So many transactions are left out first; with ``Start/newest``, the newest.
    public var offset = 0
    /// A transaction with more changes comes in pieces of so many, numbered by ``HistoryTransaction/pieceIndex``; nil
    /// never cuts one.
    public var mostChangesAtOnce: Int?
    /// Goes on within the first transaction after the start, of which some pieces have been read before.
    package var resumption: HistoryResumption?

    /// - Parameters:
    ///   - start: where to begin.
    ///   - authors: only these authors; an empty set admits nobody, nil admits everybody. Nil in the set stands for
    ///     writers without an author.
    ///   - predicate: which transactions.
    ///   - changePredicate: which changes of them.
    ///   - limit: at most so many transactions.
    ///   - offset: so many transactions are left out first.
    public init(
        _ start: Start = .beginning, authors: Set<String?>? = nil,
        where predicate: TransactionPredicate? = nil, changes changePredicate: ChangePredicate? = nil,
        limit: Int? = nil, offset: Int = 0
    ) {
        let parts = [authors.map(TransactionPredicate.authors), predicate].compactMap(\.self)
        self.start = start
        self.predicate = parts.count > 1 ? .and(parts) : parts.first
        self.changePredicate = changePredicate
        self.limit = limit
        self.offset = offset
    }

    var admitsAll: Bool { predicate == nil && changePredicate == nil && limit == nil && offset <= 0 }
}

/// A position within a long transaction, with what the first piece had to find out: the next one costs its own changes.
package struct HistoryResumption: Hashable, Sendable {
    /// The first row of the transaction, which has its author and time.
    let first: Int64
    /// The last change that has been read.
    let change: Int64
    /// The last row of the transaction.
    let last: Int64
    /// Of the piece that follows.
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
