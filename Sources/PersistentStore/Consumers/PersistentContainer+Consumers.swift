public import FoundationEssentials
import SQLite

extension PersistentContainer {
    /// Registers a reader of the history, or takes over its cursor if its process has exited.
    ///
    /// - Parameters:
    ///   - name: The preferred name.
    ///   - author: The author of the consumer; cleaning can ignore the consumers of some authors.
    ///   - isTransient: Whether the consumer exists only as long as this process; after that, cleaning
    ///     ignores it.
    ///   - retention: The retention of history that the consumer has not processed; the last registration
    ///     decides.
    ///   - token: The initial position of a new consumer; nil means the newest transaction.
    /// - Returns: The actual name, which differs from the preferred one if a running process uses that, and
    ///   the position after which to read.
    nonisolated(nonsending) public func registerConsumer(
        _ name: String, author: String? = nil, isTransient: Bool = false,
        retention: ConsumerRetention = .withinBounds, startingAt token: HistoryToken? = nil
    ) async throws(StoreError) -> (name: String, token: HistoryToken) {
        if let token { try check(token) }
        let start = if let token { token } else { try await currentToken() }
        let now = options.clock()
        return try await writer.write { connection in
            try ConsumerTable.check(start, on: connection)
            return try ConsumerTable.register(
                name, author: author, startingAt: start, isTransient: isTransient,
                retention: retention, now: now, on: connection)
        }
    }

    /// Makes cleaning wait for a consumer that has not run yet, such as an extension that is installed later.
    ///
    /// The consumer is registered at the beginning of the readable history, without a process. The first
    /// process that registers under the name takes over that position. Does nothing if the name is registered.
    ///
    /// - Parameters:
    ///   - name: The name under which the consumer will register.
    ///   - author: The author of the consumer; cleaning can ignore the consumers of some authors.
    ///   - retention: The retention of history until the consumer registers. By default, cleaning waits up to
    ///     the maximum age and size.
    nonisolated(nonsending) public func expectConsumer(
        _ name: String, author: String? = nil, retention: ConsumerRetention = .withinBounds
    ) async throws(StoreError) {
        // The usual case, without the write lock.
        let isRegistered = try await reader.read { snapshot throws(StoreError) in
            try snapshot.ask { try ConsumerTable.isRegistered(name, on: $0) }
        }
        guard !isRegistered else { return }
        let now = options.clock()
        try await writer.write {
            try ConsumerTable.expect(name, author: author, retention: retention, now: now, on: $0)
        }
    }

    /// Moves a consumer's cursor forward; never backward.
    ///
    /// - Throws: ``StoreError/unknownConsumer(_:)`` if no consumer of that name is registered;
    ///   ``StoreError/tokenFromFuture(newest:)`` if the store has not reached the token.
    nonisolated(nonsending) public func moveCursor(of consumer: String, to token: HistoryToken)
        async throws(StoreError)
    {
        try check(token)
        let now = options.clock()
        try await writer.write {
            try ConsumerTable.check(token, on: $0)
            try ConsumerTable.move(consumer, to: token, now: now, on: $0)
        }
    }

    /// Sets a cursor to any position that the store has reached, for a consumer that has done a full refresh.
    nonisolated(nonsending) package func resetCursor(of consumer: String, to token: HistoryToken)
        async throws(StoreError)
    {
        try check(token)
        let now = options.clock()
        try await writer.write {
            try ConsumerTable.check(token, on: $0)
            try ConsumerTable.reset(consumer, to: token, now: now, on: $0)
        }
    }

    private func check(_ token: HistoryToken) throws(StoreError) {
        guard token.storeID == storeID else { throw .tokenOfAnotherStore }
    }

    /// Unregisters a consumer; cleaning no longer waits for it.
    nonisolated(nonsending) public func removeConsumer(_ name: String) async throws(StoreError) {
        try await writer.write { try ConsumerTable.remove(name, on: $0) }
    }
}

/// A registered reader of the history, with its cursor.
public struct ConsumerStatus: Hashable, Sendable {
    public let name: String
    /// The cursor: everything up to this position has been processed.
    package let token: HistoryToken
    package let author: String?
    /// The process that registered it last; nil for an expected consumer that has not run yet.
    package let process: Int32?
    /// Whether that process is running.
    public let isRunning: Bool
    /// The time at which the cursor was last moved or confirmed.
    public let lastSeen: Date
    /// Whether the consumer exists only as long as its process; after that, cleaning ignores it.
    package let isTransient: Bool
    /// The retention of history that the consumer has not processed.
    package let retention: ConsumerRetention
    /// The number of unprocessed transactions at the time of the query, counted up to 32,768 rows of history
    /// and estimated from those beyond.
    public let lag: Int
    package let isLagExact: Bool
}

/// The retention of history that a consumer has not processed yet.
@nonexhaustive
public enum ConsumerRetention: Int, Hashable, Sendable, CaseIterable {
    /// Until it exceeds the maximum age or size. The consumer then gets ``StoreError/tokenExpired(oldest:)``
    /// and does a full refresh.
    case withinBounds = 0
    /// Always, regardless of age, size, and ignored authors: for a mirror that would otherwise have to start
    /// over. Only an explicit deletion that respects no consumers passes it.
    case always = 1
}

/// The number of transactions after a position, without reading all of a long history.
struct ConsumerLag {
    /// The maximum number of rows counted; beyond it, the result is an estimate.
    private static let maxRows: Int64 = 32_768

    let count: Int
    let isExact: Bool

    init(after position: Int64, newest: Int64, on connection: borrowing Connection) throws {
        let rows = try connection.prepare(
            """
            SELECT count(*), coalesce(sum(\(HistoryBoundary.isFirstRow)), 0), max(number) FROM
            (SELECT number, kind, at FROM history WHERE number > ?1 ORDER BY number LIMIT ?2)
            """, [position, Self.maxRows])
        guard try rows.step(), rows.integer(0) == Self.maxRows, rows.integer(2) < newest else {
            count = Int(rows.integer(1))
            isExact = true
            return
        }
        let share = Double(newest - position) / Double(rows.integer(2) - position)
        count = max(1, Int(Double(rows.integer(1)) * share))
        isExact = false
    }
}
