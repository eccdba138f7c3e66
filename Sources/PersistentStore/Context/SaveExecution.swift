import FoundationEssentials
import SQLite

/// One save, inside its IMMEDIATE transaction, so that nobody writes between a conflict and what settles it.
struct SaveExecution {
    let request: SaveRequest
    let opening: StoreOpening
    let transaction: RecordedTransaction

    init(request: SaveRequest, opening: StoreOpening, storeID: UUID) {
        self.request = request
        self.opening = opening
        transaction = RecordedTransaction(origin: request.origin, options: opening.options, storeID: storeID)
    }

    func run(on connection: borrowing Connection) throws -> SaveResult {
        if let cursor = request.cursor, cursor.token.storeID != transaction.storeID {
            throw StoreError.tokenOfAnotherStore
        }
        let found =
            if let lookup = request.lookup {
                try ObjectQuery(model: opening.model).fetch(lookup, on: connection)
            } else {
                [StoredObject]()
            }
        let first = touches(tracked: true) ? try transaction.begin(on: connection) : nil
        let outcomes = try execute(on: connection)
        let token = try first.flatMap { try transaction.end($0, on: connection) }
        if let cursor = request.cursor {
            try ConsumerTable.move(
                cursor.consumer, to: cursor.token, now: opening.options.clock(), on: connection)
        } else if token == nil && !touches(tracked: false) {
            connection.rollBack()
        }
        let inserted = zip(request.operations, outcomes).compactMap { operation, outcome in
            if case .insert = operation { (outcome.asked, outcome.id) } else { nil }
        }
        var result = SaveResult(
            token: token, insertedIDs: Dictionary(inserted) { $1 }, found: found, outcomes: outcomes)
        // A number may be anything in a store that somebody has tampered with.
        if let first, let token, first <= token.number { result.recorded = first...token.number }
        return result
    }

    /// Whether there is work on an entity with, or without, history: what is not recorded may have changed
    /// something all the same.
    private func touches(tracked: Bool) -> Bool {
        request.operations.contains { opening.model.entity($0.entity)?.tracksHistory == tracked }
    }

    /// One outcome for each operation; or all conflicts at once.
    private func execute(on connection: borrowing Connection) throws -> [SaveOutcome] {
        var tables: [String: ObjectTable] = [:]
        var outcomes: [SaveOutcome] = []
        var refused: [SaveConflict] = []
        for operation in request.operations {
            let table = try tables[operation.entity] ?? ObjectTable(operation.entity, opening.model)
            tables[operation.entity] = table
            let outcome = try execute(operation, table, on: connection)
            if let conflict = outcome.conflict, request.policy.resolve(conflict) == .refuse {
                refused.append(conflict)
            }
            outcomes.append(outcome)
        }
        guard refused.isEmpty else { throw StoreError.conflict(refused) }
        return outcomes
    }

    private func execute(
        _ operation: SaveRequest.Operation, _ table: ObjectTable, on connection: borrowing Connection
    ) throws -> SaveOutcome {
        switch operation {
        case .insert(let id, let values):
            let object =
                id.isPermanent
                ? try table.restore(id.key, values, after: 0, on: connection)
                : try table.insert(values, on: connection)
            return SaveOutcome(asked: id, id: object.id, basis: ChangeBasis(nil), object: object)
        case .update(let id, let changes, let basis):
            if let object = try table.update(id, changes, on: basis, connection) {
                return SaveOutcome(asked: id, id: id, basis: basis, object: object)
            }
            let stored = try table.object(id.key, on: connection)
            let conflict = SaveConflict(
                id, basis, stored: stored, changes: changes, isDeletion: false, entity: table.entity)
            return try settle(conflict, basis, table, on: connection)
        case .delete(let id, let basis):
            let isDone = try table.delete(id.key, version: basis.version, on: connection)
            guard !isDone, let stored = try table.object(id.key, on: connection) else {
                return SaveOutcome(asked: id, id: id, basis: basis, object: nil)
            }
            let conflict = SaveConflict(
                id, basis, stored: stored, changes: [:], isDeletion: true, entity: table.entity)
            return try settle(conflict, basis, table, on: connection)
        }
    }

    private func settle(
        _ conflict: SaveConflict, _ basis: ChangeBasis, _ table: ObjectTable,
        on connection: borrowing Connection
    ) throws -> SaveOutcome {
        let id = conflict.objectID
        var object = conflict.stored
        switch request.policy.resolve(conflict) {
        case .refuse, .drop: break
        case .write(let changes):
            if !changes.isEmpty {
                object = try table.update(id, changes, on: ChangeBasis(conflict.stored), connection)
            }
        case .restore(let values):
            object = try table.restore(
                id.key, values, after: conflict.expectedVersion ?? 0, on: connection)
        case .delete:
            _ = try table.delete(id.key, version: nil, on: connection)
            object = nil
        }
        return SaveOutcome(asked: id, id: id, basis: basis, object: object, conflict: conflict)
    }
}
