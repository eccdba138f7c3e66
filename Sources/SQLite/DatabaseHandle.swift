import CSQLite

/// The owner of one `sqlite3*` and of the statements prepared on it.
///
/// Confined to the owner of the `Connection`. A `Statement` retains it, so the handle closes only after the
/// last statement is destroyed.
final class DatabaseHandle {
    let pointer: OpaquePointer
    let busyPolicy: BusyPolicy
    private var cached: [String: CachedStatement] = [:]

    /// The size of the cache, larger than the number of distinct statements of a store. Further statements
    /// are finalized, not cached.
    private static let maxCached = 128

    init(pointer: OpaquePointer, busyPolicy: BusyPolicy) {
        self.pointer = pointer
        self.busyPolicy = busyPolicy
    }

    deinit {
        finalizeIdleStatements()
        sqlite3_close_v2(pointer)
    }

    /// Returns the cache entry of a statement, found once per use; nil if the cache is full.
    func cachedStatement(_ sql: String) -> CachedStatement? {
        if let known = cached[sql] { return known }
        guard cached.count < Self.maxCached else { return nil }
        let new = CachedStatement()
        cached[sql] = new
        return new
    }

    func finalizeIdleStatements() {
        for statement in cached.values { statement.finalize() }
        cached.removeAll()
    }
}
