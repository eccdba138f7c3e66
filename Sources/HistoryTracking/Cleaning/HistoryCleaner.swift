public import PersistentStore

/// Deletes the history that everybody has passed, when its strategy says so or when asked.
public actor HistoryCleaner {
    private let container: PersistentContainer
    private let strategy: CleaningStrategy
    private let maximumDuration: Duration
    private let minimumDuration: Duration
    private var passes = 0
    private var isCleaning = false

    public init(
        container: PersistentContainer, strategy: CleaningStrategy = .none,
        maximumDuration: Duration = .seconds(7 * 24 * 3600), minimumDuration: Duration = .zero
    ) {
        self.container = container
        self.strategy = strategy
        self.maximumDuration = maximumDuration
        self.minimumDuration = minimumDuration
    }

    init(container: PersistentContainer, parameters: TrackingParameters) {
        self.init(
            container: container, strategy: parameters.cleaning,
            maximumDuration: parameters.maximumDuration, minimumDuration: parameters.minimumDuration)
    }

    /// Cleans now, whatever the strategy.
    @discardableResult
    public func clean() async throws(StoreError) -> PurgeResult {
        try await container.purgeHistory(maximumAge: maximumDuration, minimumAge: minimumDuration)
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
