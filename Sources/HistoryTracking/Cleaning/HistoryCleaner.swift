public import PersistentStore

/// Deletes the history that everybody has passed, when its strategy says so or when asked.
public actor HistoryCleaner {
    private let container: PersistentContainer
    private let strategy: CleaningStrategy
    private let bounds: HistoryBounds
    private let batchAuthors: Set<String>
    private var passes = 0
    private var isCleaning = false

    /// - Parameters:
    ///   - container: the store.
    ///   - strategy: when a tracker's cleaner cleans; ``clean()`` does at any time.
    ///   - bounds: what goes, or stays, whoever has read it.
    ///   - batchAuthors: authors whose consumers are not waited for.
    public init(
        container: PersistentContainer, strategy: CleaningStrategy = .none,
        bounds: HistoryBounds = TrackingParameters.usualBounds, batchAuthors: Set<String> = []
    ) {
        self.container = container
        self.strategy = strategy
        self.bounds = bounds
        self.batchAuthors = batchAuthors
    }

    /// Cleans now, whatever the strategy.
    @discardableResult
    public func clean() async throws(StoreError) -> PurgeResult {
        try await container.purgeHistory(bounds, ignoring: batchAuthors)
    }

    /// Cleans if the strategy allows it after one more pass; nil when it does not.
    ///
    /// - Parameter broughtSomething: whether the pass had transactions to hand on.
    func cleanIfDue(broughtSomething: Bool) async throws(StoreError) -> PurgeResult? {
        guard !isCleaning else { return nil }
        isCleaning = true
        defer { isCleaning = false }
        switch strategy {
        case .none: return nil
        case .byDuration(let interval):
            guard try await container.claimCleaning(every: interval) else { return nil }
        case .byNotification(let count):
            guard broughtSomething else { return nil }
            passes += 1
            guard passes >= max(1, count) else { return nil }
            passes = 0
        }
        return try await clean()
    }
}
