import Glibc
import SQLite

extension StoreOpening {
    /// Opens the store without making or changing any file, for who may not write.
    ///
    /// A reader of a WAL database needs the `-wal` and the `-shm`, and SQLite makes them when they are missing;
    /// made by a stranger they would lock the owner out. They are there while somebody has the store open and
    /// after a crash. When they are not, the file alone is the whole store and is read as immutable
    /// (sqlite.org/wal.html#read_only_databases), without locks.
    func openForReading() throws(StoreError) -> (StoreConnection, StoreMetadata) {
        guard access(path, F_OK) == 0 else { throw .missing(path: path) }
        try checkKind()
        guard !NewFile.wasStore(resolvedPath) else { throw .emptied(path: path) }
        let store = try connectForReading()
        do {
            try store.connection.execute("PRAGMA query_only = ON; BEGIN")
            guard try !identify(store.connection) else { throw StoreError.notAStore(path: path) }
            let metadata = try StoreMetadata(store.connection)
            if metadata.model != StoreModelFingerprint(model).text {
                try checkReadable(store.connection)
            }
            try store.connection.execute("COMMIT")
            return (store, metadata)
        } catch {
            throw store.storeError(error)
        }
    }

    private func connectForReading() throws(StoreError) -> StoreConnection {
        let milliseconds = options.busyTimeout.wholeMilliseconds
        let state = QuietState(path: resolvedPath)
        let hasIndex = access(resolvedPath + "-shm", F_OK) == 0
        do {
            guard state.isQuiet else {
                guard hasIndex else {
                    throw StoreError.cannotOpen(
                        path: path, reason: "it was left unfinished and must be opened for writing first")
                }
                return StoreConnection(
                    try Connection(path: path, access: .readOnly, busyTimeoutMilliseconds: milliseconds),
                    path: path)
            }
            state.waitUntilChangesShow()
            return StoreConnection(
                try Connection(path: path, access: .immutable, busyTimeoutMilliseconds: milliseconds),
                path: path, quiet: state)
        } catch let error as SQLiteError {
            throw StoreError(error, path: path)
        } catch let error as StoreError {
            throw error
        } catch {
            throw .other(path: path, reason: "\(error)")
        }
    }

    /// Another version's store serves as well, when all that the model has is there and of the same kind.
    private func checkReadable(_ connection: borrowing Connection) throws {
        for entity in model.entities {
            var kinds: [String: String] = [:]
            let columns = try connection.prepare("SELECT name, type FROM pragma_table_info(?1)")
            try columns.bind(entity.name, at: 1)
            while try columns.step() { kinds[columns.text(0)] = columns.text(1) }
            guard !kinds.isEmpty else {
                throw StoreError.unreadableModel(path: path, reason: "it has no \(entity.name)")
            }
            for attribute in entity.attributes where kinds[attribute.name] != attribute.kind.rawValue {
                let reason =
                    kinds[attribute.name] == nil
                    ? "its \(entity.name) has no \(attribute.name)"
                    : "its \(entity.name).\(attribute.name) is of another kind"
                throw StoreError.unreadableModel(path: path, reason: reason)
            }
        }
    }
}
