/// The condition under which a tracker cleans the history.
@nonexhaustive
public enum CleaningStrategy: Hashable, Sendable {
    case none
    /// Cleans if no process has cleaned the store for this long. The time of the last cleaning is in the
    /// store, so two launches within the interval clean once.
    case byDuration(Duration)
    /// Cleans after every `n` passes with transactions. Passes that end during a cleaning count for the next
    /// one.
    case byNotification(Int)
}

/// The decision after which passes a tracker cleans.
struct CleaningSchedule: Sendable {
    enum Job: Equatable, Sendable {
        case clean
        /// Clean if no process has cleaned for this long.
        case cleanIfUnclaimed(Duration)
    }

    private let strategy: CleaningStrategy
    private var passes = 0
    private var nextCheck = ContinuousClock.now

    init(_ strategy: CleaningStrategy) { self.strategy = strategy }

    /// Counts a pass. A pass that ends during a cleaning counts for the next cleaning.
    mutating func passEnded(broughtSomething: Bool) {
        if broughtSomething { passes += 1 }
    }

    /// Returns the job that is due; nil if there is none.
    mutating func nextJob(_ now: ContinuousClock.Instant = .now) -> Job? {
        switch strategy {
        case .none: return nil
        case .byNotification(let count):
            guard passes >= max(1, count) else { return nil }
            passes = 0
            return .clean
        case .byDuration(let interval):
            // A query of the store is cheap, but costs more than a pass.
            guard now >= nextCheck else { return nil }
            nextCheck = now + min(interval, .seconds(60))
            return .cleanIfUnclaimed(interval)
        }
    }
}
