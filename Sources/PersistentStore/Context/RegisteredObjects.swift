/// The objects that a context has read or saved, and the permanent ids of those it has inserted.
struct RegisteredObjects: Sendable {
    private var objects: [ObjectID: StoredObject] = [:]
    private var permanentIDs: [ObjectID: ObjectID] = [:]

    var ids: [ObjectID] { Array(objects.keys) }

    subscript(id: ObjectID) -> StoredObject? { objects[id] }

    func permanentID(_ id: ObjectID) -> ObjectID { id.isPermanent ? id : permanentIDs[id] ?? id }

    /// Never an older state over a newer one: two reads may come back in any order.
    mutating func register(_ object: StoredObject) {
        if let known = objects[object.id], known.version > object.version { return }
        objects[object.id] = object
    }

    mutating func forget(_ id: ObjectID) { objects[id] = nil }

    /// Somebody has deleted the object and put another under its id, so its version says nothing any more: a change
    /// made on this state is a conflict, and any state that is read takes its place.
    mutating func outdate(_ id: ObjectID) {
        guard let known = objects[id] else { return }
        objects[id] = StoredObject(
            id: id, version: StoredObject.noVersion, layout: known.layout, values: known.stored)
    }

    mutating func take(_ outcome: SaveOutcome) {
        if outcome.asked != outcome.id { permanentIDs[outcome.asked] = outcome.id }
        guard let object = outcome.object else { return forget(outcome.id) }
        register(object)
    }
}
