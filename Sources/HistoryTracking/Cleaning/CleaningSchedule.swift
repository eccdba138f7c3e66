/// Decides after which passes a tracker cleans; a value.
struct CleaningSchedule: Sendable {
    enum Job: Equatable, Sendable {
        case clean
        /// If no process has cleaned for that long.
        case cleanIfUnclaimed(Duration)
    }

    private let strategy: CleaningStrategy
    private var passes = 0
    private var nextCheck = ContinuousClock.now

    init(_ strategy: CleaningStrategy) { self.strategy = strategy }

    /// A pass that ends while a cleaning runs counts for the next one.
    mutating func passEnded(broughtSomething: Bool) {
        if broughtSomething { passes += 1 }
    }

    /// The job that is due; nil when none is.
    mutating func nextJob(_ now: ContinuousClock.Instant = .now) -> Job? {
        switch strategy {
        case .none: return nil
        case .byNotification(let count):
            guard passes >= max(1, count) else { return nil }
            passes = 0
            return .clean
        case .byDuration(let interval):
            // Asking the store costs little, but more than a pass.
            guard now >= nextCheck else { return nil }
            nextCheck = now + min(interval, .seconds(60))
            return .cleanIfUnclaimed(interval)
        }
    }
}
