import SQLite

/// The changes of a context, each of which has the version on which it was made. No process writes between a conflict
/// and its resolution.
extension StoreTransaction {
    /// Runs all operations. Returns one outcome for each, or throws all conflicts together.
    mutating func apply(
        _ operations: [SaveRequest.Operation], _ policy: MergePolicy
    ) throws(StoreError) -> [SaveOutcome] {
        let plan = try SavePlan(operations, tables.query.model)
        var run = SaveRun(outcomes: Array(repeating: nil, count: operations.count))
        for step in plan.steps {
            guard !step.isDeferredPart else {
                try setDeferred(step, &run)
                continue
            }
            run.changes = run.changes ?? changesOfRules()
            var operation = operations[step.index]
            if step.refersToNew {
                var values = operation.values
                for name in step.deferred.keys { values[name] = .null }
                operation = operation.setting(values.translated(run.keys))
            }
            let outcome = try change(operation.entity) { table, connection in
                try run.apply(operation, policy, table, on: connection)
            }
            if let conflict = outcome.conflict, policy.resolve(conflict) == .refuse {
                run.refused.append(conflict)
            }
            if plan.hasReferences, !outcome.requestedID.isPermanent {
                run.keys[outcome.requestedID.key] = outcome.id.key
            }
            try noteChange(of: outcome.id, exists: outcome.object != nil, isCertain: outcome.isWritten)
            run.outcomes[step.index] = outcome
        }
        guard run.refused.isEmpty else { throw .conflict(run.refused) }
        var outcomes = run.outcomes.compactMap(\.self)
        if var changes = run.changes ?? changesOfRules(),
            outcomes.contains(where: { tables.query.model.mayAct(onDeletionOf: $0) })
        {
            try addDeletionActions(to: &outcomes, &changes)
        }
        if !facts.external.isEmpty { try confirm(&outcomes) }
        return outcomes
    }

    /// Sets the references of a new object to others that were inserted after it.
    private mutating func setDeferred(_ step: SavePlan.Step, _ run: inout SaveRun) throws(StoreError) {
        guard let id = run.outcomes[step.index]?.id else { return }
        let references = step.deferred.mapValues(AttributeValue.integer).translated(run.keys)
        // A rule of deletion may have changed the object since its insertion.
        let object = try change(id.entity) { table, connection in
            try table.update(id, references, on: ChangeBasis(nil), connection)
        }
        if object == nil, try perform({ _ in try !mayHaveCascaded(to: id) }) {
            throw facts.external.notStored(id.entity)
        }
        run.outcomes[step.index]?.object = object
    }

    /// Changes an object for a change made on a version that was read before; nil applies it to any version.
    ///
    /// - Throws: ``StoreError/conflict(_:)`` if the object has another version, or was deleted.
    package mutating func update(
        _ id: ObjectID, _ changes: [String: AttributeValue], onVersion version: Int64?
    ) throws(StoreError) {
        let basis = ChangeBasis(version: version, object: nil)
        _ = try apply([.update(own(id), changes: changes, basis)], .error)
    }

    /// Reads every object again, for a store with triggers of other programs.
    private func confirm(_ outcomes: inout [SaveOutcome]) throws(StoreError) {
        for index in outcomes.indices {
            let outcome = outcomes[index]
            let table = try tables.table(outcome.id.entity, facts.external)
            outcomes[index].object = try perform { try table.confirmed(outcome.object, outcome.id, on: $0) }
        }
    }
}

extension StoreModel {
    /// Whether a save that deleted an object may have changed others.
    fileprivate func mayAct(onDeletionOf outcome: SaveOutcome) -> Bool {
        outcome.object == nil
            && entities.contains { entity in
                entity.attributes.contains { attribute in
                    attribute.reference.map { $0.entity == outcome.id.entity && $0.rule != .deny } ?? false
                }
            }
    }
}

/// The state of a save between its operations.
private struct SaveRun {
    var outcomes: [SaveOutcome?]
    var refused: [SaveConflict] = []
    /// The permanent keys of the inserted objects, by their temporary ones.
    var keys: [Int64: Int64] = [:]
    /// The changes of the transaction; nil if no rule of deletion can have made any.
    var changes: TransactionChanges?

    mutating func apply(
        _ operation: SaveRequest.Operation, _ policy: MergePolicy, _ table: ObjectTable,
        on connection: borrowing Connection
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
            if try isOwn(stored, basis, id, on: connection) {
                let object = try stored.flatMap {
                    try table.update(id, changes, on: ChangeBasis($0), connection)
                }
                return SaveOutcome(requestedID: id, id: id, basis: basis, object: object, isWritten: true)
            }
            try Self.checkConflict(stored, basis, table)
            let conflict = SaveConflict(
                id, basis, stored: stored, changes: changes, isDeletion: false, entity: table.entity)
            return try Self.resolve(conflict, policy, basis, table, on: connection)
        case .delete(let id, let basis):
            let isDone = try table.delete(id, version: basis.version, on: connection)
            guard !isDone, let stored = try table.object(id, on: connection) else {
                return SaveOutcome(requestedID: id, id: id, basis: basis, object: nil, isWritten: isDone)
            }
            if try isOwn(stored, basis, id, on: connection) {
                _ = try table.delete(id, version: nil, on: connection)
                return SaveOutcome(requestedID: id, id: id, basis: basis, object: nil, isWritten: true)
            }
            try Self.checkConflict(stored, basis, table)
            let conflict = SaveConflict(
                id, basis, stored: stored, changes: [:], isDeletion: true, entity: table.entity)
            return try Self.resolve(conflict, policy, basis, table, on: connection)
        }
    }

    /// Whether an object differs from the basis of a change only because a rule of deletion has changed or deleted it
    /// in this transaction.
    private mutating func isOwn(
        _ stored: StoredObject?, _ basis: ChangeBasis, _ id: ObjectID, on connection: borrowing Connection
    ) throws -> Bool {
        try changes?.read(on: connection)
        guard let changes else { return false }
        guard let stored else { return changes.deleted.contains(id) }
        return changes.updates[id].map { basis.version == stored.version - $0 } ?? false
    }

    /// Checks for a conflict. An object that already is as the change requires is not one.
    private static func checkConflict(
        _ stored: StoredObject?, _ basis: ChangeBasis, _ table: ObjectTable
    ) throws(StoreError) {
        guard let stored else { return }
        guard let version = basis.version, version != stored.version else { throw table.notStored }
    }

    private static func resolve(
        _ conflict: SaveConflict, _ policy: MergePolicy, _ basis: ChangeBasis, _ table: ObjectTable,
        on connection: borrowing Connection
    ) throws -> SaveOutcome {
        let id = conflict.objectID
        var object = conflict.stored
        switch policy.resolve(conflict) {
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
