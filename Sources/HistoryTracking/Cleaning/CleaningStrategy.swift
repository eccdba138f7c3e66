/// When a tracker cleans the history.
public enum CleaningStrategy: Hashable, Sendable {
    case none
    /// Not before so much time has passed since anybody cleaned the store; the time is kept in the store, so
    /// two launches within the interval clean once.
    case byDuration(Duration)
    /// At every so many passes that brought something.
    case byNotification(Int)
}
