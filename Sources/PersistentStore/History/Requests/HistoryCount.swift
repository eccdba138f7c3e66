/// The number of transactions and changes that a request admits.
public struct HistoryCount: Hashable, Sendable {
    public var transactions: Int
    public var changes: Int

    public init(transactions: Int = 0, changes: Int = 0) {
        self.transactions = transactions
        self.changes = changes
    }
}
