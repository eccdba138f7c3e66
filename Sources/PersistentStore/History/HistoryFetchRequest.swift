public import FoundationEssentials

/// Which part of the history to read. The order is that of the commits, always.
public struct HistoryFetchRequest: Hashable, Sendable {
    /// Where to begin.
    public enum Start: Hashable, Sendable {
        case beginning
        /// Strictly after the token.
        case token(HistoryToken)
        /// Transactions whose timestamp is strictly later. The date only finds the place: what follows the
        /// first such transaction comes too, in order.
        case date(Date)
        /// Strictly after the transaction of that number.
        case transaction(Int64)
        /// The transaction that ends at the token, and what follows it.
        case ending(at: HistoryToken)
        /// The newest transactions, as many as the limit says.
        case newest
    }

    public var start: Start
    /// Only these authors; an empty set admits nobody, nil admits everybody. Nil in the set stands for
    /// writers without an author.
    public var authors: Set<String?>?
    public var limit: Int?

    public init(_ start: Start = .beginning, authors: Set<String?>? = nil, limit: Int? = nil) {
        self.start = start
        self.authors = authors
        self.limit = limit
    }

    func admits(_ author: String?) -> Bool { authors?.contains(author) ?? true }
}
