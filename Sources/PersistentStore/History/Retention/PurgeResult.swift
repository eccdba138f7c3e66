/// The size of the history that a purge deleted, and of the requested part that it retained.
public struct PurgeResult: Hashable, Sendable {
    /// The number of deleted transactions.
    public var transactions = 0
    /// The number of deleted changes.
    public var changes = 0
    /// The number of transactions that were requested but retained, because a consumer still needs them.
    ///
    /// A purge by bounds does not request history that some consumer has not read. It does request history
    /// beyond a limit on age or size, which a consumer may retain always.
    public var retained = 0
    /// The names of the consumers that need the retained transactions.
    public var blockedBy: [String] = []

    public init() {}
}
