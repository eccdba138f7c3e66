import SQLite

/// One state of the store for the duration of one read, or of one write; all its results are consistent. Inside a
/// write, they include its changes.
///
/// It cannot leave the closure that receives it: the compiler rejects a copy, and a capture by a task or by
/// another escaping closure. It is Sendable so that an actor on the reader's executor can enter itself with
/// `assumeIsolated` and use it there.
public struct StoreSnapshot: ~Copyable, Sendable {
    let source: SnapshotSource
    let query: ObjectQuery
    private let knownLog: HistoryLog?

    init(_ source: SnapshotSource, _ query: ObjectQuery, log: HistoryLog? = nil) {
        (self.source, self.query, knownLog) = (source, query, log)
    }

    /// The log of the history, which a write reads when it first needs it.
    var log: HistoryLog {
        get throws(StoreError) {
            if let knownLog { return knownLog }
            return try source.run { try $0.historyLog() }
        }
    }

    /// Returns the position of the newest transaction in this state.
    public func newestToken() throws(StoreError) -> HistoryToken {
        let log = try log
        if let bounds = log.knownBounds { return log.token(bounds.newest) }
        return try ask { [log] in try log.newestToken(on: $0) }
    }

    /// Returns the objects or records of a request.
    public func fetch<Row>(_ request: StoreRequest<Row>) throws(StoreError) -> [Row] {
        try ask { [query] in try request.rows.inStore(query, request.objects, $0) }
    }

    /// Returns the keys of the admitted objects, in the order of the request: eight bytes for each object.
    package func keys(_ request: FetchRequest) throws(StoreError) -> [Int64] {
        try ask { [query] in try query.keys(request, on: $0) }
    }

    /// Returns the number of objects or records that the condition and the bounds of the request admit.
    public func count<Row>(_ request: StoreRequest<Row>) throws(StoreError) -> Int {
        try ask { [query] in try query.count(request.objects, on: $0) }
    }

    /// Whether the predicate admits an object with these values; nil admits all.
    package func matches(_ predicate: ObjectPredicate?, _ values: [String: AttributeValue], entity: String)
        throws(StoreError) -> Bool
    {
        guard let predicate else { return true }
        return try ask { [query] in try query.matches(predicate, values, entity: entity, on: $0) }
    }

    /// Whether the predicate admits an object; nil admits all.
    package func matches(_ predicate: ObjectPredicate?, _ object: StoredObject) throws(StoreError) -> Bool {
        guard let predicate else { return true }
        if let known = query.matches(predicate, object) { return known }
        var values = object.values
        values["id"] = .integer(object.id.key)
        return try matches(predicate, values, entity: object.id.entity)
    }

    /// Returns the order of the objects of an entity under sort keys.
    package func order(_ sort: [SortKey], of entity: String) -> SortOrder { query.order(sort, of: entity) }

    package func position(of object: StoredObject, in sort: [SortKey]) -> SortPosition {
        order(sort, of: object.id.entity).position(of: object)
    }

    /// Returns the position of an object that need not be in the store, such as one known from a tombstone.
    package func position(of id: ObjectID, _ values: [String: AttributeValue], in sort: [SortKey])
        -> SortPosition
    {
        order(sort, of: id.entity).position(of: id.key, values)
    }

    /// Checks that all history after a token exists.
    ///
    /// - Throws: ``StoreError/tokenExpired(oldest:)`` or another token error.
    package func check(_ token: HistoryToken) throws(StoreError) {
        let log = try log
        if let bounds = log.knownBounds { return try log.check(token, bounds) }
        try ask { [log] in try log.check(token, on: $0) }
    }

    /// Whether more than `count` changes follow a token, without reading them.
    package func hasMoreChanges(after token: HistoryToken, than count: Int) throws(StoreError) -> Bool {
        try ask { [log = try log] in try log.hasMoreChanges(after: token.number, than: count, on: $0) }
    }

    /// Returns all consumers with a cursor in the store, by name.
    public func consumers() throws(StoreError) -> [ConsumerStatus] {
        try ask { [log = try log] in try ConsumerTable.all(log: log, on: $0) }
    }

    /// Whether a consumer of that name has run and has a cursor in the store.
    package func hasConsumer(_ name: String) throws(StoreError) -> Bool {
        try ask { try ConsumerTable.hasRun(name, on: $0) }
    }

    func lastCleaning() throws(StoreError) -> Int64 {
        try ask { try StoreMetadata.integer(.lastCleaning, on: $0) ?? 0 }
    }

    func ask<Answer: Sendable>(_ question: @Sendable (borrowing Connection) throws -> Answer)
        throws(StoreError) -> Answer
    {
        try source.run { try question($0.connection) }
    }
}

/// The actor whose connection a snapshot reads, and on whose thread the snapshot is used.
enum SnapshotSource: Sendable {
    case reader(StoreReader)
    case writer(StoreWriter)

    func run<Answer: Sendable>(
        _ body: @Sendable (StoreConnection) throws -> Answer
    ) throws(StoreError) -> Answer {
        switch self {
        case .reader(let reader):
            try reader.assumeIsolated { reader in
                Result { () throws(StoreError) in try StoreConnection.answer(reader.current, body) }
            }.get()
        case .writer(let writer):
            try writer.assumeIsolated { writer in
                Result { () throws(StoreError) in try StoreConnection.answer(writer.connection, body) }
            }.get()
        }
    }
}
