import CSQLite

/// A cached statement; empty while it is in use.
final class CachedStatement {
    private var idle: OpaquePointer?

    /// Finalizes a statement that was in use while the others were finalized.
    deinit { finalize() }

    func checkOut() -> OpaquePointer? {
        defer { idle = nil }
        return idle
    }

    /// Returns a statement to the cache. Returns false if the entry has one already.
    func checkIn(_ statement: OpaquePointer) -> Bool {
        guard idle == nil else { return false }
        idle = statement
        return true
    }

    func finalize() { sqlite3_finalize(checkOut()) }
}
