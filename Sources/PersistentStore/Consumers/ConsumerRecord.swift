public import FoundationEssentials

/// A registered reader of the history, with its cursor.
public struct ConsumerRecord: Hashable, Sendable {
    public let name: String
    /// The cursor: everything up to this position has been processed.
    public let token: HistoryToken
    public let author: String?
    /// The process that registered it last.
    public let process: Int32?
    /// Whether that process is running.
    public let isRunning: Bool
    /// The time at which the cursor was last moved or confirmed.
    public let lastSeen: Date
    /// Whether the consumer exists only as long as its process; after that, cleaning ignores it.
    public let isTransient: Bool
    /// The retention of history that the consumer has not processed.
    public let retention: ConsumerRetention
    /// The number of unprocessed transactions at the time of the query, counted up to 32,768 rows of history
    /// and estimated from those beyond.
    public let lag: Int
    public let isLagExact: Bool
}
