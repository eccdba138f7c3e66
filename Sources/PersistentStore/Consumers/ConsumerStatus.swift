public import FoundationEssentials
import SQLite

/// A registered reader of the history, with its cursor.
public struct ConsumerStatus: Hashable, Sendable {
    public let name: String
    /// The cursor: everything up to this position has been processed.
    public let token: HistoryToken
    public let author: String?
    /// The process that registered it last; nil for an expected consumer that has not run yet.
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

/// The retention of history that a consumer has not processed yet.
@nonexhaustive
public enum ConsumerRetention: Int, Hashable, Sendable, CaseIterable {
    /// Until it exceeds the maximum age or size. The consumer then gets ``StoreError/tokenExpired(oldest:)``
    /// and does a full refresh.
    case withinBounds = 0
    /// Always, regardless of age, size, and ignored authors: for a mirror that would otherwise have to start
    /// over. Only an explicit deletion that respects no consumers passes it.
    case always = 1
}

/// The number of transactions after a position, without reading all of a long history.
struct ConsumerLag {
    /// The maximum number of rows counted; beyond it, the result is an estimate.
    private static let maxRows: Int64 = 32_768

    let count: Int
    let isExact: Bool

    init(after position: Int64, newest: Int64, on connection: borrowing Connection) throws {
        let rows = try connection.prepare(
            """
            SELECT count(*), coalesce(sum(\(HistoryBoundary.isFirstRow)), 0), max(number) FROM
            (SELECT number, kind, at FROM history WHERE number > ?1 ORDER BY number LIMIT ?2)
            """)
        try rows.bind(position, at: 1)
        try rows.bind(Self.maxRows, at: 2)
        guard try rows.step(), rows.integer(0) == Self.maxRows, rows.integer(2) < newest else {
            count = Int(rows.integer(1))
            isExact = true
            return
        }
        let share = Double(newest - position) / Double(rows.integer(2) - position)
        count = max(1, Int(Double(rows.integer(1)) * share))
        isExact = false
    }
}
