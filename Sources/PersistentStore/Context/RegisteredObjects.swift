/// The objects that a context has read or saved, and the permanent IDs of those that it has inserted.
struct RegisteredObjects: Sendable {
    private var objects: [ObjectID: StoredObject] = [:]
    private var permanentIDs: [ObjectID: ObjectID] = [:]

    var ids: [ObjectID] { Array(objects.keys) }

    subscript(id: ObjectID) -> StoredObject? { objects[id] }

    func permanentID(_ id: ObjectID) -> ObjectID { id.isPermanent ? id : permanentIDs[id] ?? id }

    /// Registers an object, unless a newer state is known: two reads may return in any order.
    mutating func register(_ object: StoredObject) {
        if let known = objects[object.id], known.version > object.version { return }
        objects[object.id] = object
    }

    mutating func forget(_ id: ObjectID) { objects[id] = nil }

    /// Records that another writer deleted the object and reused its ID, so that its version means nothing. A
    /// change made on this state is a conflict, and any state read later replaces it.
    mutating func invalidate(_ id: ObjectID) {
        guard let known = objects[id] else { return }
        objects[id] = StoredObject(
            id: id, version: StoredObject.noVersion, layout: known.layout, values: known.stored)
    }

    mutating func apply(_ outcome: SaveOutcome) {
        if outcome.requestedID != outcome.id { permanentIDs[outcome.requestedID] = outcome.id }
        guard let object = outcome.object else { return forget(outcome.id) }
        register(object)
    }
}
