import CSQLite

#if canImport(Musl)
import Musl
#else
import Glibc
#endif

/// An error of SQLite, with the statement but never its bound values.
package struct SQLiteError: Error, Sendable, CustomStringConvertible {
    /// The extended result code (sqlite.org/rescode.html).
    package let code: Int32
    package let message: String
    package let sql: String?
    /// The errno of the system call; 0 if none was recorded.
    package let systemError: Int32

    package init(code: Int32, message: String, sql: String? = nil, systemError: Int32 = 0) {
        self.code = code
        self.message = message
        self.sql = sql
        self.systemError = systemError
    }

    package var primary: Primary { Primary(rawValue: code & 0xff) ?? .other }

    package var description: String {
        guard let sql else { return "\(message) (SQLite code \(code))" }
        return "\(message) (SQLite code \(code), in: \(sql.prefix(120)))"
    }

    /// The primary result codes that callers distinguish.
    package enum Primary: Int32, Sendable {
        case busy = 5
        case locked = 6
        case noMemory = 7
        case readOnly = 8
        case interrupted = 9
        case inputOutput = 10
        case corrupt = 11
        case full = 13
        case cannotOpen = 14
        case tooBig = 18
        case constraint = 19
        case notADatabase = 26
        case other = -1
    }

    /// The kind of violated constraint.
    package enum Constraint: Int32, Sendable {
        case notNull = 1299
        case unique = 2067
        case kind = 3091
    }

    package var constraint: Constraint? { Constraint(rawValue: code) }

    /// Throws an error for a result code; all result codes are checked here.
    static func check(_ code: Int32, _ database: OpaquePointer?, sql: String? = nil) throws(SQLiteError) {
        guard code != SQLITE_OK && code != SQLITE_ROW && code != SQLITE_DONE else { return }
        throw failure(code, database, sql: sql)
    }

    static func failure(_ code: Int32, _ database: OpaquePointer?, sql: String? = nil) -> SQLiteError {
        let extended = database.map { sqlite3_extended_errcode($0) } ?? code
        let text = database.map { sqlite3_errmsg($0) } ?? sqlite3_errstr(code)
        let found = SQLiteError(
            code: extended & 0xff == code & 0xff ? extended : code,
            message: text.map { String(cString: $0) } ?? "unknown error", sql: sql)
        return database.map { found.withSystemError($0) } ?? found
    }

    /// Returns the error with the system's errno, if a system call caused it.
    ///
    /// SQLite reports a disk that fails to read as corruption (SQLITE_IOERR_CORRUPTFS), and so would send the
    /// user to a backup because of a loose cable.
    private func withSystemError(_ database: OpaquePointer) -> SQLiteError {
        switch primary {
        case .inputOutput, .cannotOpen:
            let said = sqlite3_system_errno(database)
            return SQLiteError(
                code: code, message: message, sql: sql,
                systemError: said == 0 ? csqlite_last_file_error(database) : said)
        case .corrupt where csqlite_last_file_error(database) == EIO:
            return SQLiteError(
                code: Primary.inputOutput.rawValue, message: "disk I/O error", sql: sql, systemError: EIO)
        default: return self
        }
    }
}
