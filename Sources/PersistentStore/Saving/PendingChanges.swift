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

/// The unsaved changes of a context that concern one request.
struct UnsavedObjects: Sendable {
    /// The changes that a save commits at this moment, and those after them.
    let changes: [PendingChanges]
    /// The objects with changes, in the order of the changes.
    let ids: [ObjectID]

    init(_ request: FetchRequest, _ store: StoreDigest, _ changes: [PendingChanges]) {
        self.changes = changes.filter { !$0.isEmpty }
        if let keys = request.onlyKeys {
            let requested = keys.map { ObjectID(entity: request.entity, key: $0, store: store) }
            ids = requested.filter { id in changes.contains { $0.touches(id) } }
        } else {
            var known: Set<ObjectID> = []
            ids = changes.flatMap { $0.ids(of: request.entity) }.filter { known.insert($0).inserted }
        }
    }

    /// Returns an object with the changes; nil if it will be deleted.
    func overlay(_ object: StoredObject) -> StoredObject? {
        changes.reduce(object) { object, changes in object.flatMap(changes.overlay) }
    }

    /// Returns an object that is not in the store; nil if no change inserts or restores it.
    func inserted(_ id: ObjectID, _ entity: EntityDescription) -> StoredObject? {
        guard changes.contains(where: { $0.insertion(id) != nil }) else { return nil }
        let values = entity.attributes.map { attribute -> AttributeValue in
            if case .value(let value) = attribute.defaultValue { value } else { .null }
        }
        let layout = StoredObject.Layout(names: entity.attributes.map(\.name))
        return overlay(
            StoredObject(id: id, version: StoredObject.noVersion, layout: layout, values: values))
    }
}

/// Requests of a context: the store decides about unsaved objects by the same SQL as about its own.
extension StoreSnapshot {
    /// Returns the objects of a request with unsaved changes, and the objects of the store that were read.
    func fetch(
        _ request: FetchRequest, with unsaved: UnsavedObjects
    ) throws(StoreError) -> (objects: [StoredObject], read: [StoredObject]) {
        guard !unsaved.ids.isEmpty else {
            let objects = try fetch(request)
            return (objects, request.attributes == nil ? objects : [])
        }
        let states = try states(request, unsaved)
        let order = order(request.sort, of: request.entity)
        var stored = request
        // Any of the changed objects may be among the first rows of the store, and not admitted any more.
        (stored.offset, stored.limit) = (0, request.limit.map { _ in request.lastRow(plus: states.count) })
        stored.attributes = request.attributes.map { names in
            names + order.components.map(\.attribute).filter { !names.contains($0) }
        }
        let found = try fetch(stored)
        let changed = Set(unsaved.ids)
        var rows = found.filter { !changed.contains($0.id) }.map { (order.position(of: $0), $0) }
        for state in states {
            if let object = state.after, try admits(object, at: state.key, request, order) {
                rows.append((order.position(of: state.key, object.values), object))
            }
        }
        rows.sort { $0.0 < $1.0 }
        let objects = request.page(of: rows.map(\.1)).map { $0.restricted(to: request.attributes) }
        return (objects, states.compactMap(\.before) + (request.attributes == nil ? found : []))
    }

    /// Returns the number of objects that a request admits with unsaved changes.
    func count(_ request: FetchRequest, with unsaved: UnsavedObjects) throws(StoreError) -> Int {
        var count = try count(request)
        let order = order(request.sort, of: request.entity)
        for state in try unsaved.ids.isEmpty ? [] : states(request, unsaved) {
            if let before = state.before, try admits(before, at: before.id.key, request, order) { count -= 1 }
            if let after = state.after, try admits(after, at: state.key, request, order) { count += 1 }
        }
        return count
    }

    /// A changed object in the store, and in the context. An unsaved object sorts after all others, as it will after
    /// the save.
    private struct State {
        let before: StoredObject?
        let after: StoredObject?
        let key: Int64
    }

    private func states(_ request: FetchRequest, _ unsaved: UnsavedObjects) throws(StoreError) -> [State] {
        let entity = try query.entity(request.entity)
        let keys = unsaved.ids.filter(\.isPermanent).map(\.key)
        let stored = try fetch(FetchRequest(entity.name, where: .keys(keys)))
        let known = Dictionary(stored.map { ($0.id, $0) }) { $1 }
        return unsaved.ids.enumerated().map { index, id in
            let before = known[id]
            return State(
                before: before,
                after: before.map(unsaved.overlay) ?? unsaved.inserted(id, entity),
                key: id.isPermanent ? id.key : Int64.max - Int64(unsaved.ids.count - index))
        }
    }

    private func admits(
        _ object: StoredObject, at key: Int64, _ request: FetchRequest, _ order: SortOrder
    ) throws(StoreError) -> Bool {
        var values = object.values
        let position = order.position(of: key, values)
        if let after = request.after, !(after < position) { return false }
        if let before = request.before, !(position < before) { return false }
        values["id"] = .integer(key)
        values["version"] = .integer(object.version)
        return try matches(request.predicate, values, entity: request.entity)
    }
}

extension FetchRequest {
    /// The number of rows up to the end of the page, and of some more; without overflow.
    fileprivate func lastRow(plus more: Int) -> Int {
        let (end, overflows) = max(0, limit ?? 0).addingReportingOverflow(max(0, offset))
        let (all, overflowsToo) = end.addingReportingOverflow(more)
        return overflows || overflowsToo ? .max : all
    }

    /// Returns the part of all admitted objects that the offset and the limit select.
    fileprivate func page(of objects: [StoredObject]) -> ArraySlice<StoredObject> {
        let (skipped, count) = (max(0, offset), limit.map { max(0, $0) } ?? .max)
        return isReversed
            ? objects.dropLast(skipped).suffix(count) : objects.dropFirst(skipped).prefix(count)
    }
}

extension StoredObject {
    /// Returns the object with these attributes alone; nil for all.
    fileprivate func restricted(to attributes: [String]?) -> StoredObject {
        guard let attributes, attributes != layout.names else { return self }
        return StoredObject(
            id: id, version: version, layout: Layout(names: attributes), values: attributes.map { self[$0] })
    }
}
