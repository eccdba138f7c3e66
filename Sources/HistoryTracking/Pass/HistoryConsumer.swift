public import PersistentStore

/// A reader of the history with its own cursor: a view, an index, a mirror.
///
/// Both methods are called on the executor of the container's reader, one call at a time, inside one snapshot
/// of the store: data read from it matches the transactions. An actor on that executor can enter itself with
/// `assumeIsolated`.
public protocol HistoryConsumer: Sendable {
    /// The maximum number of changes per call; see ``BatchLimit``.
    var batchLimit: BatchLimit { get }

    /// Rebuilds the consumer's state from current data: at the first start, after too many changes, and when
    /// the cursor expired, was damaged, or belonged to another store.
    func refresh(from snapshot: borrowing StoreSnapshot) throws

    /// Processes everything that was committed since the last call, in order, including the program's own
    /// commits.
    ///
    /// Delivery is at least once: after an error, the same transactions arrive again. A transaction that
    /// fails repeatedly is parked; see ``TrackingParameters/failuresBeforeParking``.
    func consume(_ transactions: [HistoryTransaction], in snapshot: borrowing StoreSnapshot) throws

    /// Reports each change of the tracker's state.
    func trackingDidChange(_ state: TrackingState)
}

/// The maximum number of changes that a consumer receives in one call, and the action when more follow its
/// cursor.
@nonexhaustive
public enum BatchLimit: Hashable, Sendable {
    /// A full refresh replaces the changes; for consumers whose cost depends on the visible rows. Hooks then
    /// get a ``SkippedHistory``.
    case refreshBeyond(Int)
    /// Whole transactions with up to this many changes per call. A longer transaction arrives in pieces of
    /// this size, numbered by `HistoryTransaction.pieceIndex`.
    case split(Int)
}

extension HistoryConsumer {
    public var batchLimit: BatchLimit { .split(1000) }
    public func trackingDidChange(_ state: TrackingState) {}
}
