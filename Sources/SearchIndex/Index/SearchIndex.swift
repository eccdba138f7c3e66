package import PersistentStore
import SQLite

/// The full-text index of one store: a file beside it, made from the store and its history, and made again by
/// itself whenever it is lost, damaged, or too far behind.
///
/// Lives on the thread of the container's reader: what is searched and what is read fit one snapshot. Any number of
/// processes share the file; who writes holds its lock, and what was done is in the same commit as how far it goes.
package actor SearchIndex {
    package nonisolated let container: PersistentContainer
    nonisolated let schema: SearchSchema
    package nonisolated let path: String
    private var file: IndexFile?
    private var vocabulary = Vocabulary()
    /// Why the file cannot be used at all; not tried again for a while.
    private var obstacle: String?
    private var retry = ContinuousClock.now
    /// Kept between the steps of a building.
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

    /// Runs `body` with the open file, on one state of it; nil when there is none to be had, as in a folder that
    /// cannot be written, or while somebody else makes it anew. A damaged file is removed.
    func use<Result>(
        _ access: IndexAccess, _ body: (borrowing Connection, inout Vocabulary) throws -> Result
    ) throws -> Result? {
        for _ in 0..<2 {
            guard let file = openFile() else { return nil }
            guard access == .reading || !file.isReadOnly else {
                obstacle = "it can only be read"
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
                throw error
            }
        }
        return nil
    }

    func useOutsideTransaction(_ body: (borrowing Connection) throws -> Void) throws {
        if let file { try body(file.connection) }
    }

    var obstacleDescription: String? { obstacle }

    private func openFile() -> IndexFile? {
        if let file, file.isStillInPlace { return file }
        file = nil
        guard obstacle == nil || ContinuousClock.now > retry else { return nil }
        for _ in 0..<2 {
            do {
                let opened = try IndexFile(path: path, store: container.path)
                (file, obstacle) = (opened, nil)
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
        obstacle = error.message
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
