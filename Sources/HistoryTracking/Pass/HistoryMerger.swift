public import PersistentStore

/// Merges transactions into contexts; each context skips its own transactions and nothing else.
struct HistoryMerger: Sendable {
    let contexts: [StoreContext]

    /// Whether one of the contexts committed the transaction.
    func isOwn(_ transaction: HistoryTransaction) -> Bool {
        contexts.contains { $0.session == transaction.session }
    }

    /// Returns the results for the contexts with changed objects.
    nonisolated(nonsending) func merge(_ transactions: [HistoryTransaction]) async throws(StoreError)
        -> [(MergeResult, StoreContext)]
    {
        var results: [(MergeResult, StoreContext)] = []
        for context in contexts {
            let result = try await context.merge(transactions)
            if !result.isEmpty { results.append((result, context)) }
        }
        return results
    }

    /// Reads the objects of the contexts again, for when the transactions are not available.
    nonisolated(nonsending) func refetch() async {
        for context in contexts { await context.fullRefresh() }
    }
}

/// The action after a merge hook.
public enum MergeHookResult: Hashable, Sendable {
    /// Run the next hook; after the last one, the tracker's own merge.
    case proceed
    /// Skip the remaining hooks and the tracker's own merge: this hook has merged. The cursor still moves.
    case finish
}

/// A hook of the pipeline that runs before the tracker's own merge, or replaces it.
typealias MergeHook = @Sendable ([HistoryTransaction], [StoreContext]) async throws -> MergeHookResult

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
