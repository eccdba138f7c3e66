public import PersistentStore

/// Whoever reads the history with a cursor of its own: a view, an index, a mirror.
///
/// Both calls come on the executor of the container's reader, one at a time, inside one snapshot of the store:
/// what is read from it fits the transactions. An actor on that executor may enter itself with `assumeIsolated`.
public protocol HistoryConsumer: Sendable {
    /// How many changes are handed over at most; see ``BatchLimit``.
    var batchLimit: BatchLimit { get }

    /// Everything anew: at the first start, after too many changes, and when the cursor had expired, was of
    /// another store, or was damaged.
    func refresh(from snapshot: StoreSnapshot) throws

    /// All that has been committed since the last call, own work included, in order. When this throws, the same
    /// transactions come again: expect each at least once. One that throws each time is parked; see
    /// ``TrackingParameters/failuresBeforeParking``.
    func consume(_ transactions: [HistoryTransaction], in snapshot: StoreSnapshot) throws

    /// How the tracking is going, each time that changes.
    func trackingDidChange(_ state: TrackingState)
}

/// The number of changes that a consumer is given in one call, and the alternative when more follow its cursor.
public enum BatchLimit: Hashable, Sendable {
    /// A full refresh instead; for consumers whose cost depends on what they show. Hooks then get a
    /// ``SkippedHistory``.
    case refreshBeyond(Int)
    /// Up to so many in whole transactions, then the next ones. A transaction with more comes in pieces of so many,
    /// numbered by ``PersistentStore/HistoryTransaction/pieceIndex``.
    case split(Int)
}

extension HistoryConsumer {
    public var batchLimit: BatchLimit { .split(1000) }
    public func trackingDidChange(_ state: TrackingState) {}
}
