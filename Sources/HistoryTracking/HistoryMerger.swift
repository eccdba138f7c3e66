import PersistentStore

/// Brings contexts up to date with transactions; each context leaves out what it did itself, and nothing else.
struct HistoryMerger {
    let contexts: [StoreContext]

    nonisolated(nonsending) func merge(_ transactions: [HistoryTransaction]) async throws(StoreError) {
        for context in contexts { _ = try await context.merge(transactions) }
    }

    /// For when the transactions themselves are not known.
    nonisolated(nonsending) func readAnew() async {
        for context in contexts { await context.readAnew() }
    }
}
