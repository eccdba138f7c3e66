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

    /// Deletes an object for a decision made on a version that was read before; does nothing if it is missing.
    ///
    /// - Throws: ``StoreError/conflict(_:)`` if the object has another version.
    package mutating func delete(_ id: ObjectID, onVersion version: Int64) throws(StoreError) {
        _ = try apply([.delete(own(id), ChangeBasis(version: version, object: nil))], .error)
    }

    /// Changes and deletes objects that were read before. Deleting a missing object is not an error.
    ///
    /// - Throws: ``StoreError/conflict(_:)`` with all objects that have another version, or were deleted before their
    ///   change.
    package mutating func apply(
        updates: [(object: StoredObject, changes: [String: AttributeValue])], deletions: [StoredObject] = []
    ) throws(StoreError) {
        var operations: [SaveRequest.Operation] = []
        for (object, changes) in updates {
            let basis = ChangeBasis(version: object.version, object: nil)
            operations.append(.update(try own(object.id), changes: changes, basis))
        }
        for object in deletions {
            operations.append(.delete(try own(object.id), ChangeBasis(version: object.version, object: nil)))
        }
        if !operations.isEmpty { _ = try apply(operations, .error) }
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

/// The objects that a transaction has changed, including those that the rules of deletion changed, as its history
/// records them.
struct TransactionChanges {
    private var position: Int64
    private let store: StoreDigest
    /// The number of updates of each object.
    private(set) var updates: [ObjectID: Int64] = [:]
    private(set) var inserted: Set<ObjectID> = []
    private(set) var deleted: Set<ObjectID> = []

    init(since position: Int64, _ store: StoreDigest) { (self.position, self.store) = (position, store) }

    var ids: Set<ObjectID> { inserted.union(deleted).union(updates.keys) }

    /// Reads the changes since the last call.
    mutating func read(on connection: borrowing Connection) throws(SQLiteError) {
        let rows = try connection.prepare(
            """
            SELECT number, kind, object, name FROM history JOIN history_entity ON id = entity
            WHERE number > ?1 AND kind < 3 AND object NOT NULL ORDER BY number
            """, [position])
        while try rows.step() {
            position = rows.integer(0)
            let id = ObjectID(entity: rows.text(3), key: rows.integer(2), store: store)
            switch HistoryChange.Kind(rawValue: Int(rows.integer(1))) {
            case .insert:
                inserted.insert(id)
                deleted.remove(id)
            case .update: updates[id, default: 0] += 1
            case .delete:
                inserted.remove(id)
                deleted.insert(id)
            case nil: break
            }
        }
    }
}

/// References, whose constraints are deferred to the commit.
extension StoreTransaction {
    /// The changes so far; nil if there are none.
    private var changes: TransactionChanges? {
        first.map { TransactionChanges(since: $0, tables.query.store) }
    }

    /// The changes so far, if rules of deletion may have made some of them.
    func changesOfRules() -> TransactionChanges? { tables.query.model.hasDeletionActions ? changes : nil }

    /// Whether a rule may have deleted an object that the transaction also inserted or changed: it is deleted, and so is
    /// one to which it could refer.
    func mayHaveCascaded(to id: ObjectID) throws -> Bool {
        let references = tables.query.model.entity(id.entity)?.attributes.compactMap(\.reference) ?? []
        let parents = references.filter { $0.rule == .cascade }.map(\.entity)
        guard !parents.isEmpty, var changes else { return false }
        try changes.read(on: store.connection)
        return changes.deleted.contains(id)
            && changes.deleted.contains { $0 != id && parents.contains($0.entity) }
    }

    /// Adds the objects that the rules of deletion changed to the outcomes of a save, and their new states.
    mutating func addDeletionActions(
        to outcomes: inout [SaveOutcome], _ changes: inout TransactionChanges
    ) throws(StoreError) {
        try perform { try changes.read(on: $0) }
        let known = Dictionary(outcomes.indices.map { (outcomes[$0].id, $0) }) { $1 }
        for (entity, ids) in Dictionary(grouping: changes.ids, by: \.entity) {
            guard tables.query.model.entity(entity) != nil else { continue }
            let request = FetchRequest(entity, where: .keys(ids.map(\.key)))
            let objects = Dictionary(try snapshot.fetch(request).map { ($0.id, $0) }) { $1 }
            for id in ids {
                let object = objects[id]
                if let index = known[id] {
                    if outcomes[index].object?.version != object?.version { outcomes[index].object = object }
                } else {
                    let version = object.map { $0.version - (changes.updates[id] ?? 0) }
                    outcomes.append(
                        SaveOutcome(
                            requestedID: id, id: id, basis: ChangeBasis(version: version, object: nil),
                            object: object, isWritten: true, isAction: true))
                }
                try noteChange(of: id, exists: object != nil, isCertain: false)
            }
        }
    }

    /// Checks the references of the changed objects.
    ///
    /// - Throws: ``StoreError/deletionDenied(entity:attribute:of:)``, or
    ///   ``StoreError/missingReference(attribute:entity:)``.
    func checkReferences() throws {
        guard store.connection.hasOpenReferences else { return }
        var changes = changes ?? TransactionChanges(since: .max, tables.query.store)
        try changes.read(on: store.connection)
        try Self.nameViolation(changes, tables.query.store, on: store.connection)
    }

    private static func nameViolation(
        _ changes: TransactionChanges, _ store: StoreDigest, on connection: borrowing Connection
    ) throws {
        var found: StoreError?
        let rows = try connection.prepare(
            """
            SELECT made."table", made.rowid, made.parent, key."from", key.on_delete
            FROM pragma_foreign_key_check AS made, pragma_foreign_key_list(made."table") AS key
            WHERE key.id = made.fkid
            """)
        while try rows.step() {
            let (table, parent, attribute) = (rows.text(0), rows.text(2), rows.text(3))
            let missing = StoreError.missingReference(attribute: attribute, entity: table)
            let key = try connection.integer(
                "SELECT \(StoreSchema.quoted(attribute)) FROM \(StoreSchema.quoted(table)) WHERE rowid = ?1",
                rows.integer(1))
            let child = ObjectID(entity: table, key: rows.integer(1), store: store)
            let other = ObjectID(entity: parent, key: key ?? 0, store: store)
            if changes.deleted.contains(other), rows.text(4) == "NO ACTION" {
                throw StoreError.deletionDenied(entity: parent, attribute: attribute, of: table)
            }
            // Others dangled before, such as those of a program that does not check references.
            if changes.ids.contains(child) { throw missing }
            found = found ?? missing
        }
        if let found { throw found }
    }
}
