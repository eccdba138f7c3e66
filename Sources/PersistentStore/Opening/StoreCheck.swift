import FoundationEssentials
import SQLite

/// Checks one state of a store without writing. Reads all of it: a million objects take seconds.
struct StoreCheck {
    let model: StoreModel

    func run(on connection: borrowing Connection) throws -> [StoreFinding] {
        var findings = try integrity(connection)
        guard findings.isEmpty else { return findings }
        findings += try references(connection)
        for entity in model.entities where try Self.lastID(entity.name, connection) > Self.maxID {
            findings.append(.fewIDsLeft(entity: entity.name))
        }
        for entity in model.entities where entity.tracksHistory {
            if try !hasItsTriggers(entity, connection) {
                findings.append(.wrongTriggers(entity: entity.name))
            }
            findings += try history(entity, connection)
        }
        return findings
    }

    private func integrity(_ connection: borrowing Connection) throws -> [StoreFinding] {
        let reason: String
        do {
            let lines = try connection.prepare("PRAGMA integrity_check(1)")
            guard try lines.step(), lines.text(0) != "ok" else { return [] }
            reason = lines.text(0)
        } catch {
            guard error.primary == .corrupt else { throw error }
            reason = error.message
        }
        let areWhole = try TableCheck(model: model).areTablesWhole(connection)
        return [areWhole ? .damagedIndexes(reason) : .damaged(reason)]
    }

    private func references(_ connection: borrowing Connection) throws -> [StoreFinding] {
        var counts: [String: Int] = [:]
        let rows = try connection.prepare("SELECT \"table\" FROM pragma_foreign_key_check")
        while try rows.step() { counts[rows.text(0), default: 0] += 1 }
        return counts.sorted { $0.key < $1.key }.map { .danglingReferences(table: $0.key, count: $0.value) }
    }

    /// The greatest ID that is not near the end of all.
    static let maxID = Int64.max - (1 << 32)

    /// Returns the last assigned ID of a table, or the greater one of a moved row.
    static func lastID(_ table: String, _ connection: borrowing Connection) throws(SQLiteError) -> Int64 {
        try connection.integer(
            """
            SELECT max(coalesce((SELECT max(id) FROM \(StoreSchema.quoted(table))), 0),
            coalesce((SELECT seq FROM sqlite_sequence WHERE name = ?1), 0))
            """, table) ?? 0
    }

    /// Returns a table that has no ID left; nil if there is none.
    static func exhausted(_ connection: borrowing Connection) -> String? {
        try? connection.texts("SELECT name FROM sqlite_sequence").first {
            try lastID($0, connection) == .max
        }
    }

    func hasItsTriggers(_ entity: EntityDescription, _ connection: borrowing Connection) throws -> Bool {
        var made: [String: String] = [:]
        let rows = try connection.prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'")
        while try rows.step() { made[rows.text(0)] = rows.text(1) }
        guard let wanted = try HistoryTriggers(of: entity, on: connection) else { return false }
        return wanted.all.allSatisfy { made[$0.name] == $0.sql }
    }

    private func history(_ entity: EntityDescription, _ connection: borrowing Connection) throws
        -> [StoreFinding]
    {
        guard
            let id = try connection.integer("SELECT id FROM history_entity WHERE name = ?1", entity.name)
        else { return [] }
        var findings: [StoreFinding] = []
        // Before the expiry, changes may be missing, so a change that appears to be the last need not be.
        let expiry = try HistoryExtent(connection).expiry
        let unlike = try connection.integer(
            """
            SELECT count(*) FROM (SELECT object, kind, max(number) FROM history
            WHERE kind < 3 AND entity = ?1 AND number > ?2 GROUP BY object) AS last
            LEFT JOIN "\(entity.name)" AS present ON present.id = last.object
            WHERE (last.kind = \(HistoryChange.Kind.delete.rawValue)) = (present.id NOT NULL)
            """, id, expiry)
        let unknown = try unknownObjects(of: entity, id, expiry, connection)
        if let unlike, unlike + unknown > 0 {
            findings.append(.historyUnlikeData(entity: entity.name, count: Int(unlike + unknown)))
        }
        let behind =
            try connection.integer(
                "SELECT count(*) FROM (\(Self.objectsBehind(entity, id)))") ?? 0
        if behind > 0 { findings.append(.versionsBehind(entity: entity.name, count: Int(behind))) }
        let stray = try connection.integer(
            """
            SELECT count(*) FROM \(StoreSchema.valuesTable(entity.name)) AS retained
            LEFT JOIN history ON history.number = retained.number AND history.entity = ?1
            WHERE history.number IS NULL
            """, id)
        if let stray, stray > 0 { findings.append(.strayValues(entity: entity.name, count: Int(stray))) }
        return findings
    }
}

extension StoreCheck {
    /// Returns the number of objects without any change, if the history is complete since the store was
    /// created.
    private func unknownObjects(
        of entity: EntityDescription, _ id: Int64, _ expiry: Int64, _ connection: borrowing Connection
    ) throws -> Int64 {
        guard expiry == 0, try HistoryExtent(connection).generation == 1 else { return 0 }
        return try connection.integer(
            """
            SELECT count(*) FROM "\(entity.name)" WHERE id NOT IN
            (SELECT object FROM history WHERE kind < 3 AND entity = ?1 AND object NOT NULL)
            """, id) ?? 0
    }

    /// Returns a query for the ID and the lowest possible version of each object with a lower one. A version
    /// begins at 1 and rises with every recorded update; objects that were deleted in between are excluded.
    static func objectsBehind(_ entity: EntityDescription, _ id: Int64) -> String {
        """
        SELECT present.id AS id, changes.updates + 1 AS lowest FROM
        (SELECT object, count(*) FILTER (WHERE kind = \(HistoryChange.Kind.update.rawValue)) AS updates FROM history
        WHERE kind < 3 AND entity = \(id) GROUP BY object
        HAVING count(*) FILTER (WHERE kind = \(HistoryChange.Kind.delete.rawValue)) = 0) AS changes
        JOIN "\(entity.name)" AS present ON present.id = changes.object
        WHERE present.version <= changes.updates
        """
    }
}

/// The consumers that retain history without need, or whose cursor has expired.
struct ConsumerCheck {
    let now: Int64

    private static let manyTransactions = 10_000
    private static let manyDays = 14

    func run(_ consumers: [ConsumerRecord], _ extent: HistoryExtent) -> [StoreFinding] {
        consumers.compactMap { consumer in
            if consumer.isTransient && !consumer.isRunning { return .staleConsumer(consumer.name) }
            if consumer.token.generation != extent.generation || consumer.token.number < extent.expiry {
                return .expiredConsumer(consumer.name)
            }
            let days = Int((Double(now) / 1000 - consumer.lastSeen.timeIntervalSince1970) / 86_400)
            guard days >= Self.manyDays, consumer.lag >= Self.manyTransactions else { return nil }
            return .laggingConsumer(consumer.name, transactions: consumer.lag, days: days)
        }
    }
}
