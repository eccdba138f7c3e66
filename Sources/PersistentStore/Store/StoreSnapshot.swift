import SQLite

/// One state of the store, for the length of one read: everything asked of it fits together.
public struct StoreSnapshot {
    let connection: StoreConnection
    let log: HistoryLog
    let query: ObjectQuery

    /// The position of the newest transaction in this state.
    public func newestToken() throws -> HistoryToken {
        try log.newestToken(on: connection.connection)
    }

    public func fetch(_ request: FetchRequest) throws -> [StoredObject] {
        try query.fetch(request, on: connection.connection)
    }

    /// The number of objects that the predicate and the bounds of the request admit.
    public func count(_ request: FetchRequest) throws -> Int {
        try query.count(request, on: connection.connection)
    }

    /// Hands over the transactions that the request admits, in the order of their numbers, one at a time, so
    /// that any length of history takes the memory of its largest transaction.
    ///
    /// - Parameter body: returns false to stop.
    public func forEachTransaction(
        _ request: HistoryFetchRequest, _ body: (HistoryTransaction) throws -> Bool
    ) throws {
        try log.forEach(request, on: connection.connection, body)
    }

    public func transactions(_ request: HistoryFetchRequest) throws -> [HistoryTransaction] {
        var transactions: [HistoryTransaction] = []
        try forEachTransaction(request) { transaction in
            transactions.append(transaction)
            return true
        }
        return transactions
    }

    /// Whether an object with these values would be fetched by the predicate; nil admits all.
    public func matches(_ predicate: Predicate?, _ values: [String: Value], entity: String) throws -> Bool {
        guard let predicate else { return true }
        return try query.matches(predicate, values, entity: entity, on: connection.connection)
    }

    public func position(of object: StoredObject, in sort: SortOrder) -> SortPosition {
        query.position(of: object, in: sort)
    }

    /// The place of an object that need not be in the store, as one known from a tombstone.
    public func position(of id: ObjectID, value: Value, in sort: SortOrder) -> SortPosition {
        query.position(value: value, key: id.key, entity: id.entity, in: sort)
    }

    /// Throws ``StoreError/tokenExpired(oldest:)`` and its like when history after the token is not whole.
    public func check(_ token: HistoryToken) throws {
        let floor = try StoreMetadata.integer(.historyFloor, on: connection.connection) ?? 0
        try log.check(token, floor: floor, on: connection.connection)
    }

    /// All consumers with a cursor in the store, by name.
    public func consumers() throws -> [ConsumerRecord] {
        try ConsumerTable.all(log: log, on: connection.connection)
    }

    /// The number of rows that the history takes, about two more than changes for each transaction.
    package func historyRows() throws -> Int64 {
        let floor = try StoreMetadata.integer(.historyFloor, on: connection.connection) ?? 0
        return (try connection.connection.integer("SELECT max(number) FROM history") ?? floor) - floor
    }
}
