import Glibc
import Platform
import SQLite

/// A hash of the parts of a store that an inspection compares with the model. A store has the seal of its last
/// inspected schema, so that the next process does not create all texts to compare them.
///
/// The seal covers the texts themselves: `PRAGMA schema_version` misses edits of `sqlite_schema`. It is keyed with
/// the ID of the machine's boot, which the author of a malicious store cannot know.
struct SchemaSeal: Equatable {
    private(set) var value: Int64

    /// Creates the seal of the present schema; nil on a machine whose boot has no ID.
    init?(_ connection: borrowing Connection) throws(SQLiteError) {
        guard let file = try? FileDescriptor("/proc/sys/kernel/random/boot_id", O_RDONLY),
            let key = try? file.read(limit: 64)
        else { return nil }
        let start = key.withUnsafeBytes { Self.combined(0, $0) }
        // A sum, since VACUUM changes the order of the rows.
        var sum: UInt64 = 0
        let rows = try connection.prepare(
            """
            SELECT name, tbl_name, sql FROM sqlite_schema UNION ALL SELECT id, name, 0 FROM history_entity
            UNION ALL SELECT entity, bit, name FROM history_attribute
            UNION ALL SELECT 0, 0, value FROM store_metadata WHERE key = 'model'
            """)
        while try rows.step() {
            var hash = start
            for column in 0..<3 { hash = rows.withTextBytes(column) { Self.combined(hash, $0) } }
            sum &+= hash
        }
        value = Int64(sum >> 4)
    }

    /// Whether the store has this seal.
    func isStored(on connection: borrowing Connection) throws(SQLiteError) -> Bool {
        try StoreMetadata.integer(.schemaSeal, on: connection) == value
    }

    func store(on connection: borrowing Connection) throws(SQLiteError) {
        try StoreMetadata.set(.schemaSeal, .integer(value), on: connection)
    }

    private static func combined(_ hash: UInt64, _ bytes: UnsafeRawBufferPointer) -> UInt64 {
        func mixed(_ hash: UInt64, _ word: UInt64) -> UInt64 {
            let product = (hash ^ word) &* 0x9E37_79B9_7F4A_7C15
            return product ^ product >> 32
        }
        var hash = mixed(hash, UInt64(bytes.count))
        var offset = 0
        while offset + 8 <= bytes.count {
            hash = mixed(hash, bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
            offset += 8
        }
        for byte in bytes[offset...] { hash = mixed(hash, UInt64(byte)) }
        return hash
    }
}
