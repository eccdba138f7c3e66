/// Counts since a tracker was created.
public struct TrackingStatistics: Hashable, Sendable {
    /// Passes, with or without transactions.
    public internal(set) var passes = 0
    /// Transactions and changes that were delivered.
    public internal(set) var transactions = 0
    public internal(set) var changes = 0
    /// Transactions of writers without an author.
    public internal(set) var withoutAuthor = 0
    /// Transactions of authors that are not in ``TrackingParameters/knownAuthors``; 0 if that set is empty.
    public internal(set) var byUnknownAuthors = 0
    /// Full refreshes.
    public internal(set) var refreshes = 0
    /// Failures of a step or of the store.
    public internal(set) var failures = 0
    /// Parked transactions, counted for each step; see ``ParkedTransaction``.
    public internal(set) var parked = 0

    public init() {}
}
