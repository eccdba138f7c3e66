import PersistentStore

/// Merges transactions into contexts; each context skips its own transactions and nothing else.
struct HistoryMerger: Sendable {
    typealias Observer = @Sendable (MergeResult, StoreContext) async -> Void

    let contexts: [StoreContext]
    /// Receives the result of each merge that changed objects of a context.
    let didMerge: Observer?

    /// Whether one of the contexts committed the transaction.
    func isOwn(_ transaction: HistoryTransaction) -> Bool {
        contexts.contains { $0.session == transaction.session }
    }

    nonisolated(nonsending) func merge(_ transactions: [HistoryTransaction]) async throws(StoreError) {
        for context in contexts {
            let result = try await context.merge(transactions)
            if !result.isEmpty { await didMerge?(result, context) }
        }
    }

    /// Reads the objects of the contexts again, for when the transactions are not available.
    nonisolated(nonsending) func refetch() async {
        for context in contexts { await context.fullRefresh() }
    }
}
