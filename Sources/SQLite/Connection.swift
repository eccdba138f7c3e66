import CSQLite

/// One connection to a database file, with one owner.
package struct Connection: ~Copyable {
    package enum Access: Sendable {
        case readOnly
        /// For a file that no process writes: without locks, and without SQLite's companion files
        /// (sqlite.org/uri.html). The reader must check that the file did not change while it read.
        case immutable
        case readWrite
        case create
    }

    let handle: DatabaseHandle

    /// Opens a connection without SQLite's own mutex: the owner is an actor.
    ///
    /// An untrusted file gets no trust: its triggers and views may not call unsafe functions, and SQL cannot
    /// rewrite the schema directly (sqlite.org/security.html).
    ///
    /// - Parameters:
    ///   - mayAttach: Whether SQL may open further files. Do not allow this without need, since an untrusted
    ///     file may contain any SQL.
    ///   - trustsSchema: Whether the file's own constraints, triggers, and views may call all of SQLite's functions except
    ///     those for direct use. SQLite marks JSON_VALID as one that an untrusted file may not call.
    ///   - isInterrupted: A closure that ends each wait for a lock once it returns true.
    package init(
        path: String, access: Access, busyTimeoutMilliseconds: Int64 = 5000, mayAttach: Bool = false,
        trustsSchema: Bool = false, isInterrupted: (@Sendable () -> Bool)? = nil
    ) throws(SQLiteError) {
        Self.configureOnce
        guard !path.utf8.contains(0) else {
            throw SQLiteError(code: SQLITE_CANTOPEN, message: "the path contains a NUL")
        }
        try DatabaseFiles.prepare(path, creates: access == .create)
        var pointer: OpaquePointer?
        let flags =
            switch access {
            case .readOnly: SQLITE_OPEN_READONLY
            case .immutable: SQLITE_OPEN_READONLY | SQLITE_OPEN_URI
            case .readWrite: SQLITE_OPEN_READWRITE
            case .create: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
            }
        let name = access == .immutable ? Self.immutableURI(path) : Self.fileName(path)
        let code = sqlite3_open_v2(name, &pointer, flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, nil)
        guard code == SQLITE_OK, let pointer else {
            let failure = SQLiteError.failure(code, pointer)
            sqlite3_close_v2(pointer)
            throw failure
        }
        let policy = BusyPolicy(
            timeoutMilliseconds: busyTimeoutMilliseconds, isInterrupted: isInterrupted)
        handle = DatabaseHandle(pointer: pointer, busyPolicy: policy)
        policy.install(on: pointer)
        _ = csqlite_configure(pointer, SQLITE_DBCONFIG_TRUSTED_SCHEMA, trustsSchema ? 1 : 0)
        _ = csqlite_configure(pointer, SQLITE_DBCONFIG_DEFENSIVE, 1)
        // A missing column is an error, never its own name as a value (sqlite.org/quirks.html#dblquote).
        _ = csqlite_configure(pointer, SQLITE_DBCONFIG_DQS_DML, 0)
        _ = csqlite_configure(pointer, SQLITE_DBCONFIG_DQS_DDL, 0)
        if !mayAttach { sqlite3_limit(pointer, SQLITE_LIMIT_ATTACHED, 0) }
    }

    private static func immutableURI(_ path: String) -> String {
        let special: [Unicode.Scalar: String] = ["%": "%25", "?": "%3f", "#": "%23"]
        return "file:" + path.unicodeScalars.map { special[$0] ?? String($0) }.joined() + "?immutable=1"
    }

    /// Returns a name that SQLite does not read as a URI, as it does in builds with SQLITE_USE_URI.
    private static func fileName(_ path: String) -> String { path.hasPrefix("file:") ? "./" + path : path }

    private static let configureOnce: Void = csqlite_configure_process()

    /// Runs every statement in `sql`, which must be fixed text without values.
    package func execute(_ sql: String) throws(SQLiteError) {
        try SQLiteError.check(sqlite3_exec(handle.pointer, sql, nil, nil, nil), handle.pointer, sql: sql)
    }

    /// Returns a statement, from the cache if possible. When destroyed, it returns to the cache.
    package func prepare(_ sql: String) throws(SQLiteError) -> Statement {
        let cached = handle.cachedStatement(sql)
        if let idle = cached?.checkOut() {
            return Statement(pointer: idle, sql: sql, handle: handle, cached: cached)
        }
        var statement: OpaquePointer?
        let flags = UInt32(SQLITE_PREPARE_PERSISTENT)
        let code = sqlite3_prepare_v3(handle.pointer, sql, -1, flags, &statement, nil)
        guard code == SQLITE_OK, let statement else {
            throw SQLiteError.failure(code, handle.pointer, sql: sql)
        }
        return Statement(pointer: statement, sql: sql, handle: handle, cached: cached)
    }

    /// Prepares a statement, binds the values, and steps to the end.
    package func run(_ sql: String, _ values: any Bindable...) throws(SQLiteError) {
        let statement = try prepare(sql, values)
        while try statement.step() {}
    }

    /// Returns the first column of the first row as an integer; nil if there is no row or it is NULL.
    package func integer(_ sql: String, _ values: any Bindable...) throws(SQLiteError) -> Int64? {
        let statement = try prepare(sql, values)
        guard try statement.step(), !statement.isNull(0) else { return nil }
        return statement.integer(0)
    }

    /// Returns the first column of each row as text.
    package func texts(_ sql: String, _ values: any Bindable...) throws(SQLiteError) -> [String] {
        let statement = try prepare(sql, values)
        var texts: [String] = []
        while try statement.step() { texts.append(statement.text(0)) }
        return texts
    }

    /// Returns a statement with its first parameters bound.
    package func prepare(_ sql: String, _ values: [any Bindable]) throws(SQLiteError) -> Statement {
        let statement = try prepare(sql)
        for (index, value) in values.enumerated() { try value.bind(to: statement, at: index + 1) }
        return statement
    }

    package var lastInsertedRow: Int64 { sqlite3_last_insert_rowid(handle.pointer) }
    /// The number of rows that the last statement changed, excluding those that triggers changed.
    package var changedRows: Int { Int(sqlite3_changes64(handle.pointer)) }
    package var isInTransaction: Bool { sqlite3_get_autocommit(handle.pointer) == 0 }
    /// Whether the connection is read-only. SQLite silently opens a file without write permission for reading
    /// (sqlite.org/c3ref/db_readonly.html).
    package var isReadOnly: Bool { sqlite3_db_readonly(handle.pointer, "main") == 1 }
    /// The duration of the last wait for a lock.
    package var waitedMilliseconds: Int64 { handle.busyPolicy.waitedMilliseconds }

    /// Returns the collation of a column; nil without one.
    package func collation(of column: String, in table: String) -> String? {
        var name: UnsafePointer<CChar>?
        sqlite3_table_column_metadata(handle.pointer, "main", table, column, nil, &name, nil, nil, nil)
        return name.map { String(cString: $0) }
    }

    /// Whether the transaction violates a deferred foreign key, so that it cannot be committed.
    package var hasOpenReferences: Bool {
        var (count, highest) = (Int32(0), Int32(0))
        sqlite3_db_status(handle.pointer, SQLITE_DBSTATUS_DEFERRED_FKS, &count, &highest, 0)
        return count > 0
    }

    package func setBusyTimeout(milliseconds: Int64) {
        handle.busyPolicy.timeoutMilliseconds = milliseconds
    }

    /// Copies the log into the database and truncates it, for which it waits for other connections up to a bound.
    ///
    /// - Returns: Whether the log is empty.
    package func truncateLog(waitingMilliseconds: Int64) throws(SQLiteError) -> Bool {
        let timeout = handle.busyPolicy.timeoutMilliseconds
        handle.busyPolicy.timeoutMilliseconds = waitingMilliseconds
        defer { handle.busyPolicy.timeoutMilliseconds = timeout }
        return try integer("PRAGMA wal_checkpoint(TRUNCATE)") == 0
    }

    /// Sets whether this connection's statements fire triggers. Foreign key actions continue
    /// (sqlite.org/c3ref/c_dbconfig_defensive.html).
    package func setTriggers(enabled: Bool) {
        _ = csqlite_configure(handle.pointer, SQLITE_DBCONFIG_ENABLE_TRIGGER, enabled ? 1 : 0)
    }

    /// Leaves the log unchanged when this connection closes, for a connection that must not touch the files
    /// again (sqlite.org/c3ref/c_dbconfig_defensive.html).
    package func skipCheckpointOnClose() {
        _ = csqlite_configure(handle.pointer, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
    }

    /// Sets whether a file that is not a database counts as an empty one, so that it can be overwritten
    /// within SQLite's locks (sqlite.org/c3ref/c_dbconfig_defensive.html, RESET_DATABASE).
    package func setReset(enabled: Bool) {
        _ = csqlite_configure(handle.pointer, SQLITE_DBCONFIG_RESET_DATABASE, enabled ? 1 : 0)
    }

    /// Sets whether SQL may change the schema table. Use it only for repairs, since errors in the schema are
    /// then ignored.
    package func setWritableSchema(enabled: Bool) {
        _ = csqlite_configure(handle.pointer, SQLITE_DBCONFIG_DEFENSIVE, enabled ? 0 : 1)
        _ = csqlite_configure(handle.pointer, SQLITE_DBCONFIG_WRITABLE_SCHEMA, enabled ? 1 : 0)
    }

    /// Returns the size of the file, without its log.
    package func fileSize() throws(SQLiteError) -> Int64 {
        var size: Int64 = 0
        try SQLiteError.check(csqlite_file_size(handle.pointer, &size), nil)
        return size
    }

    /// Reads bytes of the file, without its log, even if it is not a database.
    package func readFile(at offset: Int64, into bytes: UnsafeMutableRawBufferPointer) throws(SQLiteError) {
        let code = csqlite_read_file(handle.pointer, bytes.baseAddress, Int32(bytes.count), offset)
        try SQLiteError.check(code, handle.pointer)
    }

    /// Rewrites the database without unused pages, through a temporary database that SQLite attaches.
    package func vacuum() throws(SQLiteError) {
        let limit = sqlite3_limit(handle.pointer, SQLITE_LIMIT_ATTACHED, 1)
        defer { sqlite3_limit(handle.pointer, SQLITE_LIMIT_ATTACHED, limit) }
        try execute("VACUUM")
    }

    /// Runs a closure with the write lock and commits its changes, or none of them after an error.
    package func commit(_ changes: () throws -> Void) throws {
        try execute("BEGIN IMMEDIATE")
        do {
            try changes()
            try execute("COMMIT")
        } catch {
            rollBack()
            throw error
        }
    }

    package func rollBack() {
        if isInTransaction { sqlite3_exec(handle.pointer, "ROLLBACK", nil, nil, nil) }
    }
}
