import FoundationEssentials
package import Platform
import SQLite

/// The connection that reads, on the event loop that also watches. It never writes, so `PRAGMA data_version`
/// on it changes with every commit of any other connection, including those of this process.
package actor StoreReader {
    package nonisolated let loop: EventLoop
    private let opening: StoreOpening
    private var open: Open?
    private var isClosed = false
    /// Whether a copy of another store, or an older state of this one, was restored into the file.
    private(set) var isRestored = false
    /// Whether the index was cut off, so that an access to its memory would end the process.
    private var hasCutIndex = false
    private var selections = SelectionCache()
    /// The model of the store, or of the present tables of an attached database.
    private var model: StoreModel
    /// The number of times a store without locks was opened again because a process began to write it.
    private var reopenings: Int64 = 0

    private struct Open {
        let connection: StoreConnection
        let storeID: UUID
        var log: HistoryLog
        var schemaVersion: Int64
    }

    init(loop: EventLoop, opening: StoreOpening) {
        self.loop = loop
        self.opening = opening
        model = opening.model
    }

    /// The executor for tasks that must stay on the reader's thread between their calls of actors on it.
    package nonisolated var taskExecutor: any TaskExecutor { loop }

    package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    /// Runs `body` on one snapshot of the store. Never waits for a writer.
    package func read<Value: Sendable>(
        _ body: @Sendable (inout StoreSnapshot) throws(StoreError) -> Value
    ) throws(StoreError) -> Value {
        try result(of: body).get()
    }

    /// Runs `body` on one snapshot of the store, and rethrows its error as it is.
    package func read<Value: Sendable>(
        _ body: @Sendable (inout StoreSnapshot) throws -> Value
    ) throws -> Value {
        try result(of: body).get()
    }

    /// Returns the result or the error of `body`.
    ///
    /// - Throws: The errors of the store outside of `body`.
    private func result<Value: Sendable, Failure: Error>(
        of body: @Sendable (inout StoreSnapshot) throws(Failure) -> Value
    ) throws(StoreError) -> Result<Value, Failure> {
        let deadline = ContinuousClock.now + opening.options.busyTimeout
        repeat {
            let opened: Open
            do {
                opened = try self.opened()
                try adapt(to: opened)
            } catch .schemaChanged where opening.isAttached && opening.options.access == .readWrite {
                try opening.adapt()
                continue
            }
            do {
                let result = try readOnce(opened, body)
                if opened.connection.isStillQuiet { return result }
            } catch {
                // Data read while a process wrote is undefined, and may look like a damaged store.
                if opened.connection.isStillQuiet { throw error }
            }
            // The next attempt uses locks if the writer is still there; it repeats only if all writers exit
            // immediately.
        } while ContinuousClock.now < deadline
        throw .busy(
            path: opening.path, holder: nil, milliseconds: Int(opening.options.busyTimeout.wholeMilliseconds))
    }

    /// Checks a recorded database whose owner may have changed its tables.
    private func adapt(to opened: Open) throws(StoreError) {
        guard opening.isAttached else { return }
        try opened.connection.read { connection in
            guard try connection.integer("PRAGMA schema_version") != opened.schemaVersion else { return }
            try opening.checkAttached(connection)
        }
    }

    private func readOnce<Value: Sendable, Failure: Error>(
        _ opened: Open, _ body: @Sendable (inout StoreSnapshot) throws(Failure) -> Value
    ) throws(StoreError) -> Result<Value, Failure> {
        var failure: Failure?
        do {
            return try .success(
                opened.connection.read { connection in
                    var snapshot = try snapshot(of: opened, on: connection)
                    do throws(Failure) {
                        return try body(&snapshot)
                    } catch {
                        failure = error
                        throw error
                    }
                })
        } catch {
            guard let failure else { throw error }
            return .failure(failure)
        }
    }

    private func snapshot(of opened: Open, on connection: borrowing Connection) throws -> StoreSnapshot {
        let schemaVersion = try connection.integer("PRAGMA schema_version") ?? 0
        if schemaVersion != opened.schemaVersion {
            try opening.checkSchema(connection)
            let log = try HistoryLog(connection)
            isRestored = log.token(0).storeID != opened.storeID
            guard !isRestored else { throw StoreError.replaced(path: opening.path) }
            open?.log = log
            open?.schemaVersion = schemaVersion
            try readModel(on: connection)
        }
        let log = (open?.log ?? opened.log).ofOneSnapshot(within: opening.options.oversized)
        return StoreSnapshot(
            .reader(self),
            ObjectQuery(
                model: model, store: log.store, selections: selections,
                oversized: opening.options.oversized),
            log: log)
    }

    /// Reads the entities of an attached database, whose tables its owner may change.
    private func readModel(on connection: borrowing Connection) throws {
        guard opening.isAttached else { return }
        model = try AttachedStore(path: opening.path).model(on: connection)
        selections = SelectionCache()
    }

    /// Returns the model, which is known once the store is open.
    func presentModel() throws(StoreError) -> StoreModel {
        _ = try opened()
        return model
    }

    /// The connection of the present read.
    var current: StoreConnection? { open?.connection }

    /// Returns the store's ID, which is known once the store is open.
    func storeID() throws(StoreError) -> UUID { try opened().storeID }

    /// Returns a number that changes with every commit of another connection
    /// (sqlite.org/pragma.html#pragma_data_version).
    func dataVersion() throws(StoreError) -> Int64 {
        let version = try opened().connection.perform { try $0.integer("PRAGMA data_version") }
        // SQLite's own version is a 32-bit number.
        return reopenings << 32 + (version ?? 0)
    }

    /// The index of the log that the connection reads; nil if there is none.
    var indexFile: FileIdentity? { open?.connection.indexFile }

    /// - Parameter trustsEvents: Whether file events report a change of the names of the log and its index.
    func isStillInPlace(trustsEvents: Bool) -> Bool {
        guard let connection = open?.connection, !isRestored else { return !isRestored }
        let isInPlace = connection.isStillInPlace(trustsEvents: trustsEvents)
        if !isInPlace { hasCutIndex = connection.hasCutIndex }
        return isInPlace
    }

    /// The size of the log in bytes; nil without one.
    var logSize: Int? { open?.connection.logSize }

    func close() {
        open = nil
        isClosed = true
        WriterLock.releaseUnlinked()
    }

    private func opened() throws(StoreError) -> Open {
        guard !hasCutIndex else { throw .replaced(path: opening.path) }
        if let open {
            guard !open.connection.isStillQuiet else { return open }
            guard open.connection.isStillInPlace else { throw .replaced(path: opening.path) }
            reopenings += 1
        }
        guard !isClosed else { throw .closed }
        let connection = try connect()
        let schemaVersion = try connection.read { reading in
            try opening.checkSchema(reading)
            try readModel(on: reading)
            return try reading.integer("PRAGMA schema_version") ?? 0
        }
        do {
            try connection.holdFiles()
            // Outside a transaction: damage that is tolerated inside one makes its COMMIT fail.
            let log = try HistoryLog(connection.connection)
            let opened = Open(
                connection: connection, storeID: log.token(0).storeID, log: log, schemaVersion: schemaVersion)
            open = opened
            return opened
        } catch {
            throw connection.storeError(error)
        }
    }

    private func connect() throws(StoreError) -> StoreConnection {
        guard opening.options.access == .readWrite else { return try opening.openForReading().0 }
        do {
            let connection = try Connection(
                path: opening.path, access: .readWrite,
                busyTimeoutMilliseconds: opening.options.busyTimeout.wholeMilliseconds,
                trustsSchema: opening.isAttached)
            try connection.execute("PRAGMA query_only = ON")
            return StoreConnection(connection, path: opening.path)
        } catch {
            throw StoreError(error, path: opening.path)
        }
    }
}

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
