import FoundationEssentials
import SQLite

/// Takes away the older end of the history.
///
/// First the floor is raised, in one commit: from then on a token below it is expired, so no reader can meet
/// a hole. Then the rows go, in batches small enough that a writer beside it waits some milliseconds at most.
/// The newest row always stays, which keeps numbers from being given twice.
struct HistoryPurge {
    /// Rows removed in one transaction.
    static let batchSize: Int64 = 1000

    /// What a purge is to do; worked out on a snapshot, since counting much takes time in which others write.
    struct Plan: Sendable {
        let floor: Int64
        let newFloor: Int64
        let result: PurgeResult

        /// Cuts at what every consumer has passed, if that is older than `youngest`; and in any case at what is
        /// older than `oldest`. Both in milliseconds since 1970.
        init(oldest: Int64, youngest: Int64, on connection: borrowing Connection) throws {
            floor = try StoreMetadata.integer(.historyFloor, on: connection) ?? 0
            let passed = try connection.integer("SELECT min(position) FROM history_consumer") ?? 0
            let mature = try HistoryPurge.lastNumber(before: youngest, upTo: passed, on: connection)
            let aged = try HistoryPurge.lastNumber(before: oldest, upTo: .max, on: connection)
            newFloor = max(floor, mature, aged)
            result = try HistoryPurge.count(above: floor, upTo: newFloor, on: connection)
        }
    }

    /// Raises the floor as planned and tells what lies below it; nothing when somebody was faster.
    static func raiseFloor(_ plan: Plan, on connection: borrowing Connection) throws -> PurgeResult {
        let floor = try StoreMetadata.integer(.historyFloor, on: connection) ?? 0
        guard plan.newFloor > floor && floor == plan.floor else { return PurgeResult() }
        try StoreMetadata.set(.historyFloor, .integer(plan.newFloor), on: connection)
        return plan.result
    }

    /// The end of the last transaction before a time, not beyond `limit`. A stranger's statement ends where the
    /// next row does not continue it.
    private static func lastNumber(
        before time: Int64, upTo limit: Int64, on connection: borrowing Connection
    ) throws -> Int64 {
        try connection.integer(
            """
            SELECT number FROM history AS last WHERE at < ?1 AND number <= ?2
            AND NOT EXISTS (SELECT 1 FROM history WHERE number = last.number + 1 AND continues = 1)
            ORDER BY number DESC LIMIT 1
            """, time, limit) ?? 0
    }

    private static func count(
        above floor: Int64, upTo number: Int64, on connection: borrowing Connection
    ) throws -> PurgeResult {
        let counts = try connection.prepare(
            """
            SELECT coalesce(sum(kind = 3 OR (kind < 3 AND at NOT NULL AND continues IS NOT 1)), 0),
            coalesce(sum(kind < 3), 0) FROM history WHERE number > ?1 AND number <= ?2
            """)
        try counts.bind(floor, at: 1)
        try counts.bind(number, at: 2)
        guard try counts.step() else { return PurgeResult() }
        return PurgeResult(transactions: Int(counts.integer(0)), changes: Int(counts.integer(1)))
    }

    /// Removes up to one batch of what lies below the floor; false when nothing is left.
    static func removeBatch(on connection: borrowing Connection) throws -> Bool {
        guard let floor = try StoreMetadata.integer(.historyFloor, on: connection),
            let first = try connection.integer("SELECT min(number) FROM history"),
            let newest = try connection.integer("SELECT max(number) FROM history")
        else { return false }
        let last = min(first + batchSize - 1, floor, newest - 1)
        guard first <= last else { return false }
        let entities = try connection.prepare("SELECT name FROM history_entity")
        while try entities.step() {
            try connection.run(
                "DELETE FROM \(StoreSchema.valuesTable(entities.text(0))) WHERE number <= ?1", last)
        }
        try connection.run("DELETE FROM history WHERE number <= ?1", last)
        return true
    }
}

/// What a purge took away.
public struct PurgeResult: Hashable, Sendable {
    public var transactions = 0
    public var changes = 0

    public init() {}

    init(transactions: Int, changes: Int) {
        self.transactions = transactions
        self.changes = changes
    }
}
