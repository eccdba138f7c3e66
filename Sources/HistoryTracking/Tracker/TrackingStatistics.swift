/// What a tracker has done since it was made.
public struct TrackingStatistics: Hashable, Sendable {
    /// Walks round the loop, whether or not they brought something.
    public internal(set) var passes = 0
    /// Transactions and changes that were handed on.
    public internal(set) var transactions = 0
    public internal(set) var changes = 0
    /// Transactions of writers that gave no author.
    public internal(set) var withoutAuthor = 0
    /// Transactions of authors that are not among ``TrackingParameters/knownAuthors``, when there are any.
    public internal(set) var byUnknownAuthors = 0
    /// How often everything was read anew.
    public internal(set) var refreshes = 0
    /// How often a step threw, or the store did not answer.
    public internal(set) var failures = 0
    /// How often a step was passed over because it threw each time; see ``ParkedTransaction``.
    public internal(set) var parked = 0

    public init() {}
}
