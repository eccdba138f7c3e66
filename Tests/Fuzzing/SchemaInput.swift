import Foundation
import PersistentStore
import SQLite
import Synchronization

/// Definitions of another program's tables, which may come from an attacker.
enum SchemaInput {
    private static let count = Atomic<Int>(0)
    /// Statements that run without end or reach other files.
    private static let excluded = ["recursive", "attach", "vacuum", "pragma", "blob(", "with", "join"]

    /// Records each table, and checks that the owner's statements continue to work and that nothing remains.
    static func broken(by text: String) -> String? {
        guard text.utf8.count < 4000, !text.utf8.contains(0) else { return nil }
        let lower = text.lowercased()
        guard !excluded.contains(where: lower.contains) else { return nil }
        let number = count.add(1, ordering: .relaxed).newValue
        let folder = "/dev/shm/fuzz-schema-\(ProcessInfo.processInfo.processIdentifier)-\(number)"
        do {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(atPath: folder) }
            let path = folder + "/owned.db"
            let connection = try Connection(path: path, access: .create, trustsSchema: true)
            // The statements before the first error.
            try? connection.execute("PRAGMA synchronous = OFF; " + text)
            connection.rollBack()
            guard try connection.integer("SELECT count(*) FROM sqlite_schema") ?? 0 > 0 else { return nil }
            return try broken(connection, path)
        } catch is SQLiteError {
            return nil
        } catch {
            return "\(error)"
        }
    }

    private static func broken(_ connection: borrowing Connection, _ path: String) throws -> String? {
        for (table, refusal) in try PersistentContainer.attachableTables(in: path) where refusal == nil {
            let schema = try connection.texts("SELECT coalesce(sql, name) FROM sqlite_schema ORDER BY rowid")
            let before = outcomes(table, connection)
            if let error = attached(path, table, { outcomes(table, connection) == before }) { return error }
            guard
                try connection.texts("SELECT coalesce(sql, name) FROM sqlite_schema ORDER BY rowid") == schema
            else {
                return "the schema is another one after detaching"
            }
        }
        return nil
    }

    /// Whether each of some statements succeeds.
    private static func outcomes(_ table: String, _ connection: borrowing Connection) -> [Bool] {
        let name = "\"" + table.replacing("\"", with: "\"\"") + "\""
        return [
            "INSERT INTO \(name) DEFAULT VALUES", "REPLACE INTO \(name) DEFAULT VALUES",
            "DELETE FROM \(name)",
        ].map {
            defer { connection.rollBack() }
            do {
                try connection.execute("BEGIN IMMEDIATE; " + $0)
                return true
            } catch {
                return false
            }
        }
    }

    private static func attached(_ path: String, _ table: String, _ works: () -> Bool) -> String? {
        if let error = run({ options in
            let container = try await PersistentContainer(
                attachingTo: path, tables: [table], values: .rows, allowsWAL: true, options: options)
            await container.close()
        }) {
            return error
        }
        let areEqual = works()
        if let error = run({ options in
            let container = try await PersistentContainer(attachingTo: path, options: options)
            _ = try await container.read { try $0.changes(HistoryFetchRequest()) }
            try await container.detach()
        }) {
            return error
        }
        return areEqual ? nil : "a statement of the owner has another outcome"
    }

    private static func run(_ work: @escaping @Sendable (StoreOptions) async throws -> Void) -> String? {
        let failure = Failure()
        _ = try? StoreOptions.runOnThisThread { options in
            var options = options
            options.durability = .normal
            do {
                try await work(options)
            } catch StoreError.cannotAttach {
                // A sentence is an answer.
            } catch StoreError.notAttached {
            } catch {
                failure.set("\(error)")
            }
            return 0
        }
        return failure.value
    }
}

private final class Failure: Sendable {
    private let text = Mutex<String?>(nil)

    var value: String? { text.withLock { $0 } }
    func set(_ value: String) { text.withLock { $0 = value } }
}
