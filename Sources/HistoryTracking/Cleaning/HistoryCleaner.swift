public import PersistentStore

/// Deletes the history that every consumer has processed; for use by hand, and by a tracker.
public struct HistoryCleaner: Sendable {
    private let container: PersistentContainer
    private let bounds: HistoryBounds
    private let batchAuthors: Set<String>

    /// - Parameters:
    ///   - container: the store.
    ///   - bounds: the history that is deleted, or retained, regardless of the consumers.
    ///   - batchAuthors: authors whose consumers are not waited for.
    public init(
        container: PersistentContainer, bounds: HistoryBounds = TrackingParameters.usualBounds,
        batchAuthors: Set<String> = []
    ) {
        self.container = container
        self.bounds = bounds
        self.batchAuthors = batchAuthors
    }

    /// Cleans now. When its task is cancelled it ends after the batch in hand; the next cleaning continues.
    @discardableResult
    nonisolated(nonsending) public func clean() async throws(StoreError) -> PurgeResult {
        try await container.purgeHistory(bounds, ignoring: batchAuthors)
    }

    /// Whether it is this process that cleans now: the time of the last cleaning is in the store.
    nonisolated(nonsending) func claim(every interval: Duration) async throws(StoreError) -> Bool {
        try await container.claimCleaning(every: interval)
    }
}
