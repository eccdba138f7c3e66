/// When and where a consumer's cursor is kept.
public enum CursorPolicy: Sendable {
    /// In the store, after each pass: what was dealt with does not come again after a restart, save for a crash
    /// in between, and cleaning waits for it.
    case everyPass
    /// A consumer without memory, such as a screen: it starts from the present state each time, and its cursor
    /// only keeps the cleaning from overtaking it. Written at most this often; forgotten when it stops.
    case transient(every: Duration)
    /// Outside the store, after each pass, as for a store that is open for reading only. Cleaning knows nothing
    /// of it, so being overtaken is usual; everything is then read anew.
    case elsewhere(any CursorStorage)

    var isTransient: Bool { if case .transient = self { true } else { false } }
}

/// Stores cursors outside a store, under keys. The calls come one at a time, on a thread of their own, and may block.
public protocol CursorStorage: Sendable {
    /// The text that was stored last; nil when there is none.
    func cursor(forKey key: String) throws -> String?
    func setCursor(_ text: String, forKey key: String) throws
}
