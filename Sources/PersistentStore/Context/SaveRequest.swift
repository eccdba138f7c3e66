/// The work that a context commits.
enum SaveRequest {
    enum Operation: Sendable {
        case insert(temporary: ObjectID, values: [String: AttributeValue])
        case update(ObjectID, changes: [String: AttributeValue], ChangeBasis)
        case delete(ObjectID, ChangeBasis)

        var entity: String {
            switch self {
            case .insert(let id, _), .update(let id, _, _), .delete(let id, _): id.entity
            }
        }
    }
}

/// The result of a save.
public struct SaveResult: Sendable {
    /// The position of the new transaction; nil if nothing changed.
    package let token: HistoryToken?
    /// The permanent IDs of inserted objects, by their temporary ones.
    package let insertedIDs: [ObjectID: ObjectID]
    /// The conflicts that the context's merge policy resolved.
    public var resolvedConflicts: [SaveConflict] { outcomes.compactMap(\.conflict) }
    let outcomes: [SaveOutcome]

    init(_ operations: [SaveRequest.Operation], _ written: Written<[SaveOutcome]>) {
        (token, outcomes) = (written.token, written.value)
        let inserted = zip(operations, outcomes).compactMap { operation, outcome in
            if case .insert = operation { (outcome.requestedID, outcome.id) } else { nil }
        }
        insertedIDs = Dictionary(inserted) { $1 }
    }

    /// The saved objects in the order of the operations, without deleted ones.
    package var objects: [StoredObject] { outcomes.compactMap(\.object) }

    /// The new versions of the saved objects, including those whose references became null, by their permanent IDs.
    package var versions: [ObjectID: Int64] {
        let pairs = outcomes.compactMap { outcome in outcome.object.map { ($0.id, $0.version) } }
        return Dictionary(pairs) { $1 }
    }

    /// The objects that the save deleted, including those that a rule of deletion deleted; others did not exist.
    package var deletedIDs: [ObjectID] {
        outcomes.filter { $0.isWritten && $0.object == nil }.map(\.id)
    }

    /// Returns the permanent ID of an object.
    public func permanentID(_ id: ObjectID) -> ObjectID { insertedIDs[id] ?? id }
}

/// Counts alone: a log of the program must not contain the values of its users.
extension SaveResult: CustomStringConvertible {
    public var description: String {
        let saved = outcomes.filter(\.isWritten).count
        return "\(saved) saved, of which \(insertedIDs.count) inserted and \(deletedIDs.count) deleted; "
            + "\(resolvedConflicts.count) conflicts resolved"
    }
}

/// The result of a save for one object.
struct SaveOutcome: Sendable {
    /// The ID with which the change was requested; temporary for a new object.
    let requestedID: ObjectID
    let id: ObjectID
    /// The state on which the saved change was made.
    let basis: ChangeBasis
    /// The object after the save; nil if it was deleted.
    var object: StoredObject?
    /// Whether the save certainly changed the object in the store.
    var isWritten = false
    /// The conflict that the context's merge policy resolved.
    var conflict: SaveConflict?
    /// Whether a rule of deletion changed the object.
    var isAction = false

    /// Returns the basis of a change that was made during the save. Its author had not seen the other side of
    /// a conflict, so the conflict remains.
    func basis(after requested: ChangeBasis) -> ChangeBasis {
        guard requestedID != id || requested.version == basis.version else { return requested }
        guard let conflict else { return ChangeBasis(object) }
        return ChangeBasis(version: basis.version, object: conflict.mine)
    }
}

/// The state of an object on which a change was made.
struct ChangeBasis: Sendable {
    /// The version of the object; nil applies the change to any version.
    var version: Int64?
    /// The object; nil if that version was not read through this context.
    var object: StoredObject?
    /// Whether the object has the values of the store: those of a record may be converted or unsaved.
    var isAsStored = true

    init(version: Int64?, object: StoredObject?) {
        self.version = version
        self.object = object
    }

    init(_ object: StoredObject?) { self.init(version: object?.version, object: object) }

    init(ofRecord object: StoredObject) {
        self.init(object)
        isAsStored = false
    }
}
