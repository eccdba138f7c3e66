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

    /// Copies all pages.
    ///
    /// - Parameter progress: A closure called with the completed and the total number of pages, after each
    ///   part.
    package func run(_ progress: (_ done: Int, _ of: Int) -> Void) throws(SQLiteError) {
        while try step(pages: Self.pagesAtOnce) {
            let total = Int(sqlite3_backup_pagecount(pointer))
            progress(total - Int(sqlite3_backup_remaining(pointer)), total)
        }
    }

    private static let pagesAtOnce: Int32 = 2000

    /// Copies up to `pages` pages. Returns false when all are copied. An error contains only its code.
    private func step(pages: Int32) throws(SQLiteError) -> Bool {
        let code = sqlite3_backup_step(pointer, pages)
        if code == SQLITE_DONE { return false }
        guard code == SQLITE_OK else { throw SQLiteError.failure(code, nil) }
        return true
    }
}
