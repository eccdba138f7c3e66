/// When a tracker cleans the history.
public enum CleaningStrategy: Hashable, Sendable {
    case none
    /// Not before so much time has passed since anybody cleaned the store; the time is kept in the store, so
    /// two launches within the interval clean once.
    case byDuration(Duration)
    /// After every `n` passes that brought something. Passes that end while a cleaning runs count for the next one.
    case byNotification(Int)
}
