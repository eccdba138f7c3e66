import CSQLite

/// Owner of one `sqlite3*` and of the statements prepared on it.
///
/// Confined to whoever owns the `Connection`. A `Statement` keeps it alive, so the handle is closed only
/// after the last statement is gone.
final class DatabaseHandle {
    let pointer: OpaquePointer
    let busyPolicy: BusyPolicy
    private var kept: [String: KeptStatement] = [:]

    /// More distinct statements than a store ever prepares; beyond it they are finalized, not kept.
    private static let mostKept = 128

    init(pointer: OpaquePointer, busyPolicy: BusyPolicy) {
        self.pointer = pointer
        self.busyPolicy = busyPolicy
    }

    deinit {
        finalizeIdleStatements()
        sqlite3_close_v2(pointer)
    }

    /// The place of a statement in the cache, found once for each use; nil when the cache is full.
    func keptStatement(_ sql: String) -> KeptStatement? {
        if let known = kept[sql] { return known }
        guard kept.count < Self.mostKept else { return nil }
        let new = KeptStatement()
        kept[sql] = new
        return new
    }

    func finalizeIdleStatements() {
        for statement in kept.values { statement.finalize() }
        kept.removeAll()
    }
}
