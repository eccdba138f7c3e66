/// What a watched store has to say.
public enum StoreEvent: Hashable, Sendable {
    /// Somebody has committed: another process, or another connection of this one. The token is that of the
    /// newest transaction, and names the store; it is the same as before after a commit that recorded nothing.
    case committed(HistoryToken)
    /// The file at the path is no longer the store that was opened; nothing more will be told or written.
    case replaced
    /// There are no file events here: the store is asked many times a second instead.
    case watchingBySweep
}
