public import PersistentStore

/// The configuration of a tracker.
public struct TrackingParameters: Sendable {
    /// The name of the consumer, under which its cursor is stored.
    public var name: String
    /// The author that the cursor belongs to, for reports of the consumers that still need history.
    public var author: String?
    /// The authors whose transactions are delivered; nil for all. Nil in the set is for writers without an
    /// author. An empty set delivers nothing.
    public var authors: Set<String?>?
    /// The authors that the program knows; transactions of other authors are counted, and delivered like any.
    public var knownAuthors: Set<String> = []
    /// Authors under which mirrors import.
    public var mirroringAuthors: Set<String> = []
    /// Whether imports of mirrors are delivered. False in a mirror, so that it does not export its own
    /// imports.
    public var includesMirroring = false
    /// Authors that write and never merge: cleaning does not wait for consumers that they registered.
    public var batchAuthors: Set<String> = []
    /// The contexts to merge transactions into; each skips its own transactions.
    public var contexts: [StoreContext]
    public var cursor: CursorPolicy
    /// The prefix of the name in the key of a cursor outside the store.
    public var cursorPrefix = "HistoryTracking.cursor."
    public var cleaning: CleaningStrategy
    /// The history that cleaning purges although a consumer needs it, by age or size, and the history that it
    /// retains although every consumer has processed it.
    public var bounds: HistoryBounds
    /// Whether the store retains history that this consumer needs beyond the bounds.
    public var retention = ConsumerRetention.untilBackstop
    public var deduplicator: (any HistoryDeduplicator)?
    /// The number of consecutive failures of a step at a transaction after which the transaction is parked
    /// and later ones proceed.
    public var failuresBeforeParking = 5
    /// The pause before a failed pass is repeated; it grows up to 64 times this value.
    public var retryPause = Duration.seconds(1)
    public var logger: any TrackingLogger
    public var logLevel: LogLevel
    /// Whether the tracker starts when it is created. To get errors of the start, call
    /// ``HistoryTracker/start()`` instead.
    public var startsAutomatically = false

    /// Seven days.
    public static let defaultBounds = HistoryBounds(maximumAge: .seconds(7 * 24 * 3600))

    public init(
        name: String, author: String? = nil, authors: Set<String?>? = nil, contexts: [StoreContext] = [],
        cursor: CursorPolicy = .everyPass, cleaning: CleaningStrategy = .byDuration(.seconds(6 * 3600)),
        bounds: HistoryBounds = TrackingParameters.defaultBounds,
        logger: any TrackingLogger = StandardErrorLogger(), logLevel: LogLevel = .important
    ) {
        self.name = name
        self.author = author
        self.authors = authors
        self.contexts = contexts
        self.cursor = cursor
        self.cleaning = cleaning
        self.bounds = bounds
        self.logger = logger
        self.logLevel = logLevel
    }
}
