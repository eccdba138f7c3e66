public import PersistentStore

/// A hook that removes duplicates that two writers created simultaneously, such as one page saved twice.
///
/// Runs after the merge. Make the rule deterministic, such as "the smaller key remains": every process that
/// tracks the store may apply it to the same pair. The deduplicator does not receive its own transactions.
public protocol HistoryDeduplicator: Sendable {
    /// Removes duplicates among the objects of the transactions.
    ///
    /// - Parameter transactions: the merged transactions, oldest first, each at least once. A transaction
    ///   with more changes than a batch arrives in pieces, one per call; see
    ///   `HistoryTransaction.pieceIndex`.
    func deduplicate(_ transactions: [HistoryTransaction]) async throws

    /// Searches the current data for duplicates after a full refresh replaced a range of transactions.
    ///
    /// Called instead of ``deduplicate(_:)``. Does nothing by default.
    func historyWasSkipped(_ skipped: SkippedHistory) async
}

extension HistoryDeduplicator {
    public func historyWasSkipped(_ skipped: SkippedHistory) async {}
}
