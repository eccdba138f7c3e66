import Platform
import SQLite

/// An error of a store, described by a sentence that names the problem, the file, and the next step.
///
/// Errors with the same remedy have the same ``group-swift.property``.
@nonexhaustive
public enum StoreError: Error, Equatable, Sendable {
    case invalidModel(String)
    case cannotOpen(path: String, reason: String)
    /// The file is not an SQLite database, or belongs to another program.
    case notAStore(path: String)
    /// Another program's database whose tables are recorded, opened as a store.
    case attached(path: String)
    /// A store of this library, to which another one attached as to another program's database.
    case isStore(path: String)
    /// Another program's database of which no table is recorded.
    case notAttached(path: String)
    /// A table cannot be recorded.
    case cannotAttach(path: String, reason: String)
    /// A database is not in WAL mode, and the caller has not allowed to switch it.
    case needsWAL(path: String)
    /// A newer version of the library or of the model wrote the store.
    case newerStore(path: String)
    /// The store has another model of the same version, of which this model would drop or change a part.
    case differentModel(path: String, version: Int, reason: String)
    /// The path is a name by which SQLite creates a database without a file.
    case notAFilePath(path: String)
    /// The store does not exist, and the options do not allow creating it.
    case missing(path: String)
    /// Another process locked the store for the whole busy timeout.
    case busy(path: String, holder: String?, milliseconds: Int)
    /// The file system does not allow writing the store.
    case notWritable(path: String)
    /// The store, or its log, belongs to another user, who could read or change all saved data.
    case otherOwner(path: String, owner: String)
    /// Users other than the owner may write the store or its log.
    case writableByOthers(path: String, mode: UInt32)
    /// The path is a hard link, or a mount of a single file: the store's log is elsewhere.
    case hardLinkOrFileMount(path: String, isMount: Bool)
    /// The operation requires writing, but the store was opened for reading only.
    case openedReadOnly(path: String)
    /// A store opened for reading only lacks a part of the model.
    case unreadableModel(path: String, reason: String)
    case full(path: String)
    /// An object has the greatest possible ID, after which SQLite assigns no other.
    case noIDLeft(entity: String, path: String)
    /// The system failed to read or write the file. Read the store again to find out whether a commit
    /// succeeded.
    case inputOutput(path: String, reason: String)
    case damaged(path: String, reason: String)
    /// The file contains no store: it was one, or only its name was created.
    case emptyFile(path: String)
    /// A ``MigrationStep`` failed; nothing was changed.
    case cannotMigrate(path: String, reason: String)
    case cannotBackUp(path: String, reason: String)
    case cannotRestore(path: String, reason: String)
    case cannotSalvage(path: String, reason: String)
    /// A damaged file contains no object that can be read.
    case nothingToSalvage(path: String)
    /// The path no longer leads to the opened store, or a backup was restored into it. Nothing is written.
    case replaced(path: String)
    /// After a commit, the path no longer led to the opened store, or its files could not be examined: the
    /// transaction may be in the store or lost. Open the store again, and look for the change.
    case unverifiedCommit(path: String)
    case tooBig(path: String)
    case unknownEntity(String)
    case unknownAttribute(String, entity: String)
    /// A sum or an average of an attribute that has no numbers.
    case notNumeric(String, entity: String)
    /// A property of a record and the value of its attribute do not fit; without an attribute, the record and
    /// its entity.
    case invalidValue(attribute: String?, entity: String, reason: String)
    /// Another writer saved or deleted objects after they were read; contains both sides of each conflict.
    case conflict([SaveConflict])
    /// A condition with more parts than SQLite accepts.
    case predicateTooComplex(reason: String)
    case constraint(reason: String)
    /// Objects refer to a deleted one by an attribute whose rule denies the deletion.
    case deletionDenied(entity: String, attribute: String, of: String)
    /// An attribute refers to an object that does not exist, or was deleted by another writer.
    case missingReference(attribute: String, entity: String)
    /// The history retains no values of the deleted object, so it cannot be restored.
    case noTombstone(ObjectID)
    /// A statement succeeded and stored nothing; the cause names the trigger or the constraint.
    case changeDiscarded(table: String, cause: String)
    /// Another program changed a table so that it no longer fits this program's model.
    case schemaChanged(path: String, reason: String)
    /// Cleaning purged history after the token. Do a full refresh.
    case tokenExpired(oldest: HistoryToken)
    case tokenOfAnotherStore
    case objectOfAnotherStore(ObjectID)
    /// Transactions of another store were passed to a merge.
    case transactionOfAnotherStore
    /// No consumer of that name is registered; its cursor was not moved.
    case unknownConsumer(String)
    /// A consumer threw in its first refresh, so its tracker did not start. Contains only the type of the error,
    /// because its text may contain user content.
    case consumerFailed(name: String, errorType: String)
    /// The history does not record the entity, so its changes cannot be followed.
    case untracked(entity: String)
    /// The token is newer than the store, because an older copy of the store was restored.
    case tokenFromFuture(newest: HistoryToken)
    case cancelled
    case closed
    case other(path: String, reason: String)
}

extension StoreError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .invalidModel(let reason): "Cannot use the model: \(reason)."
        case .cannotOpen(let path, let reason):
            "Cannot open store \(path): \(reason). Check the path and its permissions."
        case .notAStore(let path):
            "The file \(path) is not a store of this program. Nothing was changed; use another file."
        case .attached(let path):
            "The file \(path) belongs to another program, and its changes are recorded. "
                + "Open it with PersistentContainer(attachingTo:)."
        case .isStore(let path):
            "The file \(path) is a store of this library, which has its own history. "
                + "Open it with PersistentContainer(path:model:)."
        case .notAttached(let path):
            "No table of \(path) is recorded. Name tables to record: PersistentContainer(attachingTo:tables:)."
        case .cannotAttach(let path, let reason):
            "Cannot record \(path): \(reason). Nothing was changed; record other tables."
        case .needsWAL(let path):
            "The file \(path) is not in WAL mode, in which it must be and will remain. Allow the switch with allowsWAL."
        case .newerStore(let path):
            "The store \(path) was written by a newer version. Update this program; nothing was changed."
        case .differentModel(let path, let version, let reason):
            "The store \(path) has another model of the same version, \(version): \(reason). "
                + "Nothing was changed; raise the version of the changed model."
        case .notAFilePath(let path):
            "'\(path)' is not a path of a file. Use a path, or PersistentContainer(inMemory:) in a test."
        case .missing(let path): "There is no store at \(path)."
        case .busy(let path, let holder, let milliseconds):
            "The store \(path) was locked for \(milliseconds) ms by \(holder ?? "another process"). "
                + "Nothing was saved; try again."
        case .notWritable(let path):
            "Cannot write store \(path). Check the permissions of the file and its folder."
        case .otherOwner(let path, let owner):
            "The file \(path) belongs to \(owner), so it is not written. "
                + "Check the owner of the file, or use another store."
        case .writableByOthers(let path, let mode):
            "The file \(path) can be written by other users (mode \(String(mode, radix: 8))). "
                + "Check the permissions: 'chmod go-w' makes it private again."
        case .hardLinkOrFileMount(let path, let isMount):
            isMount
                ? "The store \(path) is mounted as a single file, without its log. Mount its folder instead."
                : "The store \(path) has a second name (a hard link), under which commits would be lost. "
                    + "Delete the other name, or copy the store with 'sqlite3 .backup'."
        case .openedReadOnly(let path):
            "The store \(path) was opened for reading only. Open it with write access to change it."
        case .unreadableModel(let path, let reason):
            "Cannot read store \(path) with this program's model: \(reason). "
                + "Open it once for writing, or use the version of the program that created it."
        case .full(let path): "No space left for \(path). Nothing was saved; free some space and try again."
        case .noIDLeft(let entity, let path):
            "No \(entity) can be added to \(path), since one has the greatest possible ID. "
                + "Nothing was saved; repair the store."
        case .inputOutput(let path, let reason):
            "Cannot read or write \(path): \(reason). Check the disk, then try again."
        case .damaged(let path, let reason):
            "The store \(path) is corrupt (\(reason)). Restore a backup, or salvage the store."
        case .emptyFile(let path):
            "The store \(path) is empty. Restore a backup, or delete the file to create a new store."
        case .cannotMigrate(let path, let reason):
            "Cannot migrate store \(path): \(reason). Nothing was changed; use the version that wrote it."
        case .cannotBackUp(let path, let reason): "No backup was made at \(path): \(reason)."
        case .cannotRestore(let path, let reason):
            "Cannot restore \(path): \(reason). Nothing was changed; use another file."
        case .cannotSalvage(let path, let reason):
            "Cannot salvage to \(path): \(reason). Nothing was changed; use another file."
        case .nothingToSalvage(let path):
            "Found nothing to salvage in \(path), and created no file. Restore a backup."
        case .replaced(let path):
            "The store \(path), or its -wal or -shm, was replaced, moved, or deleted, was cut off, or got a second "
                + "name. Nothing was saved; start again."
        case .unverifiedCommit(let path):
            "The change was committed to the store \(path), but then the store, its -wal, or its -shm was replaced or "
                + "could not be examined. The change may be lost; start again and look for it."
        case .tooBig(let path): "Value too large for store \(path): the limit is 1 GB. Nothing was saved."
        case .unknownEntity(let name): "The model has no entity '\(name)'."
        case .unknownAttribute(let name, let entity): "The entity \(entity) has no attribute '\(name)'."
        case .notNumeric(let name, let entity):
            "Cannot add up '\(name)' of \(entity): the attribute is not a number."
        case .invalidValue(let attribute, let entity, let reason):
            "Cannot convert \(attribute.map { "the attribute '\($0)'" } ?? "a record") of \(entity): \(reason). "
                + "Change the value, or the type of the property."
        case .conflict(let conflicts):
            conflicts.prefix(3).map(\.description).joined(separator: " ")
                + (conflicts.count > 3 ? " \(conflicts.count - 3) more objects were changed." : "")
        case .predicateTooComplex(let reason): "Cannot evaluate the predicate: \(reason)."
        case .constraint(let reason): "The store rejected the change: \(reason)."
        case .deletionDenied(let entity, let attribute, let other):
            "Cannot delete an object of \(entity): '\(attribute)' of \(other) refers to it, and denies that. "
                + "Nothing was saved; delete or change the objects of \(other) in the same transaction."
        case .missingReference(let attribute, let entity):
            "'\(attribute)' of \(entity) refers to an object that does not exist. "
                + "Nothing was saved; refer to another one, or restore that one in the same transaction."
        case .noTombstone(let id):
            "The history retains no values of \(id), so it cannot be restored. Restore a backup elsewhere and copy it."
        case .changeDiscarded(let table, let cause):
            "Nothing was saved: the table \(table) did not store the change because of \(cause). "
                + "Drop or change it, then try again."
        case .schemaChanged(let path, let reason):
            "The store \(path) was changed by another program: \(reason). "
                + "Nothing was saved; start again. If that does not help, undo the change or restore a backup."
        case .tokenExpired: "The history after this token was purged. Do a full refresh."
        case .tokenOfAnotherStore: "The token belongs to another store. Do a full refresh."
        case .objectOfAnotherStore(let id):
            "\(id) belongs to another store, or to this one before a backup was restored. "
                + "Fetch the object from this store."
        case .transactionOfAnotherStore:
            "The transactions belong to another store. Nothing was merged; read the history of this store."
        case .unknownConsumer(let name):
            "No consumer '\(name)' is registered with the store, so its cursor was not moved. Register it first."
        case .consumerFailed(let name, let errorType):
            "The consumer '\(name)' threw \(errorType) in its first refresh, so its tracker did not start. "
                + "Remove the cause, then start it again."
        case .untracked(let entity):
            "The history does not record \(entity), so its changes cannot be followed. "
                + "Set 'tracksHistory' of the entity to true, or fetch its objects."
        case .tokenFromFuture:
            "The token is newer than the store: an older copy was restored. Do a full refresh."
        case .cancelled: "Cancelled."
        case .closed: "The store is closed."
        case .other(let path, let reason): "The store \(path) failed: \(reason)."
        }
    }

    init(_ error: SQLiteError, path: String, holder: String? = nil, waited: Int64 = 0) {
        switch error.primary {
        case .inputOutput where error.isOutOfRoom, .cannotOpen where error.isOutOfRoom:
            self = .full(path: path)
        case .inputOutput: self = .inputOutput(path: path, reason: error.systemReason)
        case .busy, .locked: self = .busy(path: path, holder: holder, milliseconds: Int(waited))
        case .readOnly: self = .notWritable(path: path)
        case .full: self = .full(path: path)
        case .corrupt: self = .damaged(path: path, reason: error.message)
        case .notADatabase: self = .notAStore(path: path)
        case .cannotOpen: self = .cannotOpen(path: path, reason: error.message)
        case .constraint: self = .constraint(reason: error.message)
        case .tooBig: self = .tooBig(path: path)
        case .interrupted: self = .cancelled
        case .other where error.message.hasPrefix("too many levels of trigger recursion"):
            self = .constraint(reason: "rules of deletion follow references over more than 900 levels")
        case .other where error.isAboutSchema: self = .schemaChanged(path: path, reason: error.message)
        default: self = .other(path: path, reason: error.description)
        }
    }
}

extension StoreError {
    /// Runs work on the files of a store, and converts its errors.
    static func convert<Result>(
        path: String, timeout: Duration, _ work: () throws -> Result
    ) throws(StoreError) -> Result {
        do {
            return try work()
        } catch let error as StoreError {
            throw error
        } catch let error as SQLiteError {
            throw StoreError(
                error, path: path, holder: WriterLock.writer(of: path)?.description,
                waited: timeout.wholeMilliseconds)
        } catch {
            throw .other(path: path, reason: "\(error)")
        }
    }
}

extension WriterLock {
    /// Returns the process that is writing a store.
    static func writer(of path: String) -> ProcessIdentity? {
        guard case .process(let process) = WriterLock(databasePath: FilePath.resolved(path))?.holder()
        else { return nil }
        return ProcessIdentity(process: process)
    }
}

extension SQLiteError {
    /// Whether the disk is full, even for SQLite's small companion files, for which it reports only that they
    /// cannot be created or extended.
    fileprivate var isOutOfRoom: Bool { Errno(systemError).isNoSpace }

    /// Whether the schema changed. SQLite has one code for all SQL errors; only a changed schema can cause
    /// these two, since all names come from the model.
    fileprivate var isAboutSchema: Bool {
        code == 1
            && (message.hasPrefix("no such column") || message.hasPrefix("no such table")
                || message.contains("has no column named"))
    }

    /// The operating system's message, if there is one, or SQLite's.
    package var systemReason: String { systemError == 0 ? message : Errno(systemError).description }
}

extension StoreError {
    /// A group of errors that have the same remedy.
    @nonexhaustive
    public enum Group: Hashable, Sendable, CaseIterable {
        /// The model does not fit the store. Correct the model, or update the program.
        case model
        /// The call is wrong in any state of the store. Correct the program.
        case request
        /// The store does not accept the values. Change them.
        case value
        /// Another writer saved first. Resolve the conflict, and save again.
        case conflict
        /// The process may not use the file in this way. Change the permissions, or open it in another way.
        case permission
        /// The file, or its disk, has a problem that the user must solve.
        case file
        /// The history after a position is missing. Do a full refresh, or register the consumer.
        case history
        /// Another process is writing. Try again.
        case busy
        /// The task was canceled, or the store closed.
        case ended
    }

    /// The group of the error, for a program that does not distinguish all of them.
    public var group: Group {
        switch self {
        case .invalidModel, .differentModel, .newerStore, .unreadableModel, .cannotMigrate, .schemaChanged,
            .cannotAttach:
            .model
        case .unknownEntity, .unknownAttribute, .notNumeric, .predicateTooComplex, .untracked, .notAFilePath,
            .objectOfAnotherStore, .transactionOfAnotherStore, .noTombstone,
            .attached, .isStore, .notAttached, .needsWAL:
            .request
        case .invalidValue, .constraint, .deletionDenied, .missingReference, .tooBig, .changeDiscarded,
            .noIDLeft:
            .value
        case .conflict: .conflict
        case .notWritable, .openedReadOnly, .otherOwner, .writableByOthers: .permission
        case .cannotOpen, .notAStore, .missing, .hardLinkOrFileMount, .full, .inputOutput, .damaged,
            .emptyFile,
            .cannotBackUp, .cannotRestore, .cannotSalvage, .nothingToSalvage, .replaced, .unverifiedCommit,
            .other:
            .file
        case .tokenExpired, .tokenOfAnotherStore, .tokenFromFuture, .unknownConsumer, .consumerFailed:
            .history
        case .busy: .busy
        case .cancelled, .closed: .ended
        }
    }
}
