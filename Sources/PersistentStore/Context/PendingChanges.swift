/// The unsaved changes of a context, in the order in which they were made.
struct PendingChanges: Sendable {
    private var inserts: [ObjectID: [String: AttributeValue]] = [:]
    private var updates: [ObjectID: (changes: [String: AttributeValue], basis: ChangeBasis)] = [:]
    private var deletes: [ObjectID: ChangeBasis] = [:]
    private var order: [ObjectID] = []
    /// The new objects that were deleted.
    private var discarded: [ObjectID] = []

    var isEmpty: Bool { order.isEmpty }
    func touches(_ id: ObjectID) -> Bool { updates[id] != nil || deletes[id] != nil || inserts[id] != nil }
    func deletes(_ id: ObjectID) -> Bool { deletes[id] != nil }

    func inserts(into entity: String) -> Bool { inserts.keys.contains { $0.entity == entity } }

    /// The values of an inserted or restored object.
    func insertion(_ id: ObjectID) -> [String: AttributeValue]? { inserts[id] }

    /// The changed objects of an entity, in the order of the changes.
    func ids(of entity: String) -> [ObjectID] { order.filter { $0.entity == entity } }

    func changes(_ id: ObjectID, _ attribute: String) -> Bool { updates[id]?.changes[attribute] != nil }

    mutating func insert(_ entity: String, _ values: [String: AttributeValue], _ store: StoreDigest)
        -> ObjectID
    {
        let id = ObjectID(temporaryIn: store, entity: entity)
        inserts[id] = values
        order.append(id)
        return id
    }

    /// Restores a deleted object under its ID.
    mutating func restore(_ id: ObjectID, _ values: [String: AttributeValue]) {
        if deletes.removeValue(forKey: id) != nil { order.removeAll { $0 == id } }
        if inserts[id] == nil { order.append(id) }
        inserts[id] = values
    }

    mutating func update(_ id: ObjectID, _ changes: [String: AttributeValue], on basis: ChangeBasis) {
        if inserts[id] != nil {
            inserts[id]?.merge(changes) { $1 }
        } else if deletes[id] == nil && !changes.isEmpty {
            if updates[id] == nil { order.append(id) }
            updates[id, default: ([:], basis)].changes.merge(changes) { $1 }
        }
    }

    mutating func delete(_ id: ObjectID, on basis: ChangeBasis) {
        if inserts.removeValue(forKey: id) != nil {
            order.removeAll { $0 == id }
            discarded.append(id)
        } else {
            let known = updates.removeValue(forKey: id)
            if known == nil && deletes[id] == nil { order.append(id) }
            deletes[id] = known?.basis ?? basis
        }
    }

    /// Returns the operations, after the rules of deletion for references to new objects that were deleted.
    func operations(_ model: StoreModel) throws(StoreError) -> [SaveRequest.Operation] {
        guard !discarded.isEmpty else { return operations }
        var changes = self
        while let id = changes.discarded.popLast() {
            for entity in model.entities {
                for attribute in entity.attributes {
                    guard let reference = attribute.reference, reference.entity == id.entity else { continue }
                    try changes.apply(reference.rule, to: attribute, of: entity, referringTo: id)
                }
            }
        }
        return changes.operations
    }

    private mutating func apply(
        _ rule: AttributeDescription.DeletionRule, to attribute: AttributeDescription,
        of entity: EntityDescription, referringTo id: ObjectID
    ) throws(StoreError) {
        for other in ids(of: entity.name) {
            guard (inserts[other] ?? updates[other]?.changes)?[attribute.name] == .reference(id) else {
                continue
            }
            switch rule {
            case .nullify:
                if inserts[other] != nil {
                    inserts[other]?[attribute.name] = .null
                } else {
                    updates[other]?.changes[attribute.name] = .null
                }
            case .cascade: delete(other, on: updates[other]?.basis ?? ChangeBasis(nil))
            case .deny:
                throw .deletionDenied(entity: id.entity, attribute: attribute.name, of: entity.name)
            }
        }
    }

    private var operations: [SaveRequest.Operation] {
        order.compactMap { id in
            if let values = inserts[id] { return .insert(temporary: id, values: values) }
            if let update = updates[id] { return .update(id, changes: update.changes, update.basis) }
            return deletes[id].map { .delete(id, $0) }
        }
    }

    /// Returns the object as this context sees it; nil if it will be deleted.
    func overlay(_ object: StoredObject) -> StoredObject? {
        guard deletes[object.id] == nil else { return nil }
        guard let changes = updates[object.id]?.changes ?? inserts[object.id] else { return object }
        var changed = object
        changed.set(changes)
        return changed
    }

    /// Records that the object on which these changes were made no longer exists, although another object may
    /// have its ID.
    mutating func invalidate(_ id: ObjectID) {
        updates[id]?.basis.version = StoredObject.noVersion
        deletes[id]?.version = StoredObject.noVersion
    }

    /// Bases the changes of an object on a state that was read later.
    mutating func rebase(_ id: ObjectID, on basis: ChangeBasis) {
        updates[id]?.basis = basis
        if deletes[id] != nil { deletes[id] = basis }
    }

    mutating func discard(_ id: ObjectID) {
        updates[id] = nil
        deletes[id] = nil
        inserts[id] = nil
        order.removeAll { $0 == id }
    }

    /// Rebases changes made during a save on the objects that the save stored.
    mutating func follow(_ outcomes: [SaveOutcome]) {
        guard !isEmpty else { return }
        for outcome in outcomes
        where updates[outcome.requestedID] != nil || deletes[outcome.requestedID] != nil {
            if let update = updates.removeValue(forKey: outcome.requestedID) {
                updates[outcome.id] = (update.changes, outcome.basis(after: update.basis))
            }
            if let basis = deletes.removeValue(forKey: outcome.requestedID) {
                deletes[outcome.id] = outcome.basis(after: basis)
            }
            if outcome.requestedID != outcome.id, let index = order.firstIndex(of: outcome.requestedID) {
                order[index] = outcome.id
            }
        }
    }

    /// Replaces references to objects that were saved since.
    mutating func translate(_ keys: [Int64: Int64]) {
        guard !isEmpty else { return }
        inserts = inserts.mapValues { $0.translated(keys) }
        updates = updates.mapValues { ($0.changes.translated(keys), $0.basis) }
    }

    /// Returns these changes followed by later ones, for a save that failed while more changes were made.
    func followed(by later: PendingChanges) -> PendingChanges {
        var all = self
        all.discarded += later.discarded
        for id in later.order {
            if let values = later.inserts[id] {
                all.restore(id, values)
            } else if let update = later.updates[id] {
                all.update(id, update.changes, on: update.basis)
            } else if let basis = later.deletes[id] {
                all.delete(id, on: basis)
            }
        }
        return all
    }
}
