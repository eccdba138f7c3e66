import Platform
import SQLite

extension StoreOpening {
    /// Opens the store without creating or changing any file, for a process that may not write.
    ///
    /// A reader of a WAL database needs the `-wal` and the `-shm`, and SQLite creates them if they are
    /// missing; if another user created them, they would lock the owner out. They exist while a process has
    /// the store open, and after a crash. If they are missing, the file alone is the whole store, and it is
    /// read as immutable, without locks (sqlite.org/wal.html#read_only_databases).
    func openForReading() throws(StoreError) -> (StoreConnection, StoreMetadata) {
        guard FilePath.exists(path) else { throw .missing(path: path) }
        try checkFile()
        guard !wasStore else { throw .emptied(path: path) }
        let store = try connectForReading()
        do {
            try store.connection.execute("PRAGMA query_only = ON; BEGIN")
            guard try !identify(store.connection) else { throw StoreError.notAStore(path: path) }
            let metadata = try StoreMetadata(store.connection)
            try checkSchema(store.connection)
            try store.connection.execute("COMMIT")
            return (store, metadata)
        } catch {
            throw store.storeError(error)
        }
    }

    private func connectForReading() throws(StoreError) -> StoreConnection {
        let milliseconds = options.busyTimeout.wholeMilliseconds
        let state = FileStamp(path: resolvedPath)
        let hasIndex = FilePath.exists(resolvedPath + "-shm")
        do {
            guard state.isQuiet else {
                guard hasIndex else {
                    throw StoreError.cannotOpen(
                        path: path, reason: "it is incomplete and must be opened for writing first")
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
}
