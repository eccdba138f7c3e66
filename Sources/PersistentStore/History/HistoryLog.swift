import FoundationEssentials
import SQLite

/// Reads the log table and puts transactions together from its rows; confined to its reader.
struct HistoryLog {
    private struct EntityNames {
        let name: String
        var attributes: [Int: String] = [:]
        var keptColumns: [String] = []
    }

    private enum RowKind: Int64 {
        case begin = 3
        case end = 4
    }

    private let storeID: UUID
    private let generation: Int64
    private let entities: [Int64: EntityNames]

    /// Reads the names by which old history is understood; make a new log when the schema may have changed.
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
            while try columns.step() { entities[id]?.keptColumns.append(columns.text(0)) }
        }
        self.entities = entities
    }

    func token(_ number: Int64) -> HistoryToken {
        HistoryToken(storeID: storeID, generation: generation, number: number)
    }

    func newestToken(on connection: borrowing Connection) throws -> HistoryToken {
        token(try connection.integer("SELECT max(number) FROM history") ?? 0)
    }

    /// Whether there are more than so many changes after a position; reads no more rows than that takes.
    func hasMoreChanges(after number: Int64, than count: Int, on connection: borrowing Connection) throws
        -> Bool
    {
        try connection.integer(
            "SELECT count(*) FROM (SELECT 1 FROM history WHERE number > ?1 AND kind < 3 LIMIT ?2)", number,
            count + 1) ?? 0 > count
    }

    /// Every transaction that the request admits, one at a time, within the caller's read transaction.
    ///
    /// - Parameter body: returns false to stop.
    func forEach(
        _ request: HistoryFetchRequest, on connection: borrowing Connection,
        _ body: (HistoryTransaction) throws -> Bool
    ) throws {
        var left = request.limit ?? .max
        guard left > 0 else { return }
        var assembly = Assembly()
        let rows = try connection.prepare(
            """
            SELECT number, kind, entity, object, columns, at, continues, began, author, context, program,
            process, session FROM history LEFT JOIN history_origin ON history_origin.id = origin
            WHERE number > ?1 ORDER BY number
            """)
        try rows.bind(try startNumber(request, on: connection), at: 1)
        func emit(_ transaction: HistoryTransaction?) throws -> Bool {
            guard let transaction, request.admits(transaction.author) else { return true }
            left -= 1
            return try body(transaction) && left > 0
        }
        while try rows.step() {
            let number = rows.integer(0)
            switch RowKind(rawValue: rows.integer(1)) {
            case .begin:
                guard try emit(assembly.finishStranger(self)) else { return }
                assembly.begin(rows)
            case .end:
                guard try emit(assembly.finish(at: number, self)) else { return }
            case nil:
                if !assembly.isOpen, rows.optionalInteger(6) != 1 {
                    guard try emit(assembly.finishStranger(self)) else { return }
                }
                let admitted = request.admits(assembly.author)
                guard let change = try admitted ? change(rows, on: connection) : nil else { continue }
                assembly.add(change, at: rows.optionalInteger(5))
            }
        }
        _ = try emit(assembly.finishStranger(self))
    }

    /// The number after which to read; checks that nothing between it and now is missing.
    private func startNumber(_ request: HistoryFetchRequest, on connection: borrowing Connection) throws
        -> Int64
    {
        let floor = try StoreMetadata.integer(.historyFloor, on: connection) ?? 0
        switch request.start {
        case .beginning: return floor
        case .token(let token):
            try check(token, floor: floor, on: connection)
            return token.number
        case .transaction(let number):
            try check(self.token(number), floor: floor, on: connection)
            return number
        case .ending(let token):
            try check(token, floor: floor, on: connection)
            // Whoever has come as far as the floor misses nothing, but the transaction that ends there is gone.
            guard floor == 0 || token.number > floor else {
                throw StoreError.tokenExpired(oldest: self.token(floor))
            }
            return try firstNumber(endingAt: token.number, floor: floor, on: connection)
        case .date(let date): return try lastNumber(notAfter: date, floor: floor, on: connection)
        case .newest: return try newestStart(request, floor: floor, on: connection)
        }
    }

    func check(_ token: HistoryToken, floor: Int64, on connection: borrowing Connection) throws {
        guard token.storeID == storeID else { throw StoreError.tokenOfAnotherStore }
        guard token.generation == generation, token.number >= floor else {
            throw StoreError.tokenExpired(oldest: self.token(floor))
        }
        let newest = try newestToken(on: connection)
        guard token.number <= newest.number else { throw StoreError.tokenFromFuture(newest: newest) }
    }

    private func firstNumber(endingAt number: Int64, floor: Int64, on connection: borrowing Connection) throws
        -> Int64
    {
        let first = try connection.integer(
            """
            SELECT number FROM history WHERE number <= ?1
            AND (kind = 3 OR (kind < 3 AND at NOT NULL AND continues IS NOT 1)) ORDER BY number DESC LIMIT 1
            """, number)
        return max(floor, first.map { $0 - 1 } ?? floor)
    }

    /// Timestamps rise with the numbers, so the place of a date is found by halving.
    private func lastNumber(notAfter date: Date, floor: Int64, on connection: borrowing Connection) throws
        -> Int64
    {
        let wanted = Int64((date.timeIntervalSince1970 * 1000).rounded(.down))
        var low = floor
        var high = try connection.integer("SELECT max(number) FROM history") ?? floor
        while low < high {
            let middle = low + (high - low + 1) / 2
            let stamp = try connection.integer(
                "SELECT coalesce(at, began) FROM history WHERE number <= ?1 AND coalesce(at, began) NOT NULL ORDER BY number DESC LIMIT 1",
                middle)
            if stamp.map({ $0 <= wanted }) ?? true { low = middle } else { high = middle - 1 }
        }
        return try closedNumber(atOrBefore: low, floor: floor, on: connection)
    }

    private func closedNumber(atOrBefore number: Int64, floor: Int64, on connection: borrowing Connection)
        throws -> Int64
    {
        try connection.integer(
            "SELECT number FROM history WHERE number <= ?1 AND at NOT NULL ORDER BY number DESC LIMIT 1",
            number)
            ?? floor
    }

    /// Walks back over as many ends of transactions as the limit says.
    private func newestStart(
        _ request: HistoryFetchRequest, floor: Int64, on connection: borrowing Connection
    ) throws -> Int64 {
        let ends = try connection.prepare(
            """
            SELECT number, kind, continues, author FROM history
            LEFT JOIN history_origin ON history_origin.id = origin
            WHERE at NOT NULL OR kind = 3 ORDER BY number DESC
            """)
        var left = request.limit ?? .max
        while try ends.step() {
            let isOurs = ends.integer(1) == RowKind.begin.rawValue
            let isStrangers = ends.integer(1) < RowKind.begin.rawValue && ends.optionalInteger(2) != 1
            guard isOurs || isStrangers, request.admits(isOurs ? ends.optionalText(3) : nil) else { continue }
            left -= 1
            if left == 0 { return max(ends.integer(0) - 1, floor) }
        }
        return floor
    }

    private func change(_ row: borrowing Statement, on connection: borrowing Connection) throws
        -> HistoryChange?
    {
        guard let kind = HistoryChange.Kind(rawValue: Int(row.integer(1))),
            let entity = entities[row.integer(2)]
        else {
            return nil
        }
        let mask = UInt64(bitPattern: row.integer(4))
        let updated = (0..<StoreModel.mostAttributes).compactMap { bit in
            mask & (1 << UInt64(bit)) == 0 ? nil : entity.attributes[bit]
        }
        var kept: [String: Value] = [:]
        if kind != .insert, !entity.keptColumns.isEmpty {
            kept = try keptValues(of: entity, number: row.integer(0), on: connection)
        }
        return HistoryChange(
            number: row.integer(0), kind: kind, objectID: ObjectID(entity: entity.name, key: row.integer(3)),
            updatedAttributes: updated, tombstone: kind == .delete ? kept : nil,
            oldValues: kind == .update ? kept.filter { updated.contains($0.key) } : [:])
    }

    private func keptValues(
        of entity: EntityNames, number: Int64, on connection: borrowing Connection
    ) throws -> [String: Value] {
        let columns = entity.keptColumns.map { "\"\($0)\"" }.joined(separator: ", ")
        let statement = try connection.prepare(
            "SELECT \(columns) FROM \(StoreSchema.valuesTable(entity.name)) WHERE number = ?1")
        try statement.bind(number, at: 1)
        guard try statement.step() else { return [:] }
        var values: [String: Value] = [:]
        for (index, name) in entity.keptColumns.enumerated() { values[name] = statement.value(index) }
        return values
    }
}
