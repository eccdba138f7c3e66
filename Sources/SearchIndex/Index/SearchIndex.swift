package import PersistentStore
import SQLite

/// The full-text index of one store, in a file next to it.
///
/// Built from the store and its history, and rebuilt automatically when it is missing, damaged, or too far
/// behind.
///
/// Runs on the executor of the container's reader, so search results and data come from one snapshot. Any
/// number of processes share the file. A writer holds its lock and stores the index's cursor in the same
/// commit as the documents.
package actor SearchIndex {
    package nonisolated let container: PersistentContainer
    nonisolated let schema: SearchSchema
    package nonisolated let path: String
    private var file: IndexFile?
    private var vocabulary = Vocabulary()
    /// The reason that the file cannot be used; it is not opened again until `retry`.
    private(set) var unavailabilityReason: String?
    private var retry = ContinuousClock.now
    /// The writer of a backfill, shared by its steps.
    var builder: DocumentWriter?

    /// The name of the index among the consumers of the store's history.
    package static let consumerName = "search"

    package init(_ container: PersistentContainer, _ schema: SearchSchema) {
        self.container = container
        self.schema = schema
        path = container.path + "-search"
    }

    package nonisolated var unownedExecutor: UnownedSerialExecutor { container.reader.unownedExecutor }

    /// Closes the file; the next call opens it again.
    package func close() { file = nil }

    /// Runs `body` with the open file in one transaction.
    ///
    /// Removes a damaged file and tries again.
    ///
    /// - Returns: nil if the file is unavailable, as in an unwritable folder or while another process
    ///   rebuilds it.
    func use<Result>(
        _ access: IndexAccess, _ body: (borrowing Connection, inout Vocabulary) throws -> Result
    ) throws(StoreError) -> Result? {
        for _ in 0..<2 {
            guard let file = openFile() else { return nil }
            guard access == .reading || !file.isReadOnly else {
                unavailabilityReason = "the file is read-only"
                return nil
            }
            do {
                try file.connection.execute(access.begin)
                let result = try body(file.connection, &vocabulary)
                try file.connection.execute("COMMIT")
                return result
            } catch let error as SQLiteError {
                file.connection.rollBack()
                builder = nil
                switch error.primary {
                case .busy, .locked: return nil
                case .full, .readOnly, .inputOutput, .cannotOpen, .noMemory, .interrupted:
                    setAside(error)
                    return nil
                default: discard()
                }
            } catch {
                file.connection.rollBack()
                builder = nil
                throw error as? StoreError ?? .other(path: path, reason: "\(error)")
            }
        }
        return nil
    }

    func useOutsideTransaction(_ body: (borrowing Connection) throws -> Void) throws {
        if let file { try body(file.connection) }
    }

    private func openFile() -> IndexFile? {
        if let file, file.isCurrent { return file }
        file = nil
        guard unavailabilityReason == nil || ContinuousClock.now > retry else { return nil }
        for _ in 0..<2 {
            do {
                let opened = try IndexFile(path: path, store: container.path)
                (file, unavailabilityReason) = (opened, nil)
                return opened
            } catch {
                switch error.primary {
                case .readOnly, .cannotOpen, .busy, .locked, .full, .inputOutput:
                    setAside(error)
                    return nil
                default: IndexFile.remove(path)
                }
            }
        }
        return nil
    }

    private func setAside(_ error: SQLiteError) {
        file = nil
        unavailabilityReason = error.message
        retry = ContinuousClock.now + .seconds(5)
    }

    private func discard() {
        file = nil
        IndexFile.remove(path)
    }
}

enum IndexAccess {
    case reading
    case writing

    var begin: String {
        switch self {
        case .reading: "BEGIN"
        case .writing: "BEGIN IMMEDIATE"
        }
    }
}
