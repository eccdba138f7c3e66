import CSQLite

/// Owner of one `sqlite3*` and of the statements prepared on it.
///
/// Confined to whoever owns the `Connection`. A `Statement` keeps it alive, so the handle is closed only
/// after the last statement is gone.
final class DatabaseHandle {
    let pointer: OpaquePointer
    let busyPolicy: BusyPolicy
    private var idleStatements: [String: OpaquePointer] = [:]

    /// More distinct statements than a store ever prepares; beyond it they are finalized, not kept.
    private static let mostIdleStatements = 128

    init(pointer: OpaquePointer, busyPolicy: BusyPolicy) {
        self.pointer = pointer
        self.busyPolicy = busyPolicy
    }

    deinit {
        finalizeIdleStatements()
        sqlite3_close_v2(pointer)
    }

    func takeIdleStatement(_ sql: String) -> OpaquePointer? {
        idleStatements.removeValue(forKey: sql)
    }

    func giveBack(_ statement: OpaquePointer, sql: String) {
        sqlite3_reset(statement)
        sqlite3_clear_bindings(statement)
        guard idleStatements.count < Self.mostIdleStatements, idleStatements[sql] == nil else {
            sqlite3_finalize(statement)
            return
        }
        idleStatements[sql] = statement
    }

    func finalizeIdleStatements() {
        for statement in idleStatements.values { sqlite3_finalize(statement) }
        idleStatements.removeAll()
    }
}
