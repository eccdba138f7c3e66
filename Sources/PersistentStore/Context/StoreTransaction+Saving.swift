import SQLite

/// The changes of a context, each of which has the version on which it was made. No process writes between a conflict
/// and its resolution.
extension StoreTransaction {
    /// Runs all operations. Returns one outcome for each, or throws all conflicts together.
    mutating func apply(
        _ operations: [SaveRequest.Operation], _ policy: MergePolicy
    ) throws(StoreError) -> [SaveOutcome] {
        var outcomes: [SaveOutcome] = []
        var refused: [SaveConflict] = []
        for operation in operations {
            let outcome = try change(operation.entity) { table, connection in
                try Self.apply(operation, policy, table, on: connection)
            }
            if let conflict = outcome.conflict, policy.resolve(conflict) == .refuse {
                refused.append(conflict)
            }
            try noteChange(of: outcome.id, exists: outcome.object != nil, isCertain: outcome.isWritten)
            outcomes.append(outcome)
        }
        guard refused.isEmpty else { throw .conflict(refused) }
        if !facts.external.isEmpty { try confirm(&outcomes) }
        return outcomes
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

    private static func apply(
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
            try checkConflict(stored, basis, table)
            let conflict = SaveConflict(
                id, basis, stored: stored, changes: changes, isDeletion: false, entity: table.entity)
            return try resolve(conflict, policy, basis, table, on: connection)
        case .delete(let id, let basis):
            let isDone = try table.delete(id, version: basis.version, on: connection)
            guard !isDone, let stored = try table.object(id, on: connection) else {
                return SaveOutcome(requestedID: id, id: id, basis: basis, object: nil, isWritten: isDone)
            }
            try checkConflict(stored, basis, table)
            let conflict = SaveConflict(
                id, basis, stored: stored, changes: [:], isDeletion: true, entity: table.entity)
            return try resolve(conflict, policy, basis, table, on: connection)
        }
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
