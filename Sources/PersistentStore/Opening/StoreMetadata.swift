import FoundationEssentials
import SQLite

/// The metadata that a store records about itself.
struct StoreMetadata: Sendable {
    enum Key: String {
        case storeID = "store_id"
        /// The generation, raised when the history has a gap that tokens cannot show, such as after tracking
        /// was off.
        case generation
        case modelVersion = "model_version"
        case model
        /// See ``SchemaSeal``.
        case schemaSeal = "schema_seal"
        /// The number of the last row that cleaning deleted.
        case historyFloor = "history_floor"
        /// The number of the newest transaction that was deleted from between others; at or above the floor.
        case historyExpiry = "history_expiry"
        case deletions = "history_deletions"
        /// The number of retained changes above the floor, up to and including a number.
        case countedChanges = "counted_changes"
        case countedUpTo = "counted_up_to"
        /// The newest number at a time when timestamps were later than the clock.
        case ageMark = "age_mark"
        case ageMarkTime = "age_mark_time"
        case lastCleaning = "last_cleaning"
        /// The greatest ID that an object of an entity left; the entity's number follows.
        case lastID = "last_id"
    }

    let storeID: UUID
    let generation: Int64
    let modelVersion: Int64
    let model: String
    /// Whether the file is another program's database, whose tables are recorded.
    let isAttached: Bool

    init(_ connection: borrowing Connection) throws(SQLiteError) {
        var values: [String: AttributeValue] = [:]
        let statement = try connection.prepare("SELECT key, value FROM store_metadata")
        while try statement.step() { values[statement.text(0)] = statement.value(1) }
        guard let id = values[Key.storeID.rawValue]?.textValue.flatMap(UUID.init(text:)) else {
            throw SQLiteError(
                code: SQLiteError.Primary.corrupt.rawValue, message: "the store ID is missing")
        }
        // Numbers rise one by one; a number beyond this limit was set by an attacker. A damaged page is
        // reported when it is read.
        let newest = try? connection.integer("SELECT max(number) FROM history")
        guard (newest ?? nil) ?? 0 <= Self.farthest else {
            throw SQLiteError(
                code: SQLiteError.Primary.corrupt.rawValue,
                message: "its history has a number that is out of range")
        }
        storeID = id
        generation = values[Key.generation.rawValue]?.integerValue ?? 1
        modelVersion = values[Key.modelVersion.rawValue]?.integerValue ?? 0
        model = values[Key.model.rawValue]?.textValue ?? ""
        isAttached = values[AttachedStore.key] != nil
    }

    /// Returns the facts that each write needs, in one statement.
    static func identity(on connection: borrowing Connection) throws(SQLiteError) -> (
        storeID: UUID?, generation: Int64
    ) {
        let row = try connection.prepare(
            """
            SELECT (SELECT value FROM store_metadata WHERE key = 'store_id'),
            (SELECT value FROM store_metadata WHERE key = 'generation')
            """)
        guard try row.step() else { return (nil, 1) }
        return (UUID(text: row.text(0)), row.isNull(1) ? 1 : clamped(row.integer(1)))
    }

    /// Returns the bounds of the history, in one statement.
    static func historyBounds(on connection: borrowing Connection) throws(SQLiteError) -> (
        floor: Int64, expiry: Int64, newest: Int64
    ) {
        let row = try connection.prepare(
            """
            SELECT (SELECT value FROM store_metadata WHERE key = 'history_floor'),
            (SELECT value FROM store_metadata WHERE key = 'history_expiry'), (SELECT max(number) FROM history)
            """)
        guard try row.step() else { return (0, 0, 0) }
        let floor = clamped(row.integer(0))
        return (floor, max(floor, clamped(row.integer(1))), row.integer(2))
    }

    static func set(_ key: Key, _ value: AttributeValue, on connection: borrowing Connection)
        throws(SQLiteError)
    {
        try connection.run(
            "INSERT INTO store_metadata VALUES (?1, ?2) ON CONFLICT (key) DO UPDATE SET value = ?2",
            key.rawValue,
            value)
    }

    static func integer(_ key: Key, on connection: borrowing Connection) throws(SQLiteError) -> Int64? {
        try connection.integer("SELECT value FROM store_metadata WHERE key = ?1", key.rawValue)
            .map(clamped)
    }

    static func text(_ key: Key, on connection: borrowing Connection) throws(SQLiteError) -> String? {
        let statement = try connection.prepare("SELECT value FROM store_metadata WHERE key = ?1")
        try statement.bind(key.rawValue, at: 1)
        return try statement.step() ? statement.text(0) : nil
    }

    /// The limit for numbers in a malicious store, far enough from the limits of an integer that sums cannot
    /// overflow.
    static let farthest: Int64 = 1 << 60

    private static func clamped(_ number: Int64) -> Int64 { min(max(number, -farthest), farthest) }

    /// Returns the number before which tokens have expired.
    static func historyExpiry(floor: Int64, on connection: borrowing Connection) throws(SQLiteError) -> Int64
    {
        max(floor, try integer(.historyExpiry, on: connection) ?? 0)
    }

    static func remove(_ key: Key, on connection: borrowing Connection) throws(SQLiteError) {
        try connection.run("DELETE FROM store_metadata WHERE key = ?1", key.rawValue)
    }

    /// Expires all tokens because changes may have gone unrecorded: readers must discard their derived state.
    static func expireTokens(on connection: borrowing Connection) throws {
        let newest = try HistoryBoundary.newest(on: connection)
        let generation = try integer(.generation, on: connection) ?? 1
        try set(.generation, .integer(generation + 1), on: connection)
        try set(.historyExpiry, .integer(newest), on: connection)
    }
}
