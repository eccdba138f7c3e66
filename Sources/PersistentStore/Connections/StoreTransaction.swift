import SQLite

/// One transaction with the write lock: reads, decisions, and changes between which no other process writes.
///
/// It reads the store with its own changes. It cannot leave the closure that receives it, which runs on the writer's
/// thread: prepare the work before, since all other writers wait.
public struct StoreTransaction: ~Copyable {
    /// The state of the store with the changes so far, and the history before this transaction.
    public let snapshot: StoreSnapshot
    let store: StoreConnection
    let facts: StoreConnection.Facts
    let tables: ObjectTables
    let recorded: RecordedTransaction
    /// The first row of the transaction in the history, once an object with history has changed.
    private(set) var first: Int64?
    /// Whether a change was made that the history must record.
    private var isRecordable = false
    /// Whether data was changed that the history does not record.
    private var hasOtherChanges = false
    /// Whether each changed object exists, in a store with triggers of other programs.
    private var unconfirmed: [ObjectID: Bool] = [:]

    init(
        _ snapshot: consuming StoreSnapshot, _ store: StoreConnection, _ facts: StoreConnection.Facts,
        _ tables: ObjectTables, _ recorded: RecordedTransaction
    ) {
        self.snapshot = snapshot
        (self.store, self.facts, self.tables, self.recorded) = (store, facts, tables, recorded)
    }

    /// Inserts an object.
    ///
    /// - Returns: The object as it is stored, with its permanent ID.
    /// - Throws: ``StoreError/constraint(reason:)`` if a unique value exists.
    @discardableResult
    public mutating func insert(
        _ entity: String, _ values: [String: AttributeValue]
    ) throws(StoreError) -> StoredObject {
        let object = try change(entity) { try $0.insert(values, on: $1) }
        try noteChange(of: object.id, exists: true, isCertain: true)
        return object
    }

    /// Changes attributes of an object, regardless of its version.
    ///
    /// - Returns: The object after the change; nil if it does not exist.
    @discardableResult
    public mutating func update(
        _ id: ObjectID, _ changes: [String: AttributeValue]
    ) throws(StoreError) -> StoredObject? {
        let id = try own(id)
        let object = try change(id.entity) { try $0.update(id, changes, on: ChangeBasis(nil), $1) }
        if object != nil { try noteChange(of: id, exists: true, isCertain: false) }
        return object
    }

    /// Updates an object without reading its other values.
    ///
    /// - Parameter version: The version that the object must have; nil for any.
    /// - Returns: Whether the object exists at the version.
    @discardableResult
    package mutating func set(
        _ changes: [String: AttributeValue], of id: ObjectID, onVersion version: Int64? = nil
    ) throws(StoreError) -> Bool {
        let id = try own(id)
        let exists = try change(id.entity) { try $0.set(id, changes, version: version, $1) }
        if exists { try noteChange(of: id, exists: true, isCertain: false) }
        return exists
    }

    /// Deletes an object, regardless of its version.
    ///
    /// - Returns: Whether it existed.
    @discardableResult
    public mutating func delete(_ id: ObjectID) throws(StoreError) -> Bool {
        let id = try own(id)
        let isDone = try change(id.entity) { try $0.delete(id, version: nil, on: $1) }
        if isDone { try noteChange(of: id, exists: false, isCertain: true) }
        return isDone
    }

    /// Restores a deleted object under its ID, with the values that its tombstone retained; see
    /// ``StoreContext/restore(_:)``.
    ///
    /// - Throws: ``StoreError/noTombstone(_:)`` if the change is not a deletion, or no value was retained;
    ///   ``StoreError/constraint(reason:)`` if the object exists.
    @discardableResult
    public mutating func restore(_ deletion: HistoryChange) throws(StoreError) -> StoredObject {
        let id = try own(deletion.objectID)
        return try restore(id, try tables.query.entity(id.entity).restorable(deletion))
    }

    /// Restores a deleted object under its ID.
    @discardableResult
    package mutating func restore(
        _ id: ObjectID, _ values: [String: AttributeValue]
    ) throws(StoreError) -> StoredObject {
        let id = try own(id)
        let object = try change(id.entity) { try $0.restore(id.key, values, after: 0, on: $1) }
        try noteChange(of: id, exists: true, isCertain: true)
        return object
    }

    /// Moves a consumer's cursor forward in the same commit; never backward.
    ///
    /// - Throws: ``StoreError/unknownConsumer(_:)`` if no consumer of that name is registered;
    ///   ``StoreError/tokenFromFuture(newest:)`` if the store had not reached the token before this transaction.
    public mutating func moveCursor(of consumer: String, to token: HistoryToken) throws(StoreError) {
        guard token.storeID == recorded.storeID else { throw .tokenOfAnotherStore }
        let (first, now) = (first, recorded.options.clock())
        try perform { connection in
            try ConsumerTable.check(token, before: first, on: connection)
            try ConsumerTable.move(consumer, to: token, now: now, on: connection)
        }
        hasOtherChanges = true
    }
}

extension EntityDescription {
    /// Returns the values of a deletion's tombstone without attributes that the model has lost since then.
    func restorable(_ deletion: HistoryChange) throws(StoreError) -> [String: AttributeValue] {
        guard let tombstone = deletion.tombstone, !tombstone.isEmpty else {
            throw .noTombstone(deletion.objectID)
        }
        return tombstone.filter { attribute($0.key) != nil }
    }
}

/// Reads in a transaction.
extension StoreTransaction {
    /// Returns the objects or records of a request.
    public func fetch<Row>(_ request: StoreRequest<Row>) throws(StoreError) -> [Row] {
        try snapshot.fetch(request)
    }

    /// Returns one object with all its attributes, or nil if it does not exist.
    public func object(_ id: ObjectID) throws(StoreError) -> StoredObject? {
        let id = try own(id)
        guard id.isPermanent else { return nil }
        return try snapshot.fetch(FetchRequest(id.entity, where: .keys([id.key]))).first
    }
}

extension StoreTransaction {
    /// Runs a change of an entity's table, which the history records if the entity has one.
    mutating func change<Value>(
        _ entity: String, _ body: (ObjectTable, borrowing Connection) throws -> Value
    ) throws(StoreError) -> Value {
        let table = try tables.table(entity, facts.external)
        try beginRecording(table.entity)
        return try perform { try body(table, $0) }
    }

    /// Writes the first row of the transaction into the history, before the first recorded change.
    mutating func beginRecording(_ entity: EntityDescription) throws(StoreError) {
        if entity.attached != nil {
            _ = try beginRecordingRows()
        } else if !entity.tracksHistory {
            hasOtherChanges = true
        } else if first == nil {
            first = try perform { try recorded.begin(on: $0, facts.external) }
        }
    }

    /// Does the same before changes of rows of another program's tables. Returns the number of the first row.
    mutating func beginRecordingRows() throws(StoreError) -> Int64 {
        if let first { return first }
        let number = try perform { try recorded.begin(on: $0, facts.external) }
        first = number
        // The owner's triggers may change a table that is not recorded.
        hasOtherChanges = true
        return number
    }

    /// Notes a changed object, so that the end of the transaction proves that the change is stored.
    ///
    /// - Parameter isCertain: Whether a value certainly differs, so that the history must have a row.
    mutating func noteChange(of id: ObjectID, exists: Bool, isCertain: Bool) throws(StoreError) {
        if isCertain, try tables.query.entity(id.entity).tracksHistory { isRecordable = true }
        if !facts.external.isEmpty { unconfirmed[id] = exists }
    }

    func perform<Value>(_ body: (borrowing Connection) throws -> Value) throws(StoreError) -> Value {
        do {
            // After an error that ended the transaction, a statement would commit by itself.
            guard store.connection.isInTransaction else { throw store.endedEarly }
            return try body(store.connection)
        } catch {
            throw store.storeError(error)
        }
    }

    /// Returns an ID in the form that the store's own objects have.
    func own(_ id: ObjectID) throws(StoreError) -> ObjectID {
        guard id.isValid(in: tables.query.store) else { throw .objectOfAnotherStore(id) }
        return id.valid(in: tables.query.store)
    }

    /// Ends the transaction in the history, and proves its changes.
    mutating func end() throws -> (token: HistoryToken?, rows: ClosedRange<Int64>?, isEmpty: Bool) {
        let token = try first.flatMap { try recorded.end($0, on: store.connection, facts) }
        if token == nil, isRecordable { throw facts.external.notStored("history") }
        try checkReferences()
        for (id, exists) in unconfirmed {
            let table = try tables.table(id.entity, facts.external)
            if try (table.object(id, on: store.connection) != nil) == exists { continue }
            // By a rule of deletion.
            guard exists, try mayHaveCascaded(to: id) else { throw table.notStored }
        }
        // With verified triggers, and no others, a missing token means that no value changed.
        let isEmpty = token == nil && !hasOtherChanges && (first == nil || facts.external.isEmpty)
        // In a malicious store, a number may have any value.
        guard let first, let token, first <= token.number else { return (token, nil, isEmpty) }
        return (token, first...token.number, isEmpty)
    }
}

/// The value of a write, and the position of its transaction; nil if nothing changed.
package struct Written<Value: Sendable>: Sendable {
    package let value: Value
    package let token: HistoryToken?

    package init(value: Value, token: HistoryToken?) { (self.value, self.token) = (value, token) }
}

extension PersistentContainer {
    /// Reads, decides, and writes with the write lock: no process writes between the closure's reads and its changes.
    ///
    /// The changes are one transaction of the history; without changes, there is none. If the closure throws, nothing
    /// is saved, and its error arrives unchanged. Readers are not blocked; all other writers wait until the closure
    /// returns.
    ///
    /// - Parameters:
    ///   - author: The author to record in the history.
    ///   - name: The context name to record in the history.
    ///   - body: A closure that returns the result, on the writer's thread.
    /// - Returns: The closure's value, after the commit.
    @discardableResult
    nonisolated(nonsending) public func write<Value: Sendable>(
        author: String?, name: String? = nil, _ body: @Sendable (inout StoreTransaction) throws -> Value
    ) async throws -> Value {
        try await writer.write(as: TransactionOrigin(author, name), body).get().value
    }

    /// Does the same with a closure that throws only errors of the store; see `read(_:)`.
    @discardableResult
    nonisolated(nonsending) public func write<Value: Sendable>(
        author: String?, name: String? = nil,
        _ body: @Sendable (inout StoreTransaction) throws(StoreError) -> Value
    ) async throws(StoreError) -> Value {
        try await writer.write(as: TransactionOrigin(author, name), body).get().value
    }
}

extension StoreContext {
    /// Does the same as a write of the container, in this context's session: the transaction is this context's own.
    package nonisolated(nonsending) func write<Value: Sendable>(
        name: String? = nil, _ body: @Sendable (inout StoreTransaction) throws -> Value
    ) async throws -> Written<Value> {
        try await writer.write(as: origin(name), body).get()
    }

    package nonisolated(nonsending) func write<Value: Sendable>(
        name: String? = nil, _ body: @Sendable (inout StoreTransaction) throws(StoreError) -> Value
    ) async throws(StoreError) -> Written<Value> {
        try await writer.write(as: origin(name), body).get()
    }

    nonisolated func origin(_ name: String?) -> TransactionOrigin {
        TransactionOrigin(author: author, contextName: name ?? self.name, session: session)
    }
}
