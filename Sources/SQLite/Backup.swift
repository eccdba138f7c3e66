import CSQLite

/// A copy of a database while it is in use (sqlite.org/backup.html).
///
/// Inside a transaction of the source's connection, it copies that snapshot, regardless of concurrent writes.
package struct Backup: ~Copyable {
    private let pointer: OpaquePointer
    private let destination: DatabaseHandle
    /// Retained for the duration of the copy.
    private let source: DatabaseHandle

    /// Creates a backup.
    ///
    /// - Parameter destination: The database whose contents are replaced in one commit, with the last step.
    package init(of source: borrowing Connection, into destination: borrowing Connection)
        throws(SQLiteError)
    {
        self.source = source.handle
        self.destination = destination.handle
        guard
            let pointer = sqlite3_backup_init(
                destination.handle.pointer, "main", source.handle.pointer, "main")
        else {
            let handle = destination.handle.pointer
            throw SQLiteError.failure(sqlite3_errcode(handle), handle)
        }
        self.pointer = pointer
    }

    deinit { sqlite3_backup_finish(pointer) }

    /// Locks the destination against other writers until the end of the copy; readers of it continue.
    package func lockDestination() throws(SQLiteError) { _ = try step(pages: 0) }

    /// Copies up to `pages` pages. Returns false when all are copied. An error contains only its code.
    package func step(pages: Int32) throws(SQLiteError) -> Bool {
        let code = sqlite3_backup_step(pointer, pages)
        if code == SQLITE_DONE { return false }
        guard code == SQLITE_OK else { throw SQLiteError.failure(code, nil) }
        return true
    }

    package var remainingPages: Int { Int(sqlite3_backup_remaining(pointer)) }
    package var totalPages: Int { Int(sqlite3_backup_pagecount(pointer)) }
}
