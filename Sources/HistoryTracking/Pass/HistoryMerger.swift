import PersistentStore

/// Brings contexts up to date with transactions; each context leaves out what it did itself, and nothing else.
struct HistoryMerger: Sendable {
    typealias Observer = @Sendable (MergeResult, StoreContext) async -> Void

    let contexts: [StoreContext]
    /// Told what each merge meant for a context's store, when it meant anything.
    let didMerge: Observer?

    /// Whether one of the contexts made the transaction.
    func isOwn(_ transaction: HistoryTransaction) -> Bool {
        contexts.contains { $0.session == transaction.session }
    }

    nonisolated(nonsending) func merge(_ transactions: [HistoryTransaction]) async throws(StoreError) {
        for context in contexts {
            let result = try await context.merge(transactions)
            if !result.isEmpty { await didMerge?(result, context) }
        }
    }

    /// For when the transactions themselves are not known.
    nonisolated(nonsending) func readAnew() async {
        for context in contexts { await context.fullRefresh() }
    }
}
