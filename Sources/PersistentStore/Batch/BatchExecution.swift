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

    init(report: (@Sendable (Int, Int?) -> Void)?, store: StoreConnection) {
        self.report = report
        self.store = store
    }

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
