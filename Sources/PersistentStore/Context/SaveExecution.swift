import FoundationEssentials
import SQLite

/// One save inside its IMMEDIATE transaction, so that no process writes between a conflict and its
/// resolution.
struct SaveExecution {
    let request: SaveRequest
    let opening: StoreOpening
    let transaction: RecordedTransaction
    private let tables: ObjectTables

    init(request: SaveRequest, opening: StoreOpening, storeID: UUID, tables: ObjectTables) {
        self.request = request
        self.opening = opening
        self.tables = tables
        transaction = RecordedTransaction(origin: request.origin, options: opening.options, storeID: storeID)
    }

    func run(
        on connection: borrowing Connection, _ facts: StoreConnection.Facts
    ) throws -> StoreConnection.Work<SaveResult> {
        let external = facts.external
        if let token = request.cursor?.token {
            guard token.storeID == transaction.storeID else { throw StoreError.tokenOfAnotherStore }
            try ConsumerTable.check(token, on: connection)
        }
        let found =
            if let lookup = request.lookup {
                try tables.query.fetch(lookup, on: connection)
            } else {
                [StoredObject]()
            }
        let first = touches(tracked: true) ? try transaction.begin(on: connection, external) : nil
        var outcomes = try execute(external, on: connection)
        let token = try first.flatMap { try transaction.end($0, on: connection, facts) }
        if token == nil, hasRecordable(outcomes) { throw external.notStored("history") }
        if !external.isEmpty { try confirm(&outcomes, external, on: connection) }
        if let cursor = request.cursor {
            try ConsumerTable.move(
                cursor.consumer, to: cursor.token, now: opening.options.clock(), on: connection)
        }
        // With verified triggers, and no others, a missing token means that no value changed.
        let isEmpty =
            request.cursor == nil && token == nil && !touches(tracked: false) && external.isEmpty
        let inserted = zip(request.operations, outcomes).compactMap { operation, outcome in
            if case .insert = operation { (outcome.requestedID, outcome.id) } else { nil }
        }
        var result = SaveResult(
            token: token, insertedIDs: Dictionary(inserted) { $1 }, found: found, outcomes: outcomes)
        // In a malicious store, a number may have any value.
        if let first, let token, first <= token.number { result.recorded = first...token.number }
        return StoreConnection.Work(result: result, isEmpty: isEmpty)
    }

    /// Whether a change was made that the history must record.
    private func hasRecordable(_ outcomes: [SaveOutcome]) -> Bool {
        zip(request.operations, outcomes).contains { operation, outcome in
            outcome.isWritten && opening.model.entity(operation.entity)?.tracksHistory == true
        }
    }

    /// Reads every object again, for a store with triggers of other programs.
    private func confirm(
        _ outcomes: inout [SaveOutcome], _ external: ExternalTriggers, on connection: borrowing Connection
    ) throws {
        for index in outcomes.indices {
            let outcome = outcomes[index]
            let table = try tables.table(outcome.id.entity, external)
            outcomes[index].object = try table.confirmed(outcome.object, outcome.id, on: connection)
        }
    }

    /// Whether there are operations on an entity with, or without, history: an unrecorded operation may have
    /// changed data anyway.
    private func touches(tracked: Bool) -> Bool {
        request.operations.contains { opening.model.entity($0.entity)?.tracksHistory == tracked }
    }

    /// Runs all operations. Returns one outcome for each, or throws all conflicts together.
    private func execute(
        _ external: ExternalTriggers, on connection: borrowing Connection
    ) throws -> [SaveOutcome] {
        var outcomes: [SaveOutcome] = []
        var refused: [SaveConflict] = []
        for operation in request.operations {
            let table = try tables.table(operation.entity, external)
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
            return SaveOutcome(
                requestedID: id, id: object.id, basis: ChangeBasis(nil), object: object, isWritten: true)
        case .update(let id, let changes, let basis):
            if let object = try table.update(id, changes, on: basis, connection) {
                let isWritten = basis.version.map { $0 != object.version } ?? false
                return SaveOutcome(
                    requestedID: id, id: id, basis: basis, object: object, isWritten: isWritten)
            }
            let stored = try table.object(id, on: connection)
            try checkConflict(stored, basis, table)
            let conflict = SaveConflict(
                id, basis, stored: stored, changes: changes, isDeletion: false, entity: table.entity)
            return try resolve(conflict, basis, table, on: connection)
        case .delete(let id, let basis):
            let isDone = try table.delete(id, version: basis.version, on: connection)
            guard !isDone, let stored = try table.object(id, on: connection) else {
                return SaveOutcome(requestedID: id, id: id, basis: basis, object: nil, isWritten: isDone)
            }
            try checkConflict(stored, basis, table)
            let conflict = SaveConflict(
                id, basis, stored: stored, changes: [:], isDeletion: true, entity: table.entity)
            return try resolve(conflict, basis, table, on: connection)
        }
    }

    /// Checks for a conflict. An object that already is as the change requires is not one.
    private func checkConflict(
        _ stored: StoredObject?, _ basis: ChangeBasis, _ table: ObjectTable
    ) throws(StoreError) {
        guard let stored else { return }
        guard let version = basis.version, version != stored.version else { throw table.notStored }
    }

    private func resolve(
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
                if object == nil { throw table.notStored }
            }
        case .restore(let values):
            object = try table.restore(
                id.key, values, after: conflict.expectedVersion ?? 0, on: connection)
        case .delete:
            let isDone = try table.delete(id, version: nil, on: connection)
            guard isDone || conflict.stored == nil else { throw table.notStored }
            object = nil
        }
        let isWritten = object?.version != conflict.stored?.version
        return SaveOutcome(
            requestedID: id, id: id, basis: basis, object: object, isWritten: isWritten, conflict: conflict)
    }
}
