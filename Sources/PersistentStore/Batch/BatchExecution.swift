import SQLite

/// One batch, inside its IMMEDIATE transaction.
struct BatchExecution: Sendable {
    let request: BatchRequest
    let report: (@Sendable (Int, Int?) -> Void)?

    /// Runs the batch as a part of a transaction, or none of it.
    func run(in transaction: inout StoreTransaction) throws(StoreError) -> BatchResult {
        let entity = try transaction.tables.query.entity(request.entity)
        guard entity.attached == nil else {
            throw .invalidValue(
                attribute: nil, entity: entity.name,
                reason: "a batch changes a store; change rows of another program's table in a transaction")
        }
        try transaction.beginRecording(entity)
        let facts = transaction.facts
        let (store, digest) = (transaction.store, transaction.tables.query.store)
        return try transaction.perform { connection in
            try connection.run("SAVEPOINT batch")
            do {
                let result = try run(entity, digest, on: connection, facts.external, in: store)
                try connection.run("RELEASE batch")
                return result
            } catch {
                if connection.isInTransaction {
                    try connection.run("ROLLBACK TO batch")
                    try connection.run("RELEASE batch")
                }
                throw error
            }
        }
    }

    private func run(
        _ entity: EntityDescription, _ digest: StoreDigest, on connection: borrowing Connection,
        _ external: ExternalTriggers, in store: StoreConnection
    ) throws -> BatchResult {
        var meter = BatchMeter(report: report, store: store)
        try meter.checkCancellation()
        let newest = "SELECT max(number) FROM history"
        let before = try connection.integer(newest)
        let recorder =
            entity.tracksHistory ? try BatchRecorder(entity, request, external, on: connection) : nil
        if recorder != nil { connection.setTriggers(enabled: false) }
        defer { connection.setTriggers(enabled: true) }
        // With the triggers off, none can undo a row.
        let proof = BatchProof(entity: entity, external: recorder == nil ? external : ExternalTriggers())
        let rows = try changeRows(of: entity, recorder, proof, &meter, on: connection)
        // The triggers were off: a noted row may have been deleted and recorded since.
        if recorder != nil { try connection.run("DELETE FROM \(StoreSchema.replacedTable(entity.name))") }
        if entity.tracksHistory, meter.done > 0, !mayChangeNothing, try connection.integer(newest) == before {
            throw external.notStored("history")
        }
        return BatchResult(
            rows: meter.done, skipped: rows.skipped, token: nil,
            objectIDs: rows.keys.map { keys in
                keys.map { ObjectID(entity: entity.name, key: $0, store: digest) }
            })
    }

    /// Whether an object may be replaced by equal values, which is counted but not recorded.
    private var mayChangeNothing: Bool {
        if case .insert = request.work { request.duplicates == .replace } else { false }
    }

    private func changeRows(
        of entity: EntityDescription, _ recorder: BatchRecorder?, _ proof: BatchProof,
        _ meter: inout BatchMeter,
        on connection: borrowing Connection
    ) throws -> (keys: [Int64]?, skipped: Int) {
        switch request.work {
        case .insert(let total, let makeNext):
            meter.total = total
            return try BatchInsertion(request: request, entity: entity, recorder: recorder, proof: proof)
                .run(makeNext(), &meter, on: connection)
        case .update(_, let values) where values.isEmpty: return (request.returnsObjectIDs ? [] : nil, 0)
        case .update(let predicate, let values):
            let change = try BatchChange(entity, where: predicate, set: values)
            return (try run(change, recorder, proof, &meter, on: connection), 0)
        case .delete(let predicate):
            let change = try BatchChange(entity, where: predicate, set: nil)
            return (try run(change, recorder, proof, &meter, on: connection), 0)
        case .invalid(let error): throw error
        }
    }

    private func run(
        _ change: BatchChange, _ recorder: BatchRecorder?, _ proof: BatchProof, _ meter: inout BatchMeter,
        on connection: borrowing Connection
    ) throws -> [Int64]? {
        try change.run(recorder, proof, &meter, returnsKeys: request.returnsObjectIDs, on: connection)
    }
}

/// Counts a batch's rows, reports progress at intervals, and ends the batch if its task is cancelled.
struct BatchMeter {
    /// The number of rows between two reports, and between two checks for cancellation.
    static let interval = 1000

    let report: (@Sendable (Int, Int?) -> Void)?
    /// The connection, checked because a large batch reaches the log before it commits: a log that another
    /// process replaced is detected early.
    let store: StoreConnection
    var total: Int?
    private(set) var done = 0

    mutating func add(_ rows: Int) throws(StoreError) {
        let earlier = done
        done += rows
        guard earlier / Self.interval != done / Self.interval else { return }
        try checkCancellation()
        try store.checkFiles()
        report?(done, total)
    }

    func checkCancellation() throws(StoreError) {
        if Task.isCancelled { throw .cancelled }
    }
}

/// The proof that a batch stored the rows that it counts, for a store with triggers of other programs.
struct BatchProof {
    let entity: EntityDescription
    let external: ExternalTriggers

    var isNeeded: Bool { !external.isEmpty }

    /// Checks an insert.
    ///
    /// - Parameter key: The new row; nil if the statement stored none.
    /// - Throws: ``StoreError/changeDiscarded(table:cause:)`` if the row is missing and is not a skipped duplicate.
    func checkInsert(
        _ key: Int64?, _ row: BatchRow, _ duplicates: BatchRequest.DuplicatePolicy,
        on connection: borrowing Connection
    ) throws {
        if let key {
            guard isNeeded else { return }
            guard try count([key], on: connection) == 1 else { throw notStored }
        } else if duplicates != .skip {
            throw notStored
        } else if isNeeded {
            guard try isDuplicate(row.values, on: connection) else { throw notStored }
        }
    }

    /// Checks an update or a deletion.
    ///
    /// - Parameters:
    ///   - keys: The rows that a statement had to change; empty if no proof is needed.
    ///   - changed: The rows that it changed.
    func checkChange(
        _ keys: [Int64], _ changed: Int, isDeletion: Bool, on connection: borrowing Connection
    ) throws {
        guard isNeeded else { return }
        let present = try count(keys, on: connection)
        // Rules of deletion may delete some before the statement does.
        guard isDeletion ? changed <= keys.count : changed == keys.count,
            present == (isDeletion ? 0 : keys.count)
        else { throw notStored }
    }

    private var notStored: StoreError { external.notStored(entity.name) }

    private func count(_ keys: [Int64], on connection: borrowing Connection) throws -> Int {
        let list = "[\(keys.map(String.init).joined(separator: ","))]"
        let sql = "SELECT count(*) FROM \"\(entity.name)\" WHERE id IN (SELECT value FROM json_each(?1))"
        return Int(try connection.integer(sql, list) ?? 0)
    }

    private func isDuplicate(_ values: [String: AttributeValue], on connection: borrowing Connection) throws
        -> Bool
    {
        for attribute in entity.attributes where attribute.isUnique {
            guard let value = values[attribute.name] else { continue }
            let sql = "SELECT 1 FROM \"\(entity.name)\" WHERE \"\(attribute.name)\" = ?1"
            if try connection.integer(sql, value) != nil { return true }
        }
        return false
    }
}

/// Inserts rows as they are produced.
struct BatchInsertion {
    let request: BatchRequest
    let entity: EntityDescription
    let recorder: BatchRecorder?
    let proof: BatchProof

    func run(
        _ next: () throws(StoreError) -> BatchRow?, _ meter: inout BatchMeter,
        on connection: borrowing Connection
    ) throws -> (keys: [Int64]?, skipped: Int) {
        var keys: [Int64]? = request.returnsObjectIDs ? [] : nil
        var skipped = 0
        var recorded = try connection.integer("SELECT max(id) FROM \"\(entity.name)\"") ?? 0
        var unrecorded = 0
        var row = try next()
        while let first = row {
            let names = try columns(of: first)
            let statement = try connection.prepare(sql(names))
            while let values = row, try values.bind(names, to: statement) {
                try check(values)
                let key = try step(statement, connection)
                try proof.checkInsert(key, values, request.duplicates, on: connection)
                if let key {
                    keys?.append(key)
                    unrecorded += 1
                    try meter.add(1)
                } else {
                    skipped += 1
                }
                statement.reset()
                if unrecorded == BatchMeter.interval {
                    recorded = try recorder?.recordInserts(after: recorded, on: connection) ?? recorded
                    unrecorded = 0
                }
                row = try next()
            }
        }
        _ = try recorder?.recordInserts(after: recorded, on: connection)
        try meter.checkCancellation()
        return (keys, skipped)
    }

    private func columns(of row: BatchRow) throws(StoreError) -> [String] {
        let given = row.names
        for name in given where entity.attribute(name) == nil {
            throw .unknownAttribute(name, entity: entity.name)
        }
        switch row {
        case .named: return entity.attributes.map(\.name).filter(given.contains)
        case .ordered: return given
        }
    }

    private func check(_ row: BatchRow) throws(StoreError) {
        switch row {
        case .named(let values): try entity.check(values)
        case .ordered(let values, let layout):
            for (index, value) in values.enumerated() {
                try entity.attribute(layout.names[index])?.check(value, of: entity.name)
            }
        }
    }

    /// Returns the key of the row; nil if it was skipped.
    private func step(_ statement: borrowing Statement, _ connection: borrowing Connection) throws -> Int64? {
        if try statement.step() {
            let key = statement.integer(0)
            while try statement.step() {}
            return key
        }
        return connection.changedRows > 0 ? connection.lastInsertedRow : nil
    }

    private func sql(_ names: [String]) -> String {
        guard !names.isEmpty else { return "INSERT INTO \"\(entity.name)\" DEFAULT VALUES" }
        let insert = """
            INSERT INTO "\(entity.name)" (\(names.map { "\"\($0)\"" }.joined(separator: ", "))) \
            VALUES (\(names.map { _ in "?" }.joined(separator: ", ")))
            """
        let unique = entity.attributes.filter(\.isUnique)
        switch request.duplicates {
        case .fail: return insert
        case .skip: return insert + " ON CONFLICT DO NOTHING"
        case .replace where unique.isEmpty: return insert
        case .replace:
            let assignments = names.map { "\"\($0)\" = excluded.\"\($0)\"" }.joined(separator: ", ")
            let differences = names.map { "\"\($0)\" IS NOT excluded.\"\($0)\" COLLATE BINARY" }
            let update = """
                DO UPDATE SET \(assignments), version = version + (\(differences.joined(separator: " OR ")))
                """
            return insert + unique.map { " ON CONFLICT (\"\($0.name)\") \(update)" }.joined()
                + " RETURNING id"
        }
    }
}

/// The values of one new object.
enum BatchRow {
    case named([String: AttributeValue])
    /// The values of a record, in the order of its attributes.
    case ordered([AttributeValue], StoredObject.Layout)

    var names: [String] {
        switch self {
        case .named(let values): Array(values.keys)
        case .ordered(_, let layout): layout.names
        }
    }

    var values: [String: AttributeValue] {
        switch self {
        case .named(let values): values
        case .ordered(let values, let layout): Dictionary(zip(layout.names, values)) { $1 }
        }
    }

    /// Binds the values. Returns false if the row has other columns; the bound values are then meaningless.
    func bind(_ columns: [String], to statement: borrowing Statement) throws(SQLiteError) -> Bool {
        switch self {
        case .named(let values):
            guard values.count == columns.count else { return false }
            for (index, name) in columns.enumerated() {
                guard let value = values[name] else { return false }
                try value.bind(to: statement, at: index + 1)
            }
        case .ordered(let values, _):
            // All rows of a request have the same layout.
            for (index, value) in values.enumerated() { try value.bind(to: statement, at: index + 1) }
        }
        return true
    }
}
