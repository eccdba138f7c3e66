import FoundationEssentials
import SQLite
import Synchronization

/// The log table, read with the entity and attribute names that it recorded; confined to its reader.
struct HistoryLog {
    struct EntityNames {
        let name: String
        var attributes: [Int: String] = [:]
        var retainedAttributes: [String] = []
        /// The query for the retained columns of one change.
        var retainedValues = ""
        /// The recorded table of another program's database.
        var attached: AttachedRows?
    }

    enum RowKind: Int64 {
        case begin = 3
        case end = 4
    }

    private let storeID: UUID
    private let generation: Int64
    let store: StoreDigest
    let entities: [Int64: EntityNames]
    /// The bounds queried so far, while the log is that of one snapshot.
    private var snapshotBounds: SnapshotBounds?
    /// The bounds of the values, in a connection that only reads.
    private var oversized: OversizedValues?

    /// Creates a log and reads the names by which history is interpreted. Create a new log when the schema
    /// may have changed.
    init(_ connection: borrowing Connection) throws {
        let metadata = try StoreMetadata(connection)
        storeID = metadata.storeID
        generation = metadata.generation
        store = StoreDigest(storeID)
        var entities: [Int64: EntityNames] = [:]
        let names = try connection.prepare("SELECT id, name FROM history_entity")
        while try names.step() { entities[names.integer(0)] = EntityNames(name: names.text(1)) }
        let bits = try connection.prepare("SELECT entity, bit, name FROM history_attribute")
        while try bits.step() { entities[bits.integer(0)]?.attributes[Int(bits.integer(1))] = bits.text(2) }
        let attached = metadata.isAttached ? try AttachedRows.all(on: connection) : [:]
        for (id, entity) in entities {
            if let rows = attached[id] {
                entities[id] = EntityNames(
                    name: rows.entity.name, attributes: entity.attributes, attached: rows)
                continue
            }
            let columns = try connection.texts(
                "SELECT name FROM pragma_table_info(?1) WHERE cid > 0 ORDER BY cid",
                "history_values_\(entity.name)")
            let list = columns.map(StoreSchema.quoted).joined(separator: ", ")
            entities[id]?.retainedAttributes = columns.map(StoreSchema.attributeName)
            entities[id]?.retainedValues =
                "SELECT \(list) FROM \(StoreSchema.valuesTable(entity.name)) WHERE number = ?1"
        }
        self.entities = entities
    }

    func token(_ number: Int64) -> HistoryToken {
        HistoryToken(storeID: storeID, generation: generation, number: number)
    }

    /// Returns a log for one snapshot, which reads its bounds once.
    func ofOneSnapshot(within oversized: OversizedValues? = nil) -> HistoryLog {
        var log = self
        (log.snapshotBounds, log.oversized) = (SnapshotBounds(), oversized)
        return log
    }

    func newestToken(on connection: borrowing Connection) throws -> HistoryToken {
        token(try bounds(on: connection).newest)
    }

    /// Returns the number of the last deleted row, and the number before which tokens have expired.
    func extent(on connection: borrowing Connection) throws -> (floor: Int64, expiry: Int64) {
        let bounds = try bounds(on: connection)
        return (bounds.floor, bounds.expiry)
    }

    /// The bounds, if they have been queried in this snapshot.
    var knownBounds: SnapshotBounds.Values? { snapshotBounds?.values.withLock { $0 } }

    private func bounds(on connection: borrowing Connection) throws -> SnapshotBounds.Values {
        if let knownBounds { return knownBounds }
        let bounds = try StoreMetadata.historyBounds(on: connection)
        snapshotBounds?.values.withLock { $0 = bounds }
        return bounds
    }

    /// Whether more than `count` changes follow a position. Reads at most one change more than that.
    func hasMoreChanges(after number: Int64, than count: Int, on connection: borrowing Connection) throws
        -> Bool
    {
        try count < 0
            || connection.integer(
                "SELECT 1 FROM history WHERE number > ?1 AND kind < 3 LIMIT 1 OFFSET ?2", number, count)
                != nil
    }

    func check(_ token: HistoryToken, on connection: borrowing Connection) throws {
        try check(token, try bounds(on: connection))
    }

    func check(_ token: HistoryToken, _ bounds: SnapshotBounds.Values) throws(StoreError) {
        guard token.storeID == storeID else { throw .tokenOfAnotherStore }
        guard token.generation == generation, token.number >= bounds.expiry else {
            throw .tokenExpired(oldest: self.token(bounds.expiry))
        }
        guard token.number <= bounds.newest else {
            throw .tokenFromFuture(newest: self.token(bounds.newest))
        }
    }
}

extension HistoryLog {
    /// Returns the change in a row of a ``HistoryScan``, with its retained values.
    func change(_ row: borrowing Statement, on connection: borrowing Connection) throws -> HistoryChange? {
        guard let kind = HistoryChange.Kind(rawValue: Int(row.integer(1))),
            let entity = entities[row.integer(2)]
        else { return nil }
        if let attached = entity.attached {
            return try attached.change(row, kind, entity.attributes, store, on: connection)
        }
        let id = ObjectID(entity: entity.name, key: row.integer(3), store: store)
        // For an update the changed attributes, for a deletion those in the tombstone. Only a deletion
        // recorded by an older version does not list them.
        var names: [String] = []
        var mask = UInt64(bitPattern: row.integer(4))
        while mask != 0 {
            if let name = entity.attributes[mask.trailingZeroBitCount] { names.append(name) }
            mask &= mask - 1
        }
        if kind == .delete && row.isNull(4) { names = entity.retainedAttributes }
        var retained: [String: AttributeValue] = [:]
        // Without retained values there is no such row, and a query for it would cost as much as all other
        // steps together.
        if names.contains(where: entity.retainedAttributes.contains) {
            retained = try retainedValues(of: entity, id, number: row.integer(0), on: connection)
                .filter { names.contains($0.key) }
        }
        return HistoryChange(
            number: row.integer(0), kind: kind, objectID: id,
            updatedAttributes: kind == .update ? names : [], tombstone: kind == .delete ? retained : nil,
            oldValues: kind == .update ? retained : [:])
    }

    func objectID(_ row: borrowing Statement) -> ObjectID? {
        entities[row.integer(2)].map { ObjectID(entity: $0.name, key: row.integer(3), store: store) }
    }

    private func retainedValues(
        of entity: EntityNames, _ id: ObjectID, number: Int64, on connection: borrowing Connection
    ) throws -> [String: AttributeValue] {
        guard !entity.retainedAttributes.isEmpty else { return [:] }
        let statement = try connection.prepare(entity.retainedValues)
        try statement.bind(number, at: 1)
        guard try statement.step() else { return [:] }
        var values: [String: AttributeValue] = [:]
        var isCut = false
        for (index, name) in entity.retainedAttributes.enumerated() {
            values[name] = statement.value(index, within: oversized, isCut: &isCut)
        }
        if isCut { oversized?.note(id, isCut: true) }
        return values
    }
}

/// The bounds of the history of one snapshot, cached because a pass reads them several times.
final class SnapshotBounds: Sendable {
    typealias Values = (floor: Int64, expiry: Int64, newest: Int64)

    let values = Mutex<Values?>(nil)
}

/// The range of a request. Finding it reads a few rows, regardless of the length of the history.
extension HistoryLog {
    /// A range of transactions after one number and up to another, with an offset and a limit.
    struct Range {
        var after: Int64
        var upTo = Int64.max
        var offset: Int
        var limit: Int
        /// The transactions, oldest first, if they are known.
        var pieces: [Piece]?
    }

    /// Returns the range of a request.
    ///
    /// - Throws: `StoreError.tokenExpired` if part of the requested history was purged;
    ///   `StoreError.objectOfAnotherStore` for an object of another store;
    ///   `StoreError.predicateTooComplex` for a predicate beyond the limits.
    func range(of request: HistoryFetchRequest, on connection: borrowing Connection) throws -> Range {
        try request.predicate?.checkSize()
        try request.changePredicate?.check(store)
        let (floor, expiry) = try extent(on: connection)
        var range = Range(
            after: try startNumber(request.start, floor: floor, expiry: expiry, on: connection),
            offset: max(0, request.offset), limit: request.limit ?? .max)
        if let timestamps = request.predicate?.timestamps {
            if timestamps.after > .min {
                let first = try lastNumber(notAfter: timestamps.after, floor: floor, on: connection)
                range.after = max(range.after, first)
            }
            if timestamps.upTo < .max {
                range.upTo = try lastNumber(notAfter: timestamps.upTo, floor: floor, on: connection)
            }
        }
        if case .newest = request.start, range.limit > 0 {
            try narrowToNewest(&range, request, on: connection)
        }
        return range
    }

    private func startNumber(
        _ start: HistoryFetchRequest.Start, floor: Int64, expiry: Int64,
        on connection: borrowing Connection
    ) throws -> Int64 {
        switch start {
        case .beginning, .newest: return floor
        case .after(let token):
            try check(token, on: connection)
            return try lastNumber(ofTransactionWith: token.number, on: connection)
        case .afterTransaction(let number):
            try check(self.token(number), on: connection)
            return try lastNumber(ofTransactionWith: number, on: connection)
        case .ending(let token):
            try check(token, on: connection)
            // A reader at the floor misses nothing, but the transaction that ends there was purged.
            guard expiry == 0 || token.number > expiry else {
                throw StoreError.tokenExpired(oldest: self.token(expiry))
            }
            let first = try HistoryBoundary.beginning(ofTransactionWith: token.number, on: connection)
            return max(floor, first.map { $0 - 1 } ?? floor)
        case .afterDate(let date):
            return try lastNumber(notAfter: date.lastMillisecond, floor: floor, on: connection)
        }
    }

    /// Returns the end of the transaction that contains a row, which is the number itself for every token
    /// that a request has returned. Reads the rest of that transaction only, so everything after a cursor is
    /// new.
    func lastNumber(ofTransactionWith number: Int64, on connection: borrowing Connection) throws -> Int64 {
        let row = try connection.prepare("SELECT at FROM history WHERE number = ?1", [number])
        // Position 0, or one that cleaning has just reached.
        guard try row.step(), row.isNull(0) else { return number }
        return try HistoryBoundary.end(atOrAfter: number, on: connection) ?? number
    }

    /// Returns the last number that is not later than a time, by binary search: timestamps rise with the
    /// numbers.
    private func lastNumber(notAfter wanted: Int64, floor: Int64, on connection: borrowing Connection) throws
        -> Int64
    {
        guard wanted > .min else { return floor }
        guard wanted < .max else { return max(floor, try HistoryBoundary.newest(on: connection)) }
        return try HistoryBoundary.lastNumber(stampedBefore: wanted + 1, above: floor, on: connection)
    }
}

/// The description of a transaction that is known before its changes are read.
struct HistoryHeader {
    /// A row of `history_origin`; all nil for an external writer.
    struct Origin {
        var author: String?
        var contextName: String?
        var program: String?

        /// By bytes, without Unicode's equivalences, as the database compares names.
        func hasContextName(from start: String) -> Bool {
            contextName?.utf8.starts(with: start.utf8) == true
        }
    }

    /// The number of the row that contains the header.
    var row: Int64 = 0
    /// Whether a context made the transaction. A change of an external writer is a transaction by itself.
    var isOurs = true
    var origin = Origin()
    var process: Int32?
    var session: Int64?
    var milliseconds: Int64

    func transaction(
        _ token: HistoryToken, _ changes: [HistoryChange], pieceIndex: Int, isComplete: Bool
    ) -> HistoryTransaction {
        HistoryTransaction(
            number: token.number, token: token, timestamp: Date(milliseconds: milliseconds),
            author: origin.author, contextName: origin.contextName, process: process,
            program: origin.program, session: session, firstRow: row, changes: changes,
            pieceIndex: pieceIndex, isComplete: isComplete)
    }
}

/// Reads the author and time of transactions from rows of the log, and caches the origins.
struct HistoryHeaders {
    /// The columns that ``header(_:on:)`` expects in a row.
    static let columns =
        "number, kind, entity, object, columns, at, began, origin, process, session"

    private var origins: [Int64: HistoryHeader.Origin] = [:]

    /// Returns the header from a `begin` row, or from a change of an external writer.
    mutating func header(_ row: borrowing Statement, on connection: borrowing Connection) throws
        -> HistoryHeader
    {
        guard row.integer(1) == HistoryLog.RowKind.begin.rawValue else {
            return HistoryHeader(row: row.integer(0), isOurs: false, milliseconds: row.integer(5))
        }
        return HistoryHeader(
            row: row.integer(0), origin: try origin(row.integer(7), on: connection),
            process: row.optionalInteger(8).map(Int32.init(clamping:)), session: row.optionalInteger(9),
            milliseconds: row.integer(6))
    }

    private mutating func origin(_ id: Int64, on connection: borrowing Connection) throws
        -> HistoryHeader.Origin
    {
        if let known = origins[id] { return known }
        let statement = try connection.prepare(
            "SELECT author, context, program FROM history_origin WHERE id = ?1", [id])
        var origin = HistoryHeader.Origin()
        if try statement.step() {
            origin = HistoryHeader.Origin(
                author: statement.optionalText(0), contextName: statement.optionalText(1),
                program: statement.optionalText(2))
        }
        origins[id] = origin
        return origin
    }
}
