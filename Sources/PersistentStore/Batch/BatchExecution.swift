import SQLite

/// One batch, inside its IMMEDIATE transaction.
struct BatchExecution: Sendable {
    enum Work: Sendable {
        case insert(BatchInsertRequest)
        case update(BatchUpdateRequest)
        case delete(BatchDeleteRequest)

        var entity: String {
            switch self {
            case .insert(let request): request.entity
            case .update(let request): request.entity
            case .delete(let request): request.entity
            }
        }
    }

    let work: Work
    let report: (@Sendable (BatchProgress) -> Void)?

    func run(
        _ transaction: RecordedTransaction, _ model: StoreModel, on connection: borrowing Connection,
        _ external: ExternalTriggers, in store: StoreConnection
    ) throws -> StoreConnection.Work<BatchResult> {
        guard let entity = model.entity(work.entity) else { throw StoreError.unknownEntity(work.entity) }
        var meter = BatchMeter(report: report, store: store)
        try meter.checkCancellation()
        let first = entity.tracksHistory ? try transaction.begin(on: connection, external) : nil
        let recorder = entity.tracksHistory ? try BatchRecorder(entity, work, on: connection) : nil
        if recorder != nil { connection.setTriggers(enabled: false) }
        defer { connection.setTriggers(enabled: true) }
        // With the triggers off, none can undo a row.
        let proof = BatchProof(entity: entity, external: recorder == nil ? external : ExternalTriggers())
        let rows = try changeRows(of: entity, recorder, proof, &meter, on: connection)
        // The triggers were off: a noted row may have been deleted and recorded since.
        if recorder != nil { try connection.run("DELETE FROM \(StoreSchema.replacedTable(entity.name))") }
        let token = try first.flatMap { try transaction.end($0, on: connection, external) }
        if first != nil, token == nil, meter.done > 0, !mayChangeNothing {
            throw external.notStored("history")
        }
        let result = BatchResult(
            rows: meter.done, skipped: rows.skipped, token: token,
            objectIDs: rows.keys.map { keys in keys.map { ObjectID(entity: entity.name, key: $0) } })
        let isEmpty = first != nil && token == nil && (meter.done == 0 || external.isEmpty)
        return StoreConnection.Work(result: result, isEmpty: isEmpty)
    }

    /// Whether an object may be replaced by equal values, which is counted but not recorded.
    private var mayChangeNothing: Bool {
        if case .insert(let request) = work { request.duplicates == .replace } else { false }
    }

    private func changeRows(
        of entity: Entity, _ recorder: BatchRecorder?, _ proof: BatchProof, _ meter: inout BatchMeter,
        on connection: borrowing Connection
    ) throws -> (keys: [Int64]?, skipped: Int) {
        switch work {
        case .insert(let request):
            return try BatchInsertion(request: request, entity: entity, recorder: recorder, proof: proof)
                .run(&meter, on: connection)
        case .update(let request):
            guard !request.values.isEmpty else { return (request.returnsObjectIDs ? [] : nil, 0) }
            let change = try BatchChange(entity, where: request.predicate, set: request.values)
            let keys = try change.run(
                recorder, proof, &meter, returnsKeys: request.returnsObjectIDs, on: connection)
            return (keys, 0)
        case .delete(let request):
            let change = try BatchChange(entity, where: request.predicate, set: nil)
            let keys = try change.run(
                recorder, proof, &meter, returnsKeys: request.returnsObjectIDs, on: connection)
            return (keys, 0)
        }
    }
}
