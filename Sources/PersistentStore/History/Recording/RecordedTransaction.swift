import FoundationEssentials
import SQLite
import Synchronization

#if canImport(Musl)
import Musl
#else
import Glibc
#endif

/// The author and name under which the history records a transaction.
struct TransactionOrigin: Sendable {
    let author: String?
    let contextName: String?
    let session: Int64
}

extension TransactionOrigin {
    /// Creates the origin of a transaction that no context regards as its own.
    init(_ author: String?, _ contextName: String?) {
        self.init(author: author, contextName: contextName, session: Int64.random(in: 1...Int64.max))
    }
}

/// A transaction of the history: a `begin` row, the rows written by the triggers, and an `end` row. Exists
/// inside an IMMEDIATE transaction of SQLite.
struct RecordedTransaction {
    let origin: TransactionOrigin
    let options: StoreOptions
    let storeID: UUID
    /// Whether the triggers are those of another program's database, which give each row a time: see
    /// ``AttachedTriggers``.
    var isAttached = false

    func begin(on connection: borrowing Connection, _ external: ExternalTriggers) throws -> Int64 {
        let originID = try originID(on: connection, external)
        let statement = try connection.prepare(
            """
            INSERT INTO history (kind, began, origin, process, session)
            VALUES (3, max(?1, coalesce((SELECT at FROM history ORDER BY number DESC LIMIT 1), 0)), ?2, ?3, ?4)
            """)
        try statement.bind(options.clock(), at: 1)
        try statement.bind(originID, at: 2)
        try statement.bind(Int64(getpid()), at: 3)
        try statement.bind(origin.session, at: 4)
        return try storedRow(statement, on: connection, external)
    }

    /// Ends the transaction.
    ///
    /// - Returns: The position; nil, after removing the two rows, if there is no recorded change between them.
    func end(
        _ first: Int64, on connection: borrowing Connection, _ facts: StoreConnection.Facts
    ) throws -> HistoryToken? {
        if isAttached {
            try connection.run("UPDATE history SET at = NULL WHERE number > ?1 AND at NOT NULL", first)
        }
        let statement = try connection.prepare(
            "INSERT INTO history (kind, at) VALUES (4, (SELECT began FROM history WHERE number = ?1))")
        try statement.bind(first, at: 1)
        let number = try storedRow(statement, on: connection, facts.external)
        guard number > first, number - 1 > first else {
            try connection.run("DELETE FROM history WHERE number IN (?1, ?2)", first, number)
            return nil
        }
        return HistoryToken(storeID: storeID, generation: facts.generation, number: number)
    }

    /// Runs an insert and returns its row. Without a row, `last_insert_rowid()` is that of an earlier
    /// statement.
    private func storedRow(
        _ statement: borrowing Statement, in table: String = "history", on connection: borrowing Connection,
        _ external: ExternalTriggers
    ) throws -> Int64 {
        while try statement.step() {}
        guard connection.changedRows == 1 else { throw external.notStored(table) }
        return connection.lastInsertedRow
    }

    private func originID(
        on connection: borrowing Connection, _ external: ExternalTriggers
    ) throws -> Int64 {
        let find = try connection.prepare(
            "SELECT id FROM history_origin WHERE author IS ?1 AND context IS ?2 AND program IS ?3")
        try bind(to: find)
        if try find.step() { return find.integer(0) }
        let statement = try connection.prepare(
            "INSERT INTO history_origin (author, context, program) VALUES (?1, ?2, ?3)")
        try bind(to: statement)
        return try storedRow(statement, in: "history_origin", on: connection, external)
    }

    private func bind(to statement: borrowing Statement) throws(SQLiteError) {
        for (index, text) in [origin.author, origin.contextName, options.program].enumerated() {
            if let text { try statement.bind(text, at: index + 1) }
        }
    }
}

/// The transactions committed by one task, in any context.
///
/// The creator of a task records them, to recognize them in the history.
package final class SavedTransactions: Sendable {
    /// The set for a task and its children, which records every save and batch request in it.
    @TaskLocal package static var current: SavedTransactions?

    private let numbers = Mutex<Set<Int64>>([])

    package init() {}

    package func contains(_ transaction: HistoryTransaction) -> Bool {
        numbers.withLock { $0.contains(transaction.number) }
    }

    /// Discards the transactions up to a token, which have been read from the history.
    package func forget(upTo token: HistoryToken) {
        numbers.withLock { numbers in
            if !numbers.isEmpty { numbers = numbers.filter { $0 > token.number } }
        }
    }

    static func note(_ token: HistoryToken?) {
        guard let token, let current else { return }
        current.numbers.withLock { _ = $0.insert(token.number) }
    }
}
