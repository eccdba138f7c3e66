/// What a context has not saved yet, in the order it was asked for.
struct PendingChanges: Sendable {
    private var inserts: [ObjectID: [String: Value]] = [:]
    private var updates: [ObjectID: (changes: [String: Value], version: Int64?)] = [:]
    private var deletes: [ObjectID: Int64?] = [:]
    private var order: [ObjectID] = []
    private var lastTemporaryKey: Int64 = 0

    init() {}

    /// Nothing pending, and no temporary id that was given out before.
    init(after earlier: PendingChanges) {
        lastTemporaryKey = earlier.lastTemporaryKey
    }

    var isEmpty: Bool { order.isEmpty }
    var touchedIDs: [ObjectID] { order }
    func touches(_ id: ObjectID) -> Bool { updates[id] != nil || deletes[id] != nil || inserts[id] != nil }

    func changes(_ id: ObjectID, _ attribute: String) -> Bool { updates[id]?.changes[attribute] != nil }

    mutating func insert(_ entity: String, _ values: [String: Value]) -> ObjectID {
        lastTemporaryKey -= 1
        let id = ObjectID(entity: entity, key: lastTemporaryKey)
        inserts[id] = values
        order.append(id)
        return id
    }

    mutating func update(_ id: ObjectID, _ changes: [String: Value], version: Int64?) {
        if inserts[id] != nil {
            inserts[id]?.merge(changes) { $1 }
        } else if deletes[id] == nil && !changes.isEmpty {
            if updates[id] == nil { order.append(id) }
            updates[id, default: ([:], version)].changes.merge(changes) { $1 }
        }
    }

    mutating func delete(_ id: ObjectID, version: Int64?) {
        if inserts.removeValue(forKey: id) != nil {
            order.removeAll { $0 == id }
        } else {
            let known = updates.removeValue(forKey: id)
            if known == nil && deletes[id] == nil { order.append(id) }
            deletes[id] = .some(known.map { $0.version } ?? version)
        }
    }

    var operations: [SaveRequest.Operation] {
        order.compactMap { id in
            if let values = inserts[id] { return .insert(temporary: id, values: values) }
            if let update = updates[id] {
                return .update(id, changes: update.changes, version: update.version)
            }
            return deletes[id].map { .delete(id, version: $0) }
        }
    }

    /// The object as this context sees it; nil when it is to be deleted.
    func overlay(_ object: StoredObject) -> StoredObject? {
        guard deletes[object.id] == nil else { return nil }
        guard let update = updates[object.id] else { return object }
        var changed = object
        changed.set(update.changes)
        return changed
    }

    /// These changes with later ones on top, for a save that failed while more was asked for.
    func followed(by later: PendingChanges) -> PendingChanges {
        var all = self
        all.lastTemporaryKey = min(lastTemporaryKey, later.lastTemporaryKey)
        for id in later.order {
            if let values = later.inserts[id] {
                all.inserts[id] = values
                all.order.append(id)
            } else if let update = later.updates[id] {
                all.update(id, update.changes, version: update.version)
            } else if let version = later.deletes[id] {
                all.delete(id, version: version)
            }
        }
        return all
    }
}
