import CSQLite

/// A prepared statement in use. When destroyed, it is reset and returned to its connection's cache.
///
/// Columns count from 0 and parameters from 1, as in SQLite.
package struct Statement: ~Copyable {
    private let pointer: OpaquePointer
    private let handle: DatabaseHandle
    private let cached: CachedStatement?
    package let sql: String

    init(pointer: OpaquePointer, sql: String, handle: DatabaseHandle, cached: CachedStatement?) {
        self.pointer = pointer
        self.sql = sql
        self.handle = handle
        self.cached = cached
    }

    deinit {
        sqlite3_reset(pointer)
        sqlite3_clear_bindings(pointer)
        if cached?.checkIn(pointer) != true { sqlite3_finalize(pointer) }
    }

    /// Steps to the next row. Returns false at the end.
    package func step() throws(SQLiteError) -> Bool {
        let code = sqlite3_step(pointer)
        if code == SQLITE_ROW { return true }
        if code == SQLITE_DONE { return false }
        throw SQLiteError.failure(code, handle.pointer, sql: sql)
    }

    /// Resets the statement, so that it can be bound and stepped again; parameters retain their values.
    package func reset() { sqlite3_reset(pointer) }

    package func bind(_ value: Int64, at index: Int) throws(SQLiteError) {
        try check(sqlite3_bind_int64(pointer, Int32(index), value))
    }

    package func bind(_ value: Double, at index: Int) throws(SQLiteError) {
        try check(sqlite3_bind_double(pointer, Int32(index), value))
    }

    package func bind(_ value: String, at index: Int) throws(SQLiteError) {
        var value = value
        try check(value.withUTF8 { bind($0, at: index) })
    }

    /// Binds the bytes of a text, which are valid UTF-8.
    package func bind(utf8 bytes: [UInt8], at index: Int) throws(SQLiteError) {
        try check(bytes.withUnsafeBufferPointer { bind($0, at: index) })
    }

    private func bind(_ bytes: UnsafeBufferPointer<UInt8>, at index: Int) -> CInt {
        bytes.withMemoryRebound(to: CChar.self) { text in
            // A null address would bind NULL, so empty text uses another one.
            sqlite3_bind_text64(
                pointer, Int32(index), text.baseAddress ?? UnsafePointer(bitPattern: 1), UInt64(text.count),
                csqlite_transient(), UInt8(SQLITE_UTF8))
        }
    }

    package func bind(_ value: [UInt8], at index: Int) throws(SQLiteError) {
        let code = value.withUnsafeBytes { bytes in
            value.isEmpty
                ? sqlite3_bind_zeroblob(pointer, Int32(index), 0)
                : sqlite3_bind_blob64(
                    pointer, Int32(index), bytes.baseAddress, UInt64(bytes.count), csqlite_transient())
        }
        try check(code)
    }

    /// Binds a column of another statement's row, with its bytes as stored.
    package func bind(_ column: Int, of row: borrowing Statement, at index: Int) throws(SQLiteError) {
        try check(sqlite3_bind_value(pointer, Int32(index), sqlite3_column_value(row.pointer, Int32(column))))
    }

    package func bindNull(at index: Int) throws(SQLiteError) {
        try check(sqlite3_bind_null(pointer, Int32(index)))
    }

    package var columnCount: Int { Int(sqlite3_column_count(pointer)) }
    package func isNull(_ column: Int) -> Bool { type(column) == .null }
    package func integer(_ column: Int) -> Int64 { sqlite3_column_int64(pointer, Int32(column)) }
    package func real(_ column: Int) -> Double { sqlite3_column_double(pointer, Int32(column)) }

    /// Returns text as UTF-8; invalid bytes become U+FFFD.
    package func text(_ column: Int) -> String {
        guard let bytes = sqlite3_column_text(pointer, Int32(column)) else { return "" }
        return String(decoding: UnsafeBufferPointer(start: bytes, count: byteCount(column)), as: UTF8.self)
    }

    /// Returns the beginning of a text, which ends between two characters.
    package func text(_ column: Int, upTo maxBytes: Int) -> String {
        guard byteCount(column) > maxBytes else { return text(column) }
        return withTextBytes(column) { bytes in
            var end = min(maxBytes, bytes.count)
            while end > 0, bytes[end] & 0xC0 == 0x80 { end -= 1 }
            return String(decoding: bytes[..<end], as: UTF8.self)
        }
    }

    /// The size of a text or a blob.
    package func byteCount(_ column: Int) -> Int { Int(sqlite3_column_bytes(pointer, Int32(column))) }

    /// Calls a closure with the bytes of a column as text, which are valid until the next step.
    package func withTextBytes<Result>(_ column: Int, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        let bytes = sqlite3_column_text(pointer, Int32(column))
        return body(UnsafeRawBufferPointer(start: bytes, count: byteCount(column)))
    }

    package func blob(_ column: Int) -> [UInt8] { withBlob(column) { [UInt8]($0) } }

    /// Calls a closure with the bytes of a column, which are valid until the next step.
    package func withBlob<Result>(_ column: Int, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        let bytes = sqlite3_column_blob(pointer, Int32(column))
        return body(UnsafeRawBufferPointer(start: bytes, count: byteCount(column)))
    }

    package func type(_ column: Int) -> StorageClass {
        StorageClass(rawValue: sqlite3_column_type(pointer, Int32(column))) ?? .null
    }

    private func check(_ code: Int32) throws(SQLiteError) {
        try SQLiteError.check(code, handle.pointer, sql: sql)
    }
}

/// SQLite's storage classes (sqlite.org/datatype3.html).
package enum StorageClass: Int32, Sendable {
    case integer = 1
    case real = 2
    case text = 3
    case blob = 4
    case null = 5
}

/// A value that can be bound to a parameter.
package protocol Bindable {
    func bind(to statement: borrowing Statement, at index: Int) throws(SQLiteError)
}

extension Int64: Bindable {
    package func bind(to statement: borrowing Statement, at index: Int) throws(SQLiteError) {
        try statement.bind(self, at: index)
    }
}

extension Int: Bindable {
    package func bind(to statement: borrowing Statement, at index: Int) throws(SQLiteError) {
        try statement.bind(Int64(self), at: index)
    }
}

extension Double: Bindable {
    package func bind(to statement: borrowing Statement, at index: Int) throws(SQLiteError) {
        try statement.bind(self, at: index)
    }
}

extension String: Bindable {
    package func bind(to statement: borrowing Statement, at index: Int) throws(SQLiteError) {
        try statement.bind(self, at: index)
    }
}

extension Optional: Bindable where Wrapped: Bindable {
    package func bind(to statement: borrowing Statement, at index: Int) throws(SQLiteError) {
        guard let value = self else { return try statement.bindNull(at: index) }
        try value.bind(to: statement, at: index)
    }
}
