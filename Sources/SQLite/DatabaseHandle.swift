import CSQLite

/// The owner of one `sqlite3*` and of the statements prepared on it.
///
/// Confined to the owner of the `Connection`. A `Statement` retains it, so the handle closes only after the
/// last statement is destroyed.
final class DatabaseHandle {
    let pointer: OpaquePointer
    let busyPolicy: BusyPolicy
    private var cached: [StatementText: CachedStatement] = [:]

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
        let text = StatementText(sql: sql)
        if let known = cached[text] { return known }
        guard cached.count < Self.maxCached else { return nil }
        let new = CachedStatement()
        cached[text] = new
        return new
    }

    func finalizeIdleStatements() {
        for statement in cached.values { statement.finalize() }
        cached.removeAll()
    }
}

/// The text of a statement as a key. Texts differ in length, or are few: hashing whole texts costs more than a
/// comparison, which is one of addresses for the same text.
private struct StatementText: Hashable {
    let sql: String

    func hash(into hasher: inout Hasher) { hasher.combine(sql.utf8.count) }
}

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
