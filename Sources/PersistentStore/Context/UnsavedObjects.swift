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
