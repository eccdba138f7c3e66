import Platform
import SQLite

/// Recording the tables of a database that another program owns.
extension PersistentContainer {
    /// Attaches to another program's database, and begins to record tables if some are named.
    ///
    /// The history, its consumers, and the triggers that write it are added to the same file; they record each writer
    /// in the same commit. No table of the owner is altered. ``detach()`` removes all of it.
    ///
    /// Recorded tables with one integer as key are the entities of the container. A transaction changes rows of all
    /// tables by their keys, for example with ``StoreTransaction/insertRow(into:_:)``. The history, events, consumers,
    /// cursors, and cleaning are those of a store.
    ///
    /// - Parameters:
    ///   - path: The path of an existing database.
    ///   - tables: The tables to record in addition, which expires all tokens unless the database was not recorded; nil
    ///     for a database that is recorded already.
    ///   - values: The values that the history retains of these tables' rows.
    ///   - allowsWAL: Whether a database in another journal mode may be switched to WAL mode, in which it remains.
    ///   - options: The options for opening the database; it is never created.
    /// - Throws: ``StoreError/cannotAttach(path:reason:)`` if a table cannot be recorded;
    ///   ``StoreError/needsWAL(path:)`` if a switch to WAL mode is necessary and not allowed;
    ///   ``StoreError/notAttached(path:)`` if no table is recorded or named; ``StoreError/isStore(path:)`` for a store of
    ///   this library.
    public convenience init(
        attachingTo path: String, tables: [String]? = nil, values: RecordedValues = .oldValues,
        allowsWAL: Bool = false, options: StoreOptions = StoreOptions()
    ) async throws(StoreError) {
        let request = AttachmentRequest(tables: tables, values: values, allowsWAL: allowsWAL)
        try await self.init(
            path: path, model: StoreModel(version: 0, entities: []), options: options, memory: nil,
            attachment: request)
    }

    /// Returns each ordinary table of a database with the reason for which it cannot be recorded, as the end of a
    /// sentence, or nil. Writes nothing.
    package static func attachableTables(in path: String) throws(StoreError) -> [(
        table: String, refusal: String?
    )] {
        let options = StoreOptions()
        return try StoreError.convert(path: path, timeout: options.busyTimeout) {
            let opening = StoreOpening(
                path: path, model: try StoreModel(version: 0, entities: []), options: options,
                attachment: AttachmentRequest(values: .names, allowsWAL: false))
            guard FilePath.exists(path) else { throw StoreError.missing(path: path) }
            try opening.checkFile()
            let connection = try Connection(path: path, access: .readWrite, trustsSchema: true)
            try connection.execute("PRAGMA query_only = ON; BEGIN")
            guard try connection.integer("PRAGMA application_id") != StoreSchema.applicationID else {
                throw StoreError.isStore(path: path)
            }
            let isAttached = try AttachedStore(path: path).isAttached(connection)
            let names = try connection.texts(
                "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY rowid")
            var tables: [(table: String, refusal: String?)] = []
            for name in names where !name.hasPrefix("sqlite_") {
                if isAttached, AttachedStore.isReserved(name.lowercased()) { continue }
                do {
                    if !isAttached { try AttachedStore(path: path).checkNames(connection) }
                    _ = try AttachedSchema(name, on: connection)
                    tables.append((name, nil))
                } catch let refusal as AttachmentRefusal {
                    tables.append((name, refusal.reason))
                }
            }
            try connection.execute("COMMIT")
            return tables
        }
    }

    /// Stops the recording of tables. Their history remains, and all tokens expire when they are recorded again.
    nonisolated(nonsending) public func detach(tables: [String]) async throws(StoreError) {
        let path = path
        try await writer.write { connection in
            do {
                try AttachedStore(path: path).untrack(tables, on: connection)
            } catch let refusal as AttachmentRefusal {
                throw StoreError.cannotAttach(path: path, reason: refusal.reason)
            }
        }
    }

    /// Removes the history, its consumers, and all triggers, and closes the container. The schema of the database is
    /// then as it was before it was recorded; it remains in WAL mode.
    nonisolated(nonsending) public func detach() async throws(StoreError) {
        let path = path
        try await writer.write { try AttachedStore(path: path).remove(on: $0) }
        await close()
        try? FilePath.remove(Doorbell.path(store: FilePath.resolved(path)))
    }

    /// Undoes changes of recorded tables, the newest first, as one transaction: an inserted row is deleted, a deleted row
    /// is inserted, and the changed columns of an updated one get their old values.
    ///
    /// - Parameters:
    ///   - changes: The numbers of the changes.
    ///   - author: The author to record in the history.
    /// - Throws: ``StoreError/cannotRestore(path:reason:)`` if a row was changed later, or its values were not retained.
    nonisolated(nonsending) package func revert(changes: Set<Int64>, author: String?) async throws(StoreError)
    {
        let path = path
        try await write(author: author, name: "revert") { transaction throws(StoreError) in
            try transaction.revert(changes, path: path)
        }
    }
}

extension StoreSnapshot {
    /// Returns the tables that the history records or has recorded, if the container attached to a database.
    package func attachedTables() throws(StoreError) -> [AttachedTable] {
        let entities = try log.entities
        return entities.sorted { $0.key < $1.key }.compactMap { _, names in
            guard let rows = names.attached else { return nil }
            let entity = rows.entity
            var columns = entity.columns.compactMap { names.attributes[$0] }
            if entity.isRowKey, let row = entity.rowName { columns.insert(row, at: 0) }
            let keys = entity.keys.compactMap { names.attributes[$0] }
            return AttachedTable(
                name: entity.name, columns: columns,
                key: keys.isEmpty ? [entity.rowName ?? "rowid"] : keys, hasPrimaryKey: entity.hasKey,
                values: entity.values, refusal: entity.isTracked ? nil : entity.refusal ?? "it was detached")
        }
    }

    /// Calls a closure with each row of a recorded table, in this state: the first copy for a consumer that continues
    /// with the changes after ``newestToken()``. Holds a few hundred rows in memory.
    ///
    /// - Parameters:
    ///   - name: The name of the table.
    ///   - body: A closure that gets the key and the values of a row, and returns false to stop.
    /// - Throws: ``StoreError/unknownEntity(_:)`` for a table that the history has never recorded.
    public func forEachRow(
        of name: String,
        _ body: (_ key: [String: AttributeValue], _ values: [String: AttributeValue]) throws(StoreError) ->
            Bool
    ) throws(StoreError) {
        guard let table = try attachedTables().first(where: { $0.name == name }) else {
            throw .unknownEntity(name)
        }
        var last: [AttributeValue] = []
        while true {
            let position = last
            let rows = try ask { try AttachedPage(of: table, after: position).rows(on: $0) }
            for row in rows {
                let values = Dictionary(zip(table.columns, row.values)) { first, _ in first }
                let key =
                    table.hasPrimaryKey
                    ? values.filter { table.key.contains($0.key) }
                    : [table.key[0]: row.position[0]]
                guard try body(key, values) else { return }
            }
            guard rows.count == AttachedPage.size, let end = rows.last?.position else { return }
            last = end
        }
    }
}

/// Some rows of a table, in the order of their numbers or of their key.
private struct AttachedPage {
    static let size = 256

    let table: AttachedTable
    let position: [AttributeValue]

    init(of table: AttachedTable, after position: [AttributeValue]) {
        (self.table, self.position) = (table, position)
    }

    func rows(on connection: borrowing Connection) throws -> [(
        position: [AttributeValue], values: [AttributeValue]
    )] {
        let schema = try AttachedSchema(table.name, on: connection)
        let name = StoreSchema.quoted(schema.name)
        let order = (schema.rowName.map { [$0] } ?? schema.keyColumns.map(\.name)).map {
            "\(name).\(StoreSchema.quoted($0))"
        }
        let columns = table.columns.map { "\(name).\(StoreSchema.quoted($0))" }
        let marks = order.indices.map { "?\($0 + 1)" }.joined(separator: ", ")
        let after =
            position.isEmpty ? "" : " WHERE (\(order.joined(separator: ", "))) > (\(marks))"
        let rows = try connection.prepare(
            """
            SELECT \((order + columns).joined(separator: ", ")) FROM \(name)\(after)
            ORDER BY \(order.joined(separator: ", ")) LIMIT \(Self.size)
            """, binding: position)
        var found: [(position: [AttributeValue], values: [AttributeValue])] = []
        while try rows.step() {
            found.append(
                (
                    order.indices.map { rows.value($0) },
                    columns.indices.map { rows.value(order.count + $0) }
                ))
        }
        return found
    }
}

/// Facts that a program stores with the history of an attached database.
package struct AttachmentNotes: Sendable {
    /// The age beyond which its followers delete history.
    package var retention: Duration?
    /// The transactions that a consumer could not process, oldest first, by the consumer's name.
    package var parked: [String: [Int64]] = [:]
}

extension PersistentContainer {
    private static let retentionKey = "attached_retention"
    private static let parkedKey = "attached_parked_"
    private static let maxParked = 1000

    /// Whether a database is in WAL mode, so that recording need not switch it.
    package static func isInWALMode(_ path: String) throws(StoreError) -> Bool {
        do {
            return try Connection(path: path, access: .readWrite, trustsSchema: true).texts(
                "PRAGMA journal_mode") == ["wal"]
        } catch {
            throw StoreError(error, path: path)
        }
    }

    package nonisolated(nonsending) func notes() async throws(StoreError) -> AttachmentNotes {
        try await reader.read { snapshot throws(StoreError) in
            try snapshot.ask { connection in
                var notes = AttachmentNotes()
                let rows = try connection.prepare(
                    "SELECT key, value FROM store_metadata WHERE key GLOB 'attached_*'")
                while try rows.step() {
                    let key = rows.text(0)
                    if key == Self.retentionKey {
                        notes.retention = .seconds(min(max(0, rows.integer(1)), 1 << 40))
                    }
                    if key.hasPrefix(Self.parkedKey) {
                        notes.parked[String(key.dropFirst(Self.parkedKey.count))] =
                            rows.text(1).split(separator: ",").compactMap { Int64($0) }
                    }
                }
                return notes
            }
        }
    }

    package nonisolated(nonsending) func setRetention(_ retention: Duration) async throws(StoreError) {
        try await writer.write { connection in
            try StoreMetadata.set(Self.retentionKey, retention.components.seconds, on: connection)
        }
    }

    /// Records that a consumer could not process a transaction, and moves its cursor past it in the same commit.
    package nonisolated(nonsending) func park(_ token: HistoryToken, of consumer: String)
        async throws(StoreError)
    {
        let now = options.clock()
        try await writer.write { connection in
            let key = Self.parkedKey + consumer
            let known =
                try connection.texts("SELECT value FROM store_metadata WHERE key = ?1", key).first ?? ""
            let all =
                known.split(separator: ",").suffix(Self.maxParked - 1).map(String.init) + ["\(token.number)"]
            try StoreMetadata.set(key, all.joined(separator: ","), on: connection)
            try ConsumerTable.move(consumer, to: token, now: now, on: connection)
        }
    }
}

/// Opening another program's database, whose tables are recorded.
extension StoreOpening {
    var isAttached: Bool { attachment != nil }

    private var attached: AttachedStore { AttachedStore(path: path) }

    /// Prepares a recorded database, or begins to record it.
    func attach(_ request: AttachmentRequest, _ connection: borrowing Connection, _ schema: SchemaGuard?)
        throws
        -> StoreMetadata
    {
        try connection.execute("BEGIN")
        let isNew = try !identifyAttached(connection)
        try connection.execute("COMMIT")
        guard !isNew || request.tables != nil else { throw StoreError.notAttached(path: path) }
        if isNew { try prepareLog(request, connection) }
        try connection.execute("BEGIN IMMEDIATE")
        do {
            // Another process may have attached since.
            let isNew = try !identifyAttached(connection)
            if isNew { try attached.create(now: options.clock(), on: connection) }
            let hasChanged = try attached.verify(on: connection) && !isNew
            let isExtended = try attached.track(request.tables ?? [], request.values, on: connection)
            // Consumers have not read the rows of another table.
            if isExtended, !isNew { try StoreMetadata.expireTokens(on: connection) }
            try connection.execute(isNew || hasChanged || isExtended ? "COMMIT" : "ROLLBACK")
        } catch let refusal as AttachmentRefusal {
            connection.rollBack()
            throw StoreError.cannotAttach(path: path, reason: refusal.reason)
        } catch {
            connection.rollBack()
            throw error
        }
        return try StoreMetadata(connection)
    }

    private func prepareLog(_ request: AttachmentRequest, _ connection: borrowing Connection) throws {
        guard try connection.texts("PRAGMA journal_mode") != ["wal"] else { return }
        guard request.allowsWAL else { throw StoreError.needsWAL(path: path) }
        try untilNotBusy { () throws(SQLiteError) in try connection.execute("PRAGMA journal_mode = WAL") }
        guard try connection.texts("PRAGMA journal_mode") == ["wal"] else {
            throw StoreError.cannotAttach(path: path, reason: "SQLite cannot switch it to WAL mode")
        }
    }

    /// Returns whether the database is recorded.
    ///
    /// - Throws: ``StoreError/isStore(path:)`` for a store of this library.
    func identifyAttached(_ connection: borrowing Connection) throws -> Bool {
        guard try connection.integer("PRAGMA application_id") != StoreSchema.applicationID else {
            throw StoreError.isStore(path: path)
        }
        return try attached.isAttached(connection)
    }

    /// Rejects a database whose schema was changed since it was verified. The next write, or ``adapt()``, verifies it.
    func checkAttached(_ connection: borrowing Connection) throws {
        guard try identifyAttached(connection) else { throw StoreError.notAttached(path: path) }
        guard try attached.isVerified(connection) else {
            throw StoreError.schemaChanged(
                path: path, reason: "a table may have changed, so its recording must be adapted to it")
        }
    }

    /// Verifies the schema with the write lock.
    func verifyAttached(_ connection: borrowing Connection) throws -> Bool {
        guard try identifyAttached(connection) else { throw StoreError.notAttached(path: path) }
        return try attached.verify(on: connection)
    }

    /// Adapts the recording to tables that the owner changed.
    func adapt() throws(StoreError) {
        var opening = self
        opening.attachment?.tables = nil
        _ = try opening.open()
    }

    /// Runs a statement that requires exclusive access and does not call the busy handler, until the timeout.
    func untilNotBusy(_ body: () throws(SQLiteError) -> Void) throws {
        let deadline = ContinuousClock.now + options.busyTimeout
        while true {
            do throws(SQLiteError) {
                return try body()
            } catch {
                guard error.primary == .busy else { throw error }
                guard ContinuousClock.now < deadline, options.isInterrupted?() != true else {
                    throw StoreError.busy(
                        path: path, holder: nil, milliseconds: Int(options.busyTimeout.wholeMilliseconds))
                }
                DescriptorIO.pause(for: .milliseconds(1))
            }
        }
    }
}
