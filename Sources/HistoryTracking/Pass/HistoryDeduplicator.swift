public import PersistentStore

/// Puts right what two writers made at once, such as the same page saved twice; called after the merge.
///
/// Make the rule deterministic, as "the smaller key stays": every process that tracks the store may run it, on
/// the same pair. What it saves does not come back to it.
public protocol HistoryDeduplicator: Sendable {
    /// - Parameter transactions: what was merged, oldest first; at least once each.
    func deduplicate(_ transactions: [HistoryTransaction]) async throws
}
