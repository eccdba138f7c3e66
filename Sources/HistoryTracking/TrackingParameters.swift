public import PersistentStore

/// How a tracker works.
public struct TrackingParameters: Sendable {
    /// The consumer's name; its cursor is kept in the store under it.
    public var name: String
    /// Whom the cursor belongs to, for people who ask who still needs the history.
    public var author: String?
    /// Whose transactions are handed on; nil for everybody's, also of writers without an author.
    public var authors: Set<String?>?
    /// Contexts to keep up to date; each leaves out what it did itself.
    public var contexts: [StoreContext]
    public var cursor: CursorPolicy
    public var cleaning: CleaningStrategy
    /// History older than this goes even when somebody has not read it.
    public var maximumDuration: Duration
    /// History younger than this stays even when everybody has read it, as for undoing and restoring.
    public var minimumDuration: Duration
    public var logger: any TrackingLogger
    public var logLevel: LogLevel

    public init(
        name: String, author: String? = nil, authors: Set<String?>? = nil, contexts: [StoreContext] = [],
        cursor: CursorPolicy = .everyPass, cleaning: CleaningStrategy = .byDuration(.seconds(6 * 3600)),
        maximumDuration: Duration = .seconds(7 * 24 * 3600), minimumDuration: Duration = .zero,
        logger: any TrackingLogger = StandardErrorLogger(),
        logLevel: LogLevel = .important
    ) {
        self.name = name
        self.author = author
        self.authors = authors
        self.contexts = contexts
        self.cursor = cursor
        self.cleaning = cleaning
        self.maximumDuration = maximumDuration
        self.minimumDuration = minimumDuration
        self.logger = logger
        self.logLevel = logLevel
    }
}

/// When a consumer's cursor is written into the store.
public enum CursorPolicy: Hashable, Sendable {
    /// After each pass: what was consumed is never consumed again after a restart, save for a crash in between.
    case everyPass
    /// A consumer without memory, such as a screen: it starts from the present state each time, and its cursor
    /// only keeps the cleaning from overtaking it. Written at most this often; forgotten when it stops.
    case transient(every: Duration)

    var isTransient: Bool { self != .everyPass }
}
