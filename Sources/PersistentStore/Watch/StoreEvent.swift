/// An event of a watched store.
public enum StoreEvent: Hashable, Sendable {
    /// Another process, or another connection of this one, committed. The token is that of the newest
    /// transaction and identifies the store; it is unchanged after a commit that recorded nothing.
    case committed(HistoryToken)
    /// The path no longer leads to the opened store; nothing more will be reported or written.
    case replaced
    /// File events are unavailable: the store is polled many times per second instead.
    case watchingByPolling
}
