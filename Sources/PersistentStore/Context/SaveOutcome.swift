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

    /// Returns the basis of a change that was made during the save. Its author had not seen the other side of
    /// a conflict, so the conflict remains.
    func basis(after requested: ChangeBasis) -> ChangeBasis {
        guard requestedID != id || requested.version == basis.version else { return requested }
        guard let conflict else { return ChangeBasis(object) }
        return ChangeBasis(version: basis.version, object: conflict.mine)
    }
}
