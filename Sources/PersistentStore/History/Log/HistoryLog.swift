import FoundationEssentials
import SQLite

/// The log table, read with the entity and attribute names that it recorded; confined to its reader.
struct HistoryLog {
    struct EntityNames {
        let name: String
        var attributes: [Int: String] = [:]
        var retainedColumns: [String] = []
        /// The query for the retained columns of one change.
        var retainedValues = ""
    }

    enum RowKind: Int64 {
        case begin = 3
        case end = 4
    }

    private let storeID: UUID
    private let generation: Int64
    let entities: [Int64: EntityNames]
    /// The bounds queried so far, while the log is that of one snapshot.
    private var facts: SnapshotFacts?

    /// Creates a log and reads the names by which history is interpreted. Create a new log when the schema
    /// may have changed.
    init(_ connection: borrowing Connection) throws {
        let metadata = try StoreMetadata(connection)
        storeID = metadata.storeID
        generation = metadata.generation
        var entities: [Int64: EntityNames] = [:]
        let names = try connection.prepare("SELECT id, name FROM history_entity")
        while try names.step() { entities[names.integer(0)] = EntityNames(name: names.text(1)) }
        let bits = try connection.prepare("SELECT entity, bit, name FROM history_attribute")
        while try bits.step() { entities[bits.integer(0)]?.attributes[Int(bits.integer(1))] = bits.text(2) }
        for (id, entity) in entities {
            let columns = try connection.prepare(
                "SELECT name FROM pragma_table_info(?1) WHERE cid > 0 ORDER BY cid")
            try columns.bind("history_values_\(entity.name)", at: 1)
            var columnNames: [String] = []
            while try columns.step() { columnNames.append(columns.text(0)) }
            let list = columnNames.map(StoreSchema.quoted).joined(separator: ", ")
            entities[id]?.retainedColumns = columnNames
            entities[id]?.retainedValues =
                "SELECT \(list) FROM \(StoreSchema.valuesTable(entity.name)) WHERE number = ?1"
        }
        self.entities = entities
    }

    func token(_ number: Int64) -> HistoryToken {
        HistoryToken(storeID: storeID, generation: generation, number: number)
    }

    /// Returns a log for one snapshot, which reads its bounds once.
    func ofOneSnapshot() -> HistoryLog {
        var log = self
        log.facts = SnapshotFacts()
        return log
    }

    func newestToken(on connection: borrowing Connection) throws -> HistoryToken {
        if let newest = facts?.newest { return token(newest) }
        let newest = try connection.integer("SELECT max(number) FROM history") ?? 0
        facts?.setNewest(newest)
        return token(newest)
    }

    /// Returns the number of the last deleted row, and the number before which tokens have expired.
    func ends(on connection: borrowing Connection) throws -> (floor: Int64, expiry: Int64) {
        if let ends = facts?.ends { return ends }
        let floor = try StoreMetadata.integer(.historyFloor, on: connection) ?? 0
        let ends = (floor, try StoreMetadata.historyExpiry(floor: floor, on: connection))
        facts?.setEnds(ends)
        return ends
    }

    /// Whether more than `count` changes follow a position. Reads at most one row more than that.
    func hasMoreChanges(after number: Int64, than count: Int, on connection: borrowing Connection) throws
        -> Bool
    {
        try connection.integer(
            "SELECT count(*) FROM (SELECT 1 FROM history WHERE number > ?1 AND kind < 3 LIMIT ?2)", number,
            count + 1) ?? 0 > count
    }

    func check(_ token: HistoryToken, on connection: borrowing Connection) throws {
        let floor = try ends(on: connection).expiry
        guard token.storeID == storeID else { throw StoreError.tokenOfAnotherStore }
        guard token.generation == generation, token.number >= floor else {
            throw StoreError.tokenExpired(oldest: self.token(floor))
        }
        let newest = try newestToken(on: connection)
        guard token.number <= newest.number else { throw StoreError.tokenFromFuture(newest: newest) }
    }
}
