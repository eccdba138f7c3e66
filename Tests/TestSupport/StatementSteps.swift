import CSQLite
import Synchronization

/// The steps that SQLite's virtual machine took for the statements of a database in this process.
///
/// A number that repeats, unlike the time. Only connections that are opened after the first use are counted.
package enum StatementSteps {
    private static let steps = Mutex<[String: Int]>([:])
    private static let snapshots = Mutex<[String: Int]>([:])

    private static let isRegistered: Bool = {
        let count: @convention(c) (OpaquePointer?) -> Int32 = { connection in
            sqlite3_trace_v2(
                connection, UInt32(SQLITE_TRACE_PROFILE),
                { _, _, statement, _ in
                    StatementSteps.add(OpaquePointer(statement))
                    return 0
                }, nil)
        }
        let entry = unsafeBitCast(count, to: (@convention(c) () -> Void).self)
        return sqlite3_auto_extension(entry) == SQLITE_OK
    }()

    private static func add(_ statement: OpaquePointer?) {
        guard let file = sqlite3_db_filename(sqlite3_db_handle(statement), "main") else { return }
        let count = Int(sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_VM_STEP, 1))
        steps.withLock { $0[String(cString: file), default: 0] += count }
        let isWrite = sqlite3_txn_state(sqlite3_db_handle(statement), "main") == SQLITE_TXN_WRITE
        if !isWrite, String(cString: sqlite3_sql(statement)) == "PRAGMA schema_version" {
            snapshots.withLock { $0[String(cString: file), default: 0] += 1 }
        }
    }

    /// Returns the number of snapshots of the database at a path so far, each of which begins with the same statement.
    package static func snapshots(_ path: String) -> Int {
        precondition(isRegistered)
        return snapshots.withLock { $0[path, default: 0] }
    }

    /// Returns the number of steps on the database at a path so far.
    package static func count(_ path: String) -> Int {
        precondition(isRegistered)
        return steps.withLock { $0[path, default: 0] }
    }
}
