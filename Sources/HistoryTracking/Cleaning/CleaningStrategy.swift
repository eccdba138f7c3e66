/// The condition under which a tracker cleans the history.
public enum CleaningStrategy: Hashable, Sendable {
    case none
    /// Cleans if no process has cleaned the store for this long. The time of the last cleaning is in the
    /// store, so two launches within the interval clean once.
    case byDuration(Duration)
    /// Cleans after every `n` passes with transactions. Passes that end during a cleaning count for the next
    /// one.
    case byNotification(Int)
}
