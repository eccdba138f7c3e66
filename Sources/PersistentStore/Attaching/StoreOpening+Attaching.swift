import Platform
import SQLite

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
