public import PersistentStore

/// The configuration of a tracker: a name, and variables for everything that differs from the default.
///
/// ```swift
/// var parameters = TrackingParameters(name: "report")
/// parameters.predicate = .authors(["app", "extension"])
/// parameters.start = .beginning
/// ```
public struct TrackingParameters: Sendable {
    /// The name of the consumer: the key of its cursor, and its name in reports, in the log, and for other
    /// programs that expect it. Two running trackers never share a cursor: the second becomes `name#2`.
    package var name: String
    /// The author under which the program writes, as ``batchAuthors`` and reports of consumers name it. Does
    /// not restrict delivery: contexts skip exactly their own transactions.
    public var author: String?

    /// The transactions to deliver to the consumer, the hooks, and the contexts; nil delivers all, including
    /// those of unknown authors and of writers without an author.
    ///
    /// `.authors(["app", nil])` restricts delivery to some authors; an empty set delivers nothing.
    /// `.not(.author("mirror"))` excludes the imports of a mirror.
    public var predicate: TransactionPredicate?
    /// The contexts to merge transactions into; each skips its own transactions.
    public var contexts: [StoreContext] = []
    public var deduplicator: (any HistoryDeduplicator)?

    /// The position at which a tracker without a stored cursor begins.
    public var start = TrackingStart.now
    public var cursor = CursorPolicy.everyPass
    /// Whether the store retains history that this consumer needs beyond the bounds.
    public var retention = ConsumerRetention.withinBounds

    public var cleaning = CleaningStrategy.byDuration(.seconds(6 * 3600))
    /// The history that cleaning purges although a consumer needs it, by age or size, and the history that it
    /// retains although every consumer has processed it.
    public var bounds = TrackingParameters.defaultBounds
    /// The names of consumers that cleaning waits for, up to the bounds, although they have not run yet. The
    /// start of the tracker registers those that are unknown.
    public var expectedConsumers: Set<String> = []
    /// The authors that write and never merge: cleaning does not wait for consumers that they registered.
    public var batchAuthors: Set<String> = []

    /// The number of consecutive failures of a step at a transaction after which the transaction is parked
    /// and later ones proceed.
    public var failuresBeforeParking = 3
    /// The pause before a failed pass is repeated; it grows up to 64 times this value.
    public var retryPause = Duration.seconds(1)
    /// The receiver of log messages, by default the standard error, a line for each; nil discards them.
    public var logger: (any TrackingLogger)? = StandardErrorLogger()
    public var logLevel = LogLevel.important
    /// Whether the tracker starts when it is created. To get errors of the start, call
    /// ``HistoryTracker/start()`` instead.
    public var startsAutomatically = false

    /// Seven days.
    package static let defaultBounds = HistoryBounds(maximumAge: .seconds(7 * 24 * 3600))

    public init(name: String) { self.name = name }
}
