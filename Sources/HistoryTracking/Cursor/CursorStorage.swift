/// The policy for storing a consumer's cursor.
public enum CursorPolicy: Sendable {
    /// Stored in the store after each pass. Cleaning waits for this cursor. After a restart, only the last
    /// pass can repeat, if the process crashed before the cursor was stored.
    case everyPass
    /// For a consumer without memory, such as a screen. It starts from the current state each time; its
    /// cursor only prevents cleaning from overtaking it. Written at most this often; unregistered when the
    /// tracker stops.
    case transient(every: Duration)
    /// Stored outside the store after each pass, as for a store that is open read-only. Cleaning does not
    /// know this cursor and may purge the history that it needs; a full refresh follows.
    case external(any CursorStorage)

    var isTransient: Bool { if case .transient = self { true } else { false } }
}

/// A storage for cursors outside a store, under keys.
///
/// The tracker calls it on a separate thread, one call at a time; a call may block.
public protocol CursorStorage: Sendable {
    /// Returns the text that was stored last; nil if there is none.
    func cursor(forKey key: String) throws -> String?
    func setCursor(_ text: String, forKey key: String) throws
}
