import FoundationEssentials
import Platform
import SQLite

/// Opens a connection to a store, and creates or migrates the store if necessary.
///
/// Any number of processes may do so simultaneously: all changes of the file are made in one IMMEDIATE
/// transaction, which checks again after it has the lock.
struct StoreOpening {
    let path: String
    let model: StoreModel
    let options: StoreOptions
    /// The tables to record in another program's database; nil for a store.
    var attachment: AttachmentRequest?

    func open() throws(StoreError) -> (StoreConnection, StoreMetadata) {
        try checkFile()
        guard FilePath.exists(path) || options.createsMissingStore && !isAttached else {
            throw .missing(path: path)
        }
        guard !wasStore else { throw .emptyFile(path: path) }
        let isNew = FileStatus.isMissingOrEmpty(path)
        let mayCreate = options.createsMissingStore && !isAttached
        let store: StoreConnection
        do {
            let connection = try Connection(
                path: path, access: mayCreate ? .create : .readWrite,
                busyTimeoutMilliseconds: options.busyTimeout.wholeMilliseconds, trustsSchema: isAttached,
                isInterrupted: options.isInterrupted)
            store = StoreConnection(
                connection, path: path, schema: SchemaGuard(self), limitsLog: options.limitsLog)
        } catch {
            throw StoreError(error, path: path)
        }
        // Reported now, not at the first save.
        guard !store.connection.isReadOnly else { throw .notWritable(path: path) }
        // Before SQLite reads: it would replay another user's log into the store.
        try StoreOwnership(path: path).check(allowsGroup: isAttached)
        do {
            // Of a file that another program created empty.
            if isNew && mayCreate { FilePermissions.restrictToOwner(path) }
            let metadata = try prepare(store.connection, store.schema)
            if options.storesFormerPagesInMemory {
                try store.connection.execute("PRAGMA temp_store = MEMORY")
            }
            try store.holdFiles()
            return (store, metadata)
        } catch {
            store.connection.rollBack()
            throw explained(store.storeError(error))
        }
    }

    private func prepare(
        _ connection: borrowing Connection, _ schema: SchemaGuard?
    ) throws -> StoreMetadata {
        try connection.execute(
            """
            PRAGMA synchronous = \(options.durability.sql);
            PRAGMA cache_size = -\(options.cacheSize >> 10);
            PRAGMA wal_autocheckpoint = \(options.checkpointPages);
            PRAGMA journal_size_limit = \(StoreConnection.logSize)
            """)
        if let attachment {
            let metadata = try attach(attachment, connection, schema)
            try connection.execute("PRAGMA foreign_keys = ON")
            return metadata
        }
        // One snapshot: between two checks, another process may have created the store.
        try connection.execute("BEGIN")
        let isEmpty = try identify(connection)
        try connection.execute("COMMIT")
        if isEmpty && options.createsMissingStore {
            try create(connection)
        } else if isEmpty {
            // Another process may be creating the store, with the write lock.
            try connection.execute("BEGIN IMMEDIATE")
            guard try !identify(connection) else { throw StoreError.emptyFile(path: path) }
            try connection.execute("COMMIT")
        }
        var metadata = try StoreMetadata(connection)
        if metadata.model != StoreModelFingerprint(model).text {
            try migrate(connection)
            metadata = try StoreMetadata(connection)
        }
        if options.repairsWhenOpened, let schema {
            do {
                try restore(schema, connection)
            } catch {
                connection.rollBack()
                // A newer program may have migrated the store since its model was read.
                guard try StoreMetadata(connection).model != metadata.model else { throw error }
                return try prepare(connection, schema)
            }
        }
        try connection.execute("PRAGMA foreign_keys = ON")
        return metadata
    }

    /// Restores the parts that a table rebuild by another program lost.
    private func restore(_ schema: SchemaGuard, _ connection: borrowing Connection) throws {
        try connection.execute("BEGIN")
        let isSound = try schema.isSound(connection)
        try connection.execute("COMMIT")
        guard !isSound else { return }
        try connection.commit { _ = try schema.verify(connection, mayRebuild: true) }
        schema.adopt()
    }

    /// Returns whether the file is new.
    ///
    /// - Throws: An error if the file is not a store of this library.
    func identify(_ connection: borrowing Connection) throws -> Bool {
        let applicationID = try connection.integer("PRAGMA application_id")
        let format = try connection.integer("PRAGMA user_version") ?? 0
        if applicationID == StoreSchema.applicationID {
            guard format <= StoreSchema.format else { throw StoreError.newerStore(path: path) }
            try checkTables(connection)
            return false
        }
        let isEmpty = try connection.integer("SELECT count(*) FROM sqlite_schema") == 0
        guard isEmpty && applicationID == 0 && format == 0 else {
            throw try AttachedStore(path: path).isAttached(connection)
                ? StoreError.attached(path: path) : StoreError.notAStore(path: path)
        }
        return true
    }

    /// Checks the tables: the application ID alone does not make a file a store.
    private func checkTables(_ connection: borrowing Connection) throws {
        let tables = try connection.prepare(
            "SELECT name, rootpage > 0 FROM sqlite_schema WHERE type IN ('table', 'view')")
        var (present, others): (Int, [String]) = (0, [])
        while try tables.step() {
            let name = tables.text(0)
            if tables.integer(1) == 0 {
                others.append(name.lowercased())
            } else if StoreSchema.tableNames.contains(name) {
                present += 1
            }
        }
        guard present == StoreSchema.tableNames.count else {
            throw StoreError.damaged(path: path, reason: "a table of the history is missing")
        }
        // A table without pages is a view or a virtual table: code by the author of the file, which could
        // block a reader indefinitely.
        guard
            others.isEmpty
                || !model.entities.flatMap({ StoreSchema.tables(of: $0.name) })
                    .contains(where: { others.contains($0.lowercased()) })
        else {
            throw StoreError.damaged(path: path, reason: "a table of the history is a view or another object")
        }
    }

    private func create(_ connection: borrowing Connection) throws {
        try switchToWAL(connection)
        try connection.commit {
            guard try connection.integer("PRAGMA application_id") != StoreSchema.applicationID else { return }
            try connection.execute(StoreSchema.tables)
            let id = UUID().uuidString.lowercased()
            try StoreMetadata.set(.storeID, .text(id), on: connection)
            try StoreMetadata.set(.generation, 1, on: connection)
            try StoreMetadata.set(.historyFloor, 0, on: connection)
            // The first end row: from here on there is always a newest row.
            try connection.run("INSERT INTO history (kind, at) VALUES (4, ?1)", options.clock())
            try SchemaMigration(self).run(on: connection)
            try connection.execute(
                """
                PRAGMA application_id = \(StoreSchema.applicationID);
                PRAGMA user_version = \(StoreSchema.format)
                """)
        }
    }

    /// Switches to WAL mode. That requires exclusive access and does not call the busy handler, so it is
    /// tried until the timeout.
    private func switchToWAL(_ connection: borrowing Connection) throws {
        try untilNotBusy { () throws(SQLiteError) in
            // Only a database without pages accepts the first (sqlite.org/pragma.html#pragma_auto_vacuum).
            try connection.execute("PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL")
        }
    }

    private func migrate(_ connection: borrowing Connection) throws {
        try connection.commit {
            let metadata = try StoreMetadata(connection)
            guard metadata.model != StoreModelFingerprint(model).text else { return }
            guard metadata.modelVersion <= Int64(model.version),
                !StoreModelFingerprint.isOfNewerLibrary(metadata.model)
            else {
                throw StoreError.newerStore(path: path)
            }
            try checkSameVersion(metadata, connection)
            try SchemaMigration(self).run(on: connection)
        }
    }
}

extension StoreOpening {
    /// Opens the store without creating or changing any file, for a process that may not write.
    ///
    /// A reader of a WAL database needs the `-wal` and the `-shm`, and SQLite creates them if they are
    /// missing; if another user created them, they would lock the owner out. They exist while a process has
    /// the store open, and after a crash. If they are missing, the file alone is the whole store, and it is
    /// read as immutable, without locks (sqlite.org/wal.html#read_only_databases).
    func openForReading() throws(StoreError) -> (StoreConnection, StoreMetadata) {
        try checkFile()
        guard FilePath.exists(path) else { throw .missing(path: path) }
        guard !wasStore else { throw .emptyFile(path: path) }
        let store = try connectForReading()
        do {
            try store.connection.execute("PRAGMA query_only = ON; BEGIN")
            // Another program's database may have no metadata.
            if isAttached { try checkSchema(store.connection) }
            if !isAttached, try identify(store.connection) { throw StoreError.emptyFile(path: path) }
            let metadata = try StoreMetadata(store.connection)
            if !isAttached { try checkSchema(store.connection) }
            try store.connection.execute("COMMIT")
            return (store, metadata)
        } catch {
            throw explained(store.storeError(error))
        }
    }

    private func connectForReading() throws(StoreError) -> StoreConnection {
        let milliseconds = options.busyTimeout.wholeMilliseconds
        let state = FileStamp(path: resolvedPath)
        let hasIndex = FilePath.exists(resolvedPath + "-shm")
        return try StoreError.convert(path: path, timeout: options.busyTimeout) {
            guard state.isQuiet else {
                guard hasIndex else {
                    throw StoreError.cannotOpen(
                        path: path, reason: "it is incomplete and must be opened for writing first")
                }
                return StoreConnection(
                    try Connection(
                        path: path, access: .readOnly, busyTimeoutMilliseconds: milliseconds,
                        trustsSchema: isAttached),
                    path: path)
            }
            state.waitUntilChangesShow()
            return StoreConnection(
                try Connection(
                    path: path, access: .immutable, busyTimeoutMilliseconds: milliseconds,
                    trustsSchema: isAttached),
                path: path, quiet: state)
        }
    }
}
