public import PersistentStore

/// How a tracker works.
public struct TrackingParameters: Sendable {
    /// The consumer's name; its cursor is kept under it.
    public var name: String
    /// Whom the cursor belongs to, for people who ask who still needs the history.
    public var author: String?
    /// Whose transactions are handed on; nil for everybody's, also of writers without an author, who are nil in
    /// the set. An empty set hands on nothing.
    public var authors: Set<String?>?
    /// The authors that the program knows; the work of others is counted, and handed on like any.
    public var knownAuthors: Set<String> = []
    /// Authors under which mirrors import.
    public var mirroringAuthors: Set<String> = []
    /// Whether what mirrors imported is handed on. A mirror itself leaves it false: its imports do not echo.
    public var includesMirroring = false
    /// Authors that write and never merge: cleaning does not wait for consumers that they registered.
    public var batchAuthors: Set<String> = []
    /// Contexts to keep up to date; each leaves out what it did itself.
    public var contexts: [StoreContext]
    public var cursor: CursorPolicy
    /// Stands before the name in the key of a cursor that is kept outside the store.
    public var cursorPrefix = "HistoryTracking.cursor."
    public var cleaning: CleaningStrategy
    /// What goes though somebody has not read it, by age or size, and what stays though everybody has.
    public var bounds: HistoryBounds
    /// Whether the store keeps what this consumer has not dealt with beyond the bounds.
    public var retention = ConsumerRetention.untilBackstop
    public var deduplicator: (any HistoryDeduplicator)?
    /// So many times in a row a step may throw at a transaction; then it is parked, and the later ones flow.
    public var failuresBeforeParking = 5
    /// The pause before a pass that failed is tried again; it grows to 64 times as much.
    public var retryPause = Duration.seconds(1)
    public var logger: any TrackingLogger
    public var logLevel: LogLevel
    /// Starts the tracker when it is made. Whoever wants to know whether that went well calls
    /// ``HistoryTracker/start()``.
    public var startsAutomatically = false

    /// Seven days.
    public static let usualBounds = HistoryBounds(maximumAge: .seconds(7 * 24 * 3600))

    public init(
        name: String, author: String? = nil, authors: Set<String?>? = nil, contexts: [StoreContext] = [],
        cursor: CursorPolicy = .everyPass, cleaning: CleaningStrategy = .byDuration(.seconds(6 * 3600)),
        bounds: HistoryBounds = TrackingParameters.usualBounds,
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
