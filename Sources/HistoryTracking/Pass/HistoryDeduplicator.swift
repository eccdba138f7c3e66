public import PersistentStore

/// Repairs what two writers made simultaneously, such as the same page saved twice; called after the merge.
///
/// Make the rule deterministic, as "the smaller key stays": every process that tracks the store may run it, on
/// the same pair. What it saves does not come back to it.
public protocol HistoryDeduplicator: Sendable {
    /// - Parameter transactions: the merged ones, oldest first; at least once each. One with more changes than a batch
    ///   comes in pieces, one in each call; see ``PersistentStore/HistoryTransaction/pieceIndex``.
    func deduplicate(_ transactions: [HistoryTransaction]) async throws

    /// Called instead when a full refresh replaced a range of transactions, so that duplicates among them can be found
    /// in the current data. Does nothing by default.
    func historyWasSkipped(_ skipped: SkippedHistory) async
}

extension HistoryDeduplicator {
    public func historyWasSkipped(_ skipped: SkippedHistory) async {}
}
