public import PersistentStore

/// A cleaner of the history that every consumer has processed, for manual use and for trackers.
package struct HistoryCleaner: Sendable {
    private let container: PersistentContainer
    private let bounds: HistoryBounds
    private let batchAuthors: Set<String>

    package init(
        container: PersistentContainer, bounds: HistoryBounds = TrackingParameters.defaultBounds,
        batchAuthors: Set<String> = []
    ) {
        self.container = container
        self.bounds = bounds
        self.batchAuthors = batchAuthors
    }

    /// Cleans now. If the task is cancelled, ends after the current batch; the next cleaning continues.
    @discardableResult
    nonisolated(nonsending) package func clean() async throws(StoreError) -> PurgeResult {
        try await container.purgeHistory(bounds, ignoring: batchAuthors)
    }

    /// Returns whether this process must clean now. The time of the last cleaning is in the store.
    nonisolated(nonsending) func claim(every interval: Duration) async throws(StoreError) -> Bool {
        try await container.claimCleaning(every: interval)
    }
}

extension HistoryTracker {
    /// Cleans the history now, within the tracker's bounds, regardless of its strategy. If the task is cancelled, ends after
    /// the current batch; the next cleaning continues.
    @discardableResult
    public nonisolated(nonsending) func clean() async throws(StoreError) -> PurgeResult {
        try await cleaner.clean()
    }
}
