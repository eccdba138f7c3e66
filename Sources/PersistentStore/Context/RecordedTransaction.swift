import FoundationEssentials
import Glibc
import SQLite

/// Under whose name a transaction goes into the history.
struct TransactionOrigin: Sendable {
    let author: String?
    let contextName: String?
    let session: Int64
}

/// One transaction of the history: a `begin` row, what the triggers write, an `end` row. Lives within an
/// IMMEDIATE transaction of SQLite.
struct RecordedTransaction {
    let origin: TransactionOrigin
    let options: StoreOptions
    let storeID: UUID

    func begin(on connection: borrowing Connection) throws -> Int64 {
        let originID = try originID(on: connection)
        let statement = try connection.prepare(
            """
            INSERT INTO history (kind, began, origin, process, session)
            VALUES (3, max(?1, coalesce((SELECT at FROM history ORDER BY number DESC LIMIT 1), 0)), ?2, ?3, ?4)
            """)
        try statement.bind(options.clock(), at: 1)
        try statement.bind(originID, at: 2)
        try statement.bind(Int64(getpid()), at: 3)
        try statement.bind(origin.session, at: 4)
        _ = try statement.step()
        return connection.lastInsertedRow
    }

    /// Closes the transaction; nil, with the `begin` row taken back, when no change was recorded.
    func end(_ first: Int64, on connection: borrowing Connection) throws -> HistoryToken? {
        guard try connection.integer("SELECT max(number) FROM history") ?? first > first else {
            try connection.run("DELETE FROM history WHERE number = ?1", first)
            return nil
        }
        let statement = try connection.prepare(
            "INSERT INTO history (kind, at) VALUES (4, (SELECT began FROM history WHERE number = ?1))")
        try statement.bind(first, at: 1)
        _ = try statement.step()
        let number = connection.lastInsertedRow
        let generation = try StoreMetadata.integer(.generation, on: connection) ?? 1
        return HistoryToken(storeID: storeID, generation: generation, number: number)
    }

    private func originID(on connection: borrowing Connection) throws -> Int64 {
        let find = "SELECT id FROM history_origin WHERE author IS ?1 AND context IS ?2 AND program IS ?3"
        if let id = try connection.integer(find, origin.author, origin.contextName, options.program) {
            return id
        }
        try connection.run(
            "INSERT INTO history_origin (author, context, program) VALUES (?1, ?2, ?3)", origin.author,
            origin.contextName, options.program)
        return connection.lastInsertedRow
    }
}
