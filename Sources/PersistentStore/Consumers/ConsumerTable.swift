import FoundationEssentials
import Platform
import SQLite

/// The cursors of consumers, in the same store as the history, so that work and cursor can be one commit.
enum ConsumerTable {
    /// Registers a consumer and returns its actual name and its cursor.
    ///
    /// Two running processes never share a cursor: the second gets the next free name, `app#2`, as a
    /// transient consumer. A name whose process has exited is taken over with its cursor.
    static func register(
        _ wanted: String, author: String?, startingAt token: HistoryToken, isTransient: Bool,
        retention: ConsumerRetention, now: Int64, on connection: borrowing Connection
    ) throws -> (name: String, token: HistoryToken) {
        var name = wanted
        var count = 1
        while let holder = try holder(of: name, on: connection), holder != ProcessIdentity.current,
            ProcessIdentity.isAlive(holder.process, start: holder.start)
        {
            count += 1
            name = "\(wanted)#\(count)"
        }
        let known = try position(of: name, on: connection)
        let current = ProcessIdentity.current
        let keepsCursor = known != nil && count == 1 && !isTransient
        let retained = keepsCursor ? known : nil
        try connection.run(
            """
            INSERT INTO history_consumer
            (name, position, generation, author, process, process_start, registered, seen, is_transient,
            retention)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?7, ?8, ?9) ON CONFLICT (name) DO UPDATE SET
            position = ?2, generation = ?3, author = ?4, process = ?5, process_start = ?6, seen = ?7,
            is_transient = ?8, retention = ?9
            """, name, retained?.position ?? token.number, retained?.generation ?? token.generation, author,
            Int64(current.process), current.start, now, (isTransient || count > 1) ? 1 : 0, retention.rawValue
        )
        guard try contains(name, on: connection) else { throw try notStored(on: connection) }
        guard let retained else { return (name, token) }
        return (
            name,
            HistoryToken(storeID: token.storeID, generation: retained.generation, number: retained.position)
        )
    }

    /// Registers a consumer that has not run yet, at the beginning of the readable history. It has no process,
    /// so the first one to register under its name takes it over. Does nothing if the name is registered.
    static func expect(
        _ name: String, author: String?, retention: ConsumerRetention, now: Int64,
        on connection: borrowing Connection
    ) throws {
        guard try !isRegistered(name, on: connection) else { return }
        try connection.run("DELETE FROM history_consumer WHERE name = ?1", name)
        let extent = try HistoryExtent(connection)
        try connection.run(
            """
            INSERT INTO history_consumer (name, position, generation, author, registered, seen, retention)
            VALUES (?1, ?2, ?3, ?4, ?5, ?5, ?6)
            """, name, extent.expiry, extent.generation, author, now, retention.rawValue)
        guard try contains(name, on: connection) else { throw try notStored(on: connection) }
    }

    /// Checks that the store has reached a token: an older copy may have been restored since then. A cursor
    /// beyond the end would skip what is committed later.
    ///
    /// - Parameter first: The first row of the present transaction; nil if it has none.
    static func check(_ token: HistoryToken, before first: Int64? = nil, on connection: borrowing Connection)
        throws
    {
        let newest = HistoryToken(
            storeID: token.storeID, generation: try StoreMetadata.integer(.generation, on: connection) ?? 1,
            number: try first.map { $0 - 1 } ?? HistoryBoundary.newest(on: connection))
        guard token.generation <= newest.generation, token.number <= newest.number else {
            throw StoreError.tokenFromFuture(newest: newest)
        }
    }

    /// Moves a cursor forward; it never moves backward within a generation.
    static func move(
        _ name: String, to token: HistoryToken, now: Int64, on connection: borrowing Connection
    ) throws {
        try connection.run(
            """
            UPDATE history_consumer SET seen = ?4,
            position = CASE WHEN generation = ?3 THEN max(position, ?2) ELSE ?2 END, generation = ?3
            WHERE name = ?1 AND generation <= ?3
            """, name, token.number, token.generation, now)
        guard let now = try position(of: name, on: connection) else { throw StoreError.unknownConsumer(name) }
        // A token of an older generation moves nothing, which is correct.
        let isReached =
            now.generation == token.generation
            ? now.position >= token.number : now.generation > token.generation
        guard isReached else { throw try notStored(on: connection) }
    }

    /// Returns the error of a cursor that was not stored: this table has no triggers of this library.
    private static func notStored(on connection: borrowing Connection) throws -> StoreError {
        var external = ExternalTriggers()
        let table = "history_consumer"
        let sql = "SELECT name FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = ?1"
        for name in try connection.texts(sql, table) { external.add(name, on: table) }
        return external.notStored(table)
    }

    /// Sets a cursor to any position, for a consumer that has just done a full refresh.
    static func reset(
        _ name: String, to token: HistoryToken, now: Int64, on connection: borrowing Connection
    ) throws {
        try connection.run(
            "UPDATE history_consumer SET position = ?2, generation = ?3, seen = ?4 WHERE name = ?1", name,
            token.number, token.generation, now)
        guard let now = try position(of: name, on: connection) else { throw StoreError.unknownConsumer(name) }
        guard now == (token.number, token.generation) else { throw try notStored(on: connection) }
    }

    static func remove(_ name: String, on connection: borrowing Connection) throws {
        try connection.run("DELETE FROM history_consumer WHERE name = ?1", name)
        guard try !contains(name, on: connection) else { throw try notStored(on: connection) }
    }

    private static func contains(_ name: String, on connection: borrowing Connection) throws -> Bool {
        try position(of: name, on: connection) != nil
    }

    /// Whether a consumer has the name, other than a transient one whose process has exited.
    static func isRegistered(_ name: String, on connection: borrowing Connection) throws -> Bool {
        try contains(name, on: connection) && !exited(on: connection).contains(name)
    }

    /// Whether a process has registered the name; false for an expected consumer that has not run.
    static func hasRun(_ name: String, on connection: borrowing Connection) throws -> Bool {
        try holder(of: name, on: connection) != nil
    }

    /// Returns the transient consumers whose process has exited.
    static func exited(on connection: borrowing Connection) throws -> [String] {
        var exited: [String] = []
        let statement = try connection.prepare(
            "SELECT name, process, process_start FROM history_consumer WHERE is_transient")
        while try statement.step() {
            let process = Int32(clamping: statement.integer(1))
            if !ProcessIdentity.isAlive(process, start: statement.optionalInteger(2)) {
                exited.append(statement.text(0))
            }
        }
        return exited
    }

    static func all(log: HistoryLog, on connection: borrowing Connection) throws -> [ConsumerStatus] {
        var records: [ConsumerStatus] = []
        let statement = try connection.prepare(
            """
            SELECT name, position, generation, author, process, process_start, seen, is_transient, retention
            FROM history_consumer ORDER BY name
            """)
        let storeID = log.token(0).storeID
        let newest = try HistoryBoundary.newest(on: connection)
        while try statement.step() {
            let process = statement.optionalInteger(4).map(Int32.init(clamping:))
            let start = statement.optionalInteger(5)
            let lag = try ConsumerLag(after: statement.integer(1), newest: newest, on: connection)
            records.append(
                ConsumerStatus(
                    name: statement.text(0),
                    token: HistoryToken(
                        storeID: storeID, generation: statement.integer(2), number: statement.integer(1)),
                    author: statement.optionalText(3), process: process,
                    isRunning: process.map { ProcessIdentity.isAlive($0, start: start) } ?? false,
                    lastSeen: Date(timeIntervalSince1970: Double(statement.integer(6)) / 1000),
                    isTransient: statement.integer(7) != 0,
                    retention: ConsumerRetention(rawValue: Int(statement.integer(8))) ?? .always,
                    lag: lag.count, isLagExact: lag.isExact))
        }
        return records
    }

    private static func position(
        of name: String, on connection: borrowing Connection
    ) throws -> (position: Int64, generation: Int64)? {
        let statement = try connection.prepare(
            "SELECT position, generation FROM history_consumer WHERE name = ?1", [name])
        return try statement.step() ? (statement.integer(0), statement.integer(1)) : nil
    }

    private struct Holder {
        let process: Int32
        let start: Int64?

        static func != (left: Holder, right: ProcessIdentity) -> Bool {
            left.process != right.process || left.start != right.start
        }
    }

    private static func holder(of name: String, on connection: borrowing Connection) throws -> Holder? {
        let statement = try connection.prepare(
            "SELECT process, process_start FROM history_consumer WHERE name = ?1", [name])
        guard try statement.step(), let process = statement.optionalInteger(0) else { return nil }
        return Holder(process: Int32(clamping: process), start: statement.optionalInteger(1))
    }
}

/// The positions of all consumers, which limit a purge.
///
/// A consumer whose cursor has expired, or belongs to another generation, must do a full refresh and needs
/// none of the remaining history. Neither does a transient one whose process has exited.
struct ConsumerHolds {
    private struct Hold {
        let name: String
        let position: Int64
        let isAlways: Bool
    }

    private var holds: [Hold] = []

    /// Creates the positions.
    ///
    /// - Parameter ignored: The authors whose consumers are ignored, unless they retain history always.
    init(_ extent: HistoryExtent, ignoring ignored: Set<String> = [], on connection: borrowing Connection)
        throws
    {
        let rows = try connection.prepare(
            """
            SELECT name, position, retention, author FROM history_consumer
            WHERE generation = ?1 AND position >= ?2 ORDER BY name
            """)
        let exited = Set(try ConsumerTable.exited(on: connection))
        try rows.bind(extent.generation, at: 1)
        try rows.bind(extent.expiry, at: 2)
        while try rows.step() {
            guard !exited.contains(rows.text(0)) else { continue }
            let isAlways = rows.integer(2) == Int64(ConsumerRetention.always.rawValue)
            if !isAlways, let author = rows.optionalText(3), ignored.contains(author) { continue }
            holds.append(Hold(name: rows.text(0), position: rows.integer(1), isAlways: isAlways))
        }
    }

    /// The position that all consumers have passed; nil if no consumer is respected.
    var passed: Int64? { holds.map(\.position).min() }

    /// The position beyond which nothing may be purged for any reason; nil without a limit.
    var limit: Int64? { holds.filter(\.isAlways).map(\.position).min() }

    /// Returns the names of the consumers that have not passed a number.
    func names(before number: Int64, always: Bool = false) -> [String] {
        holds.filter { $0.position < number && ($0.isAlways || !always) }.map(\.name)
    }
}
