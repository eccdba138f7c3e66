/// What a purge took away, and what it left though it was asked for.
public struct PurgeResult: Hashable, Sendable {
    /// Transactions that are gone.
    public var transactions = 0
    /// Changes that are gone with them.
    public var changes = 0
    /// Transactions that were asked for and stay, because a consumer still needs them.
    ///
    /// What a purge by bounds leaves because somebody has not passed it yet was not asked for; what the age or the
    /// size would take, and a consumer keeps always, was.
    public var kept = 0
    /// The names of the consumers that need them.
    public var heldBy: [String] = []

    public init() {}
}
