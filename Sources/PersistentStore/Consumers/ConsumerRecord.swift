public import FoundationEssentials

/// A registered reader of the history, and how far it has come.
public struct ConsumerRecord: Hashable, Sendable {
    public let name: String
    /// Everything up to here it has dealt with.
    public let token: HistoryToken
    public let author: String?
    /// The process that registered it last.
    public let process: Int32?
    /// Whether that process is running.
    public let isRunning: Bool
    /// When the cursor was last moved or confirmed.
    public let lastSeen: Date
    /// Lives as long as its process; cleaning does not wait for it afterwards.
    public let isTransient: Bool
    /// How long what it has not dealt with is kept.
    public let retention: ConsumerRetention
    /// Transactions that it has not dealt with, at the time of asking: counted up to 32,768 rows of history, beyond
    /// that estimated from those.
    public let lag: Int
    public let isLagExact: Bool
}
