import Glibc
import SQLite

/// What went wrong with a store, as a sentence that says on what and what to do.
public enum StoreError: Error, Equatable, Sendable {
    case invalidModel(String)
    case cannotOpen(path: String, reason: String)
    /// The file is not an SQLite database, or belongs to another program.
    case notAStore(path: String)
    /// A newer version of the library or of the model wrote the store.
    case newerStore(path: String)
    /// The store was not made yet and the options do not allow making it.
    case missing(path: String)
    /// Somebody else kept the store locked for the whole of the busy timeout.
    case busy(path: String, holder: String?, milliseconds: Int)
    case readOnly(path: String)
    /// The store, or its log, belongs to another user, who could read or change everything that is saved.
    case otherOwner(path: String, owner: String)
    /// Users other than the owner may write the store or its log.
    case writableByOthers(path: String, mode: UInt32)
    /// The path is a hard link, or a mount of a single file: the store's log is elsewhere.
    case secondName(path: String, isMount: Bool)
    /// What was asked for writes, and the store was opened for reading only.
    case openedReadOnly(path: String)
    /// A store opened for reading only lacks something that the model has.
    case unreadableModel(path: String, reason: String)
    case full(path: String)
    /// The system failed to read or write the file; whether the commit that met it is there is seen when the store
    /// is read again.
    case inputOutput(path: String, reason: String)
    case damaged(path: String, reason: String)
    /// The file was a store, and has nothing in it any more.
    case emptied(path: String)
    case cannotBackUp(path: String, reason: String)
    case cannotRestore(path: String, reason: String)
    case cannotSalvage(path: String, reason: String)
    /// The path no longer leads to the store that was opened, or a backup was restored into it. Nothing is written.
    case replaced(path: String)
    case tooBig(path: String)
    case unknownEntity(String)
    case unknownAttribute(String, entity: String)
    case notSortable(String, entity: String)
    /// Somebody else saved or deleted objects since they were read; of each, both sides are here.
    case conflict([SaveConflict])
    /// A condition with more parts than SQLite takes.
    case predicateTooComplex(reason: String)
    case constraint(reason: String)
    /// A statement succeeded and stored nothing; the cause names the trigger or the constraint.
    case notStored(table: String, cause: String)
    /// Another program changed a table so that this program's model no longer fits.
    case schemaChanged(path: String, reason: String)
    /// Deleted by cleaning: what followed the token is no longer all there. Read everything anew.
    case tokenExpired(oldest: HistoryToken)
    case tokenOfAnotherStore
    /// No consumer of that name is registered; its cursor was not moved.
    case unknownConsumer(String)
    /// The token is newer than the store, so an older copy of the store was put back.
    case tokenFromFuture(newest: HistoryToken)
    case cancelled
    case closed
    case other(path: String, reason: String)
}

extension StoreError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .invalidModel(let reason): "The model cannot be used: \(reason)."
        case .cannotOpen(let path, let reason):
            "The store \(path) cannot be opened: \(reason). Check the path and its permissions."
        case .notAStore(let path):
            "\(path) is not a store of this program. Name another file; this one was left as it is."
        case .newerStore(let path):
            "The store \(path) was written by a newer version. Update this program; nothing was changed."
        case .missing(let path): "There is no store at \(path)."
        case .busy(let path, let holder, let milliseconds):
            "The store \(path) was kept busy for \(milliseconds) ms by \(holder ?? "another process"). "
                + "Nothing was saved; try again."
        case .readOnly(let path):
            "The store \(path) cannot be written. Check the permissions of the file and of its folder."
        case .otherOwner(let path, let owner):
            "\(path) belongs to \(owner), so it is not written. Check the owner of the file, or name another store."
        case .writableByOthers(let path, let mode):
            "\(path) can be written by other users (mode \(String(mode, radix: 8))). "
                + "Check the permissions: 'chmod go-w' makes it private again."
        case .secondName(let path, let isMount):
            isMount
                ? "The store \(path) is mounted as a single file, without its log. Mount its folder instead."
                : "The store \(path) has a second name (a hard link), under which commits would be lost. "
                    + "Delete the other name, or copy the store with 'sqlite3 .backup'."
        case .openedReadOnly(let path):
            "The store \(path) was opened for reading only. Open it with write access to change it."
        case .unreadableModel(let path, let reason):
            "The store \(path) cannot be read with this program's model: \(reason). "
                + "Open it once for writing, or use the version of the program that made it."
        case .full(let path): "The disk of \(path) is full. Nothing was saved; make room and try again."
        case .inputOutput(let path, let reason):
            "Reading or writing \(path) failed: \(reason). Check the disk, then try again."
        case .damaged(let path, let reason):
            "The store \(path) is damaged (\(reason)). "
                + StoreError.repairAdvice
        case .emptied(let path):
            "The store \(path) has nothing in it, though it was in use before. "
                + "Restore a backup with 'clips backup restore FILE', or remove the file to begin a new store."
        case .cannotBackUp(let path, let reason): "No backup was made at \(path): \(reason)."
        case .cannotRestore(let path, let reason):
            "Cannot restore \(path): \(reason). Nothing was changed; name another file."
        case .cannotSalvage(let path, let reason):
            "Cannot salvage to \(path): \(reason). Nothing was changed; name another file."
        case .replaced(let path):
            "The store \(path), or its -wal or -shm, was replaced, moved or deleted, or got a second name. "
                + "Nothing was saved; start again."
        case .tooBig(let path): "A value is too big for the store \(path); its limit is 1 GB."
        case .unknownEntity(let name): "The model has no entity '\(name)'."
        case .unknownAttribute(let name, let entity): "The entity \(entity) has no attribute '\(name)'."
        case .notSortable(let name, let entity):
            "\(entity) cannot be sorted by '\(name)': only by attributes that are not optional."
        case .conflict(let conflicts):
            conflicts.prefix(3).map(\.description).joined(separator: " ")
                + (conflicts.count > 3 ? " So were \(conflicts.count - 3) more." : "")
        case .predicateTooComplex(let reason): "The condition cannot be asked of the store: \(reason)."
        case .constraint(let reason): "The store refused the change: \(reason)."
        case .notStored(let table, let cause):
            "Nothing was saved: the table \(table) did not store the change because of \(cause). "
                + "Drop or change that, then try again."
        case .schemaChanged(let path, let reason):
            "The store \(path) was changed by another program: \(reason). "
                + "Nothing was saved; start again. If that does not help, undo the change or restore a backup."
        case .tokenExpired: "The history after this token has been cleaned away. Read everything anew."
        case .tokenOfAnotherStore: "The token belongs to another store. Read everything anew."
        case .unknownConsumer(let name):
            "No consumer '\(name)' is registered with the store, so its cursor was not moved. Register it first."
        case .tokenFromFuture:
            "The token is newer than the store: an older copy was restored. Read everything again."
        case .cancelled: "Cancelled."
        case .closed: "The store is closed."
        case .other(let path, let reason): "The store \(path) failed: \(reason)."
        }
    }

    /// What to do about a damaged store.
    package static let repairAdvice =
        "Restore a backup with 'clips backup restore FILE', or run 'clips doctor --salvage NEW'."

    init(_ error: SQLiteError, path: String, holder: String? = nil, waited: Int64 = 0) {
        switch error.primary {
        case .inputOutput where error.isOutOfRoom, .cannotOpen where error.isOutOfRoom:
            self = .full(path: path)
        case .inputOutput: self = .inputOutput(path: path, reason: error.systemReason)
        case .busy, .locked: self = .busy(path: path, holder: holder, milliseconds: Int(waited))
        case .readOnly: self = .readOnly(path: path)
        case .full: self = .full(path: path)
        case .corrupt: self = .damaged(path: path, reason: error.message)
        case .notADatabase: self = .notAStore(path: path)
        case .cannotOpen: self = .cannotOpen(path: path, reason: error.message)
        case .constraint: self = .constraint(reason: error.message)
        case .tooBig: self = .tooBig(path: path)
        case .interrupted: self = .cancelled
        case .other where error.isAboutSchema: self = .schemaChanged(path: path, reason: error.message)
        default: self = .other(path: path, reason: error.description)
        }
    }
}

extension SQLiteError {
    /// Also for SQLite's own small files, of which it only says that they cannot be made or lengthened.
    fileprivate var isOutOfRoom: Bool { [ENOSPC, EDQUOT, EFBIG].contains(systemError) }

    /// SQLite has one code for all errors of SQL; these two only a change of the schema can cause, since all names
    /// come from the model.
    fileprivate var isAboutSchema: Bool {
        code == 1
            && (message.hasPrefix("no such column") || message.hasPrefix("no such table")
                || message.contains("has no column named"))
    }

    /// In the system's words where it had any.
    package var systemReason: String { systemError == 0 ? message : String(cString: strerror(systemError)) }
}
