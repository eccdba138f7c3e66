import CSQLite

/// A statement that waits to be used again; none while it is in use.
final class KeptStatement {
    private var idle: OpaquePointer?

    /// One that was in use while the others were finalized.
    deinit { finalize() }

    func take() -> OpaquePointer? {
        defer { idle = nil }
        return idle
    }

    /// False when there is one already.
    func keep(_ statement: OpaquePointer) -> Bool {
        guard idle == nil else { return false }
        idle = statement
        return true
    }

    func finalize() { sqlite3_finalize(take()) }
}
