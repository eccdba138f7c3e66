import CSQLite

/// What SQLite refused, with the statement it refused and never the values that were bound to it.
package struct SQLiteError: Error, Sendable, CustomStringConvertible {
    /// The extended result code (sqlite.org/rescode.html).
    package let code: Int32
    package let message: String
    package let sql: String?

    package init(code: Int32, message: String, sql: String? = nil) {
        self.code = code
        self.message = message
        self.sql = sql
    }

    package var primary: Primary { Primary(rawValue: code & 0xff) ?? .other }

    package var description: String {
        guard let sql else { return "\(message) (SQLite code \(code))" }
        return "\(message) (SQLite code \(code), in: \(sql.prefix(120)))"
    }

    /// The primary result codes that callers tell apart.
    package enum Primary: Int32, Sendable {
        case ok = 0
        case busy = 5
        case locked = 6
        case noMemory = 7
        case readOnly = 8
        case interrupted = 9
        case inputOutput = 10
        case corrupt = 11
        case full = 13
        case cannotOpen = 14
        case schemaChanged = 17
        case tooBig = 18
        case constraint = 19
        case notADatabase = 26
        case other = -1
    }

    /// Which rule of a table was broken.
    package enum Constraint: Int32, Sendable {
        case notNull = 1299
        case unique = 2067
        case kind = 3091
    }

    package var constraint: Constraint? { Constraint(rawValue: code) }

    /// The one place where a result code becomes an error.
    static func check(_ code: Int32, _ database: OpaquePointer?, sql: String? = nil) throws(SQLiteError) {
        guard code != SQLITE_OK && code != SQLITE_ROW && code != SQLITE_DONE else { return }
        throw failure(code, database, sql: sql)
    }

    static func failure(_ code: Int32, _ database: OpaquePointer?, sql: String? = nil) -> SQLiteError {
        let extended = database.map { sqlite3_extended_errcode($0) } ?? code
        let text = database.map { sqlite3_errmsg($0) } ?? sqlite3_errstr(code)
        return SQLiteError(
            code: extended & 0xff == code & 0xff ? extended : code,
            message: text.map { String(cString: $0) } ?? "unknown error",
            sql: sql)
    }
}
