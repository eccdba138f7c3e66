import FoundationEssentials
import Platform
import SQLite

#if canImport(Musl)
import Musl
#else
import Glibc
#endif

extension PersistentContainer {
    /// Copies one state of the store into a new file that only its owner may read, while other processes
    /// continue to write.
    ///
    /// The copy is created next to `path` and then renamed, so no partial backup ever exists under that
    /// name.
    ///
    /// The copy includes the history, with its tokens and consumers. ``restore(_:to:model:options:progress:)``
    /// restores it.
    ///
    /// - Parameters:
    ///   - path: The new file.
    ///   - replaces: Whether to replace an existing file.
    ///   - progress: A closure called with the completed and the total number of parts, at most a few times
    ///     per second.
    /// - Throws: ``StoreError/cannotBackUp(path:reason:)`` if the file exists or cannot be written;
    ///   ``StoreError/damaged(path:reason:)`` if the copy does not pass SQLite's check.
    nonisolated(nonsending) public func backUp(
        to path: String, replaces: Bool = false,
        progress: @escaping @Sendable (_ done: Int, _ of: Int) -> Void = { _, _ in }
    ) async throws(StoreError) {
        let backup = StoreBackup(store: self.path, path: path, replaces: replaces)
        try await reader.read { snapshot throws(StoreError) in
            try snapshot.ask { try backup.run($0, progress) }
        }
    }
}

/// A backup to one path.
private struct StoreBackup {
    let store: String
    let path: String
    let replaces: Bool

    func run(_ source: borrowing Connection, _ progress: (Int, Int) -> Void) throws {
        try checkPath()
        DraftFolder.removeStale(near: store)
        do {
            try DraftFolder.with(near: path, failure: failure) { draft in
                do {
                    let file = try FileDescriptor(draft, O_WRONLY | O_CREAT | O_EXCL)
                    try copy(source, draft, progress)
                    try file.sync()
                    try checkPath()
                    if replaces { for end in Self.journals + ["-shm"] { unlink(path + end) } }
                    try TemporaryFile.move(draft, to: path, replaces: replaces)
                } catch let error as Errno {
                    throw failure(error)
                }
            }
        } catch let error as SQLiteError {
            switch error.primary {
            case .corrupt, .full: throw StoreError(error, path: error.primary == .full ? path : store)
            case .inputOutput, .cannotOpen: throw rejection(error.systemReason)
            // SQLite opens a file that it cannot write as a read-only one.
            case .readOnly: throw rejection("the new file cannot be written")
            default: throw StoreError.cannotBackUp(path: path, reason: error.message)
            }
        }
    }

    private func copy(
        _ source: borrowing Connection, _ draft: String, _ progress: (Int, Int) -> Void
    ) throws {
        let destination = try Connection(path: draft, access: .readWrite)
        // No process relies on the file yet; it is synced as a whole later.
        try destination.execute("PRAGMA synchronous = OFF")
        try Backup(of: source, into: destination).run(progress)
        // Pages are copied unchanged. A damaged copy must not replace an intact one.
        let check = try destination.prepare("PRAGMA quick_check(1)")
        guard try check.step(), check.text(0) == "ok" else {
            throw StoreError.damaged(path: store, reason: check.text(0))
        }
    }

    private func checkPath() throws {
        guard FileIdentity(path: path) == nil || replaces else { throw isThere }
        guard FileIdentity(path: path) == nil || FileIdentity(path: path) != FileIdentity(path: store) else {
            throw StoreError.cannotBackUp(path: path, reason: "it is the store itself")
        }
        guard FileStatus(path: path)?.isRegular ?? true else {
            throw StoreError.cannotBackUp(path: path, reason: "it is not a regular file")
        }
        // SQLite would apply the journal of another database to the backup (sqlite.org/howtocorrupt.html
        // 2.4). An empty one contains nothing: a connection that could not delete it left it.
        for end in Self.journals where FilePath.exists(path + end) {
            guard FileStatus.isMissingOrEmpty(path + end), !isOpen else {
                throw StoreError.cannotBackUp(
                    path: path, reason: "\(path)\(end) exists, so the file is in use")
            }
        }
    }

    /// Whether a connection has the lock of a reader, which one to a file with a log has until it closes.
    private var isOpen: Bool {
        guard FilePath.exists(path) else { return false }
        guard let file = try? FileDescriptor(path) else { return true }
        return file.isByteLocked(Self.readersByte)
    }

    private static let journals = ["-wal", "-journal"]
    /// `SHARED_FIRST` of SQLite's os.h.
    private static let readersByte = 0x4000_0002

    private var isThere: StoreError { .cannotBackUp(path: path, reason: "a file already exists") }

    private func failure(_ error: Errno) -> StoreError {
        switch error.code {
        case EEXIST: isThere
        case _ where error.isNoSpace: .full(path: path)
        default: rejection(error.description)
        }
    }

    private func rejection(_ reason: String) -> StoreError {
        .cannotBackUp(path: path, reason: "\(reason); check the folder and the disk, or use another path")
    }
}

extension PersistentContainer {
    /// Restores a copy of a store as the store at a path, even while other processes have that store open.
    ///
    /// Blocks the calling thread for the time of copying and verifying. The copy is verified first. Its contents then replace those of the store in one commit, so a process
    /// that is killed at any moment leaves either the old store or the restored one, and the log of one never
    /// meets the file of the other. Renaming three files could not guarantee that: between two renames, any
    /// program that opens the store combines a file with the log of another.
    ///
    /// The restored store has a new ID and a new generation. Numbers and object IDs that were assigned after
    /// the copy was made are assigned again, so everything read before is out of date: open containers report
    /// ``StoreError/replaced(path:)``, tokens belong to another store, and all consumers do a full refresh.
    ///
    /// - Parameters:
    ///   - file: The copy, which is not changed. A log next to it belongs to it.
    ///   - path: The store, which may be missing, in use, or damaged.
    ///   - model: The model, against which the copy is verified.
    ///   - options: The options of the store.
    ///   - progress: A closure called with the completed and the total number of parts, at most a few times
    ///     per second.
    /// - Returns: The path of the file with the replaced contents; nil if there were none.
    /// - Throws: ``StoreError/busy(path:holder:milliseconds:)`` if another process writes the store or the copy
    ///   for the whole busy timeout; the error of the verification, with the path of `file`. In both cases
    ///   nothing is changed.
    @discardableResult
    public static func restore(
        _ file: String, to path: String, model: StoreModel, options: StoreOptions = StoreOptions(),
        progress: @Sendable (_ done: Int, _ of: Int) -> Void = { _, _ in }
    ) throws(StoreError) -> String? {
        let path = FilePath.resolved(path)
        return try StoreError.convert(path: path, timeout: options.busyTimeout) {
            try StoreRestore(file: file, path: path, model: model, options: options).run(progress)
        }
    }
}

/// A restore of one copy.
private struct StoreRestore {
    let file: String
    let path: String
    let model: StoreModel
    let options: StoreOptions

    func run(_ progress: (Int, Int) -> Void) throws -> String? {
        try StoreOpening(path: path, model: model, options: options).checkFile()
        try checkFile()
        let pageSize = try pageSizeOfStore()
        let copy = try verifiedCopy(pageSize)
        if pageSize != nil, !hasObjects(copy), hasObjects(try Connection(path: path, access: .readOnly)) {
            throw StoreError.cannotRestore(path: file, reason: "it is empty, and the store is not")
        }
        let movedLog = try moveLogOfNothing()
        let isNew = FileStatus.isMissingOrEmpty(path)
        let store = try Connection(
            path: path, access: .create, busyTimeoutMilliseconds: options.busyTimeout.wholeMilliseconds)
        if isNew { FilePermissions.restrictToOwner(path) }
        guard !store.isReadOnly else { throw StoreError.notWritable(path: path) }
        // Fails on a file that is not a database, and is the default.
        try? store.execute("PRAGMA synchronous = FULL")
        let retained = try replace(store, by: copy, progress)
        // Later processes would do the same; until then the log is as large as the store.
        store.setReset(enabled: false)
        try? store.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        Doorbell(storePath: path)?.ring()
        return retained ?? movedLog
    }

    private func hasObjects(_ connection: borrowing Connection) -> Bool {
        model.entities.contains { entity in
            let table = StoreSchema.quoted(entity.name)
            return (try? connection.integer("SELECT count(*) FROM (SELECT 1 FROM \(table) LIMIT 1)")) == 1
        }
    }

    private func checkFile() throws {
        // Hard links are common between backups.
        try StoreOpening(path: file, model: model, options: options).checkSource()
        guard FileIdentity(path: file) != FileIdentity(path: path) else {
            throw StoreError.cannotRestore(path: file, reason: "it is the store itself")
        }
        guard !FileStatus.isMissingOrEmpty(file) else { throw StoreError.notAStore(path: file) }
    }

    /// Returns a verified copy with its own store ID.
    private func verifiedCopy(_ pageSize: Int64?) throws -> Connection {
        do {
            return try StoreCopy.open(file, near: path, options) { copy in
                let opening = StoreOpening(path: file, model: model, options: options)
                guard try !opening.identify(copy) else { throw StoreError.notAStore(path: file) }
                let metadata = try StoreMetadata(copy)
                guard metadata.modelVersion <= Int64(model.version) else {
                    throw StoreError.newerStore(path: file)
                }
                let check = try copy.prepare("PRAGMA integrity_check(1)")
                guard try check.step(), check.text(0) == "ok" else {
                    throw StoreError.damaged(path: file, reason: check.text(0))
                }
                check.reset()
                try resize(copy, to: pageSize)
                // Triggers in a malicious file would run with the next two statements.
                copy.setTriggers(enabled: false)
                try copy.execute("BEGIN IMMEDIATE")
                try StoreMetadata.set(.storeID, .text(UUID().uuidString.lowercased()), on: copy)
                // Cursors in the store have no store ID.
                try StoreMetadata.set(.generation, .integer(metadata.generation + 1), on: copy)
                try copy.execute("COMMIT")
            }
        } catch let error as SQLiteError
            where [.corrupt, .notADatabase, .cannotOpen].contains(error.primary)
        {
            throw StoreError(error, path: file)
        }
    }

    /// SQLite copies pages only between databases with pages of one size.
    private func resize(_ copy: borrowing Connection, to size: Int64?) throws {
        guard let size, try copy.integer("PRAGMA page_size") != size else { return }
        try copy.execute("PRAGMA journal_mode = DELETE; PRAGMA page_size = \(size)")
        try copy.vacuum()
        try copy.execute("PRAGMA journal_mode = WAL")
    }

    /// Returns the page size; nil if there are no pages, or none that SQLite can read.
    private func pageSizeOfStore() throws -> Int64? {
        guard !FileStatus.isMissingOrEmpty(path) else { return nil }
        let store = try Connection(path: path, access: .readOnly)
        guard let id = try? store.integer("PRAGMA application_id"),
            let tables = try? store.integer("SELECT count(*) FROM sqlite_schema")
        else { return nil }
        guard id == StoreSchema.applicationID || tables == 0 else { throw StoreError.notAStore(path: path) }
        return try store.integer("PRAGMA page_size")
    }

    private func replace(
        _ store: borrowing Connection, by copy: borrowing Connection, _ progress: (Int, Int) -> Void
    ) throws -> String? {
        do {
            return try write(store, copy, progress)
        } catch let error as SQLiteError where [.corrupt, .notADatabase].contains(error.primary) {
            // The first page, or the length. Other connections notice the new schema by its number, which
            // starts again at 1 here; that of a store is higher, since its tables were created one by one.
            store.setReset(enabled: true)
            return try write(store, copy, progress)
        }
    }

    private func write(
        _ store: borrowing Connection, _ copy: borrowing Connection, _ progress: (Int, Int) -> Void
    ) throws -> String? {
        let backup = try Backup(of: copy, into: store)
        try backup.lockDestination()
        let retained = try retain(store)
        try backup.run(progress)
        return retained
    }

    /// Copies the old contents while no other process can write them.
    private func retain(_ store: borrowing Connection) throws -> String? {
        guard try store.fileSize() > 0 else { return nil }
        let name = try freeName()
        try DraftFolder.with(near: path, failure: { StoreFile.failure($0, name) }) { draft in
            try StoreFile.copy(store, path: path, to: draft)
            // The log first: without its file it is useless, while the file without its log looks complete.
            if FilePath.exists(draft + "-wal") { try move(draft + "-wal", to: name + "-wal") }
            do {
                try move(draft, to: name)
            } catch {
                unlink(name + "-wal")
                throw error
            }
        }
        // The names must be on the disk before the contents are replaced there.
        FilePath.syncFolder(FilePath.folder(of: path))
        return name
    }

    /// Moves a log without a file: SQLite would delete it when it creates the file, and with it the part that
    /// other processes have mapped.
    private func moveLogOfNothing() throws -> String? {
        guard FileStatus.isMissingOrEmpty(path), FilePath.exists(path + "-wal") else { return nil }
        let name = try freeName() + "-wal"
        try move(path + "-wal", to: name)
        unlink(path + "-shm")
        return name
    }

    private func freeName() throws -> String {
        let time = Date(timeIntervalSince1970: Double(options.clock()) / 1000).ISO8601Format()
        let name = path + ".replaced-" + time.filter { $0 != "-" && $0 != ":" }
        for number in 1...1000 {
            let candidate = number == 1 ? name : "\(name)-\(number)"
            if ["", "-wal"].allSatisfy({ !FilePath.exists(candidate + $0) }) {
                return candidate
            }
        }
        throw StoreError.cannotRestore(path: path, reason: "there are too many replaced stores next to it")
    }

    private func move(_ file: String, to name: String) throws(StoreError) {
        try StoreFile.attempt(name) { () throws(Errno) in
            try TemporaryFile.move(file, to: name, replaces: true)
        }
    }
}
