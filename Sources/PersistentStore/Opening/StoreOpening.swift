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

    func open() throws(StoreError) -> (StoreConnection, StoreMetadata) {
        let exists = FilePath.exists(path)
        guard exists || options.createsMissingStore else { throw .missing(path: path) }
        try checkFile()
        guard !wasStore else { throw .emptied(path: path) }
        let isNew = FileStatus.isMissingOrEmpty(path)
        let store: StoreConnection
        do {
            let connection = try Connection(
                path: path, access: options.createsMissingStore ? .create : .readWrite,
                busyTimeoutMilliseconds: options.busyTimeout.wholeMilliseconds,
                isInterrupted: options.isInterrupted)
            store = StoreConnection(connection, path: path, schema: SchemaGuard(self))
        } catch {
            throw StoreError(error, path: path)
        }
        // Reported now, not at the first save.
        guard !store.connection.isReadOnly else { throw .readOnly(path: path) }
        // Before SQLite reads: it would replay another user's log into the store.
        try StoreOwnership(path: path).check()
        do {
            // SQLite gives the -wal and the -shm the same mode.
            if isNew { FilePermissions.restrictToOwner(path) }
            let metadata = try prepare(store)
            try store.holdFiles()
            return (store, metadata)
        } catch {
            store.connection.rollBack()
            throw store.storeError(error)
        }
    }

    /// Checks the kind and the name of the file. Opening a pipe would block; a name that is not UTF-8 cannot be
    /// written as text, so the companion files would be those of another store.
    func checkKind() throws(StoreError) {
        guard FilePath.resolvesToText(path) else {
            throw .cannotOpen(path: path, reason: "it leads to a name that is not valid UTF-8")
        }
        let status = FileStatus(path: path)
        guard status.map({ $0.isRegular || $0.isFolder }) ?? true else { throw .notAStore(path: path) }
    }

    /// Checks the names of the file. Under a second name, the database has another log and another index, so
    /// programs that use different names lose each other's commits (sqlite.org/howtocorrupt.html 2.5).
    func checkFile() throws(StoreError) {
        try checkKind()
        guard let status = FileStatus(path: path), !status.isFolder else { return }
        guard status.links == 1 else { throw .secondName(path: path, isMount: false) }
        guard !FileIdentity.isMountedAlone(path: resolvedPath) else {
            throw .secondName(path: path, isMount: true)
        }
    }

    /// Whether an empty file was a store: SQLite fills it before its log, and the doorbell is created last.
    /// If the file were opened as a new one, SQLite would discard the log with all its contents.
    var wasStore: Bool {
        guard FileStatus(path: resolvedPath)?.size == 0 else { return false }
        return FilePath.exists(Doorbell.path(store: resolvedPath))
            || !FileStatus.isMissingOrEmpty(resolvedPath + "-wal")
    }

    private func prepare(_ store: StoreConnection) throws -> StoreMetadata {
        try prepare(store.connection, store.schema)
    }

    private func prepare(
        _ connection: borrowing Connection, _ schema: SchemaGuard?
    ) throws -> StoreMetadata {
        try connection.execute("PRAGMA synchronous = \(options.durability.rawValue)")
        // One snapshot: between two checks, another process may have created the store.
        try connection.execute("BEGIN")
        let isEmpty = try identify(connection)
        try connection.execute("COMMIT")
        if isEmpty { try create(connection) }
        var metadata = try StoreMetadata(connection)
        if metadata.model != StoreModelFingerprint(model).text {
            try migrate(connection)
            metadata = try StoreMetadata(connection)
        }
        if options.repairsWhenOpened, let schema { try restore(schema, connection) }
        try connection.execute("PRAGMA foreign_keys = ON")
        return metadata
    }

    /// Restores the parts that a table rebuild by another program lost.
    private func restore(_ schema: SchemaGuard, _ connection: borrowing Connection) throws {
        try connection.execute("BEGIN")
        let isSound = try schema.isSound(connection)
        try connection.execute("COMMIT")
        guard !isSound else { return }
        try connection.execute("BEGIN IMMEDIATE")
        do {
            _ = try schema.verify(connection, mayRebuild: true)
            try connection.execute("COMMIT")
            schema.adopt()
        } catch {
            connection.rollBack()
            throw error
        }
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
        guard isEmpty && applicationID == 0 && format == 0 else { throw StoreError.notAStore(path: path) }
        return true
    }

    /// Checks the tables: the application ID alone does not make a file a store.
    private func checkTables(_ connection: borrowing Connection) throws {
        func list(_ names: [String]) -> String {
            names.map { StoreSchema.literal(.text($0)) }.joined(separator: ", ")
        }
        let ours = model.entities.flatMap {
            [$0.name, "history_values_\($0.name)", "history_replaced_\($0.name)"]
        }
        // A table without pages is a view or a virtual table: code by the author of the file, which could
        // block a reader indefinitely.
        let counts = try connection.prepare(
            """
            SELECT count(*) FILTER (WHERE rootpage > 0 AND name IN (\(list(StoreSchema.tableNames)))),
            count(*) FILTER (WHERE rootpage = 0 AND name COLLATE NOCASE IN (\(list(ours))))
            FROM sqlite_schema WHERE type IN ('table', 'view')
            """)
        guard try counts.step(), counts.integer(0) == Int64(StoreSchema.tableNames.count) else {
            throw StoreError.damaged(path: path, reason: "a table of the history is missing")
        }
        guard counts.integer(1) == 0 else {
            throw StoreError.damaged(path: path, reason: "a table of the history is a view or another object")
        }
    }

    private func create(_ connection: borrowing Connection) throws {
        try switchToWAL(connection)
        try connection.execute("BEGIN IMMEDIATE")
        do {
            if try connection.integer("PRAGMA application_id") != StoreSchema.applicationID {
                try connection.execute(StoreSchema.tables)
                let id = UUID().uuidString.lowercased()
                try StoreMetadata.set(.storeID, .text(id), on: connection)
                try StoreMetadata.set(.generation, 1, on: connection)
                try StoreMetadata.set(.historyFloor, 0, on: connection)
                // The first end row: from here on there is always a newest row.
                try connection.run("INSERT INTO history (kind, at) VALUES (4, ?1)", options.clock())
                try SchemaMigration(model: model, path: path).run(on: connection)
                try connection.execute(
                    """
                    PRAGMA application_id = \(StoreSchema.applicationID);
                    PRAGMA user_version = \(StoreSchema.format)
                    """)
            }
            try connection.execute("COMMIT")
        } catch {
            connection.rollBack()
            throw error
        }
    }

    /// Switches to WAL mode. That requires exclusive access and does not call the busy handler, so it is
    /// tried until the timeout.
    private func switchToWAL(_ connection: borrowing Connection) throws {
        let deadline = ContinuousClock.now + options.busyTimeout
        while true {
            do throws(SQLiteError) {
                // Only a database without pages accepts the first
                // (sqlite.org/pragma.html#pragma_auto_vacuum).
                try connection.execute("PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL")
                return
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

    private func migrate(_ connection: borrowing Connection) throws {
        try connection.execute("BEGIN IMMEDIATE")
        do {
            let metadata = try StoreMetadata(connection)
            if metadata.model != StoreModelFingerprint(model).text {
                guard metadata.modelVersion <= Int64(model.version),
                    !StoreModelFingerprint.isOfNewerLibrary(metadata.model)
                else {
                    throw StoreError.newerStore(path: path)
                }
                try SchemaMigration(model: model, path: path).run(on: connection)
            }
            try connection.execute("COMMIT")
        } catch {
            connection.rollBack()
            throw error
        }
    }
}

extension StoreOpening {
    /// The path without symbolic links, next to which SQLite creates the `-wal` and the `-shm`.
    var resolvedPath: String { FilePath.resolved(path) }

    var folder: String { FilePath.folder(of: resolvedPath) }
}
