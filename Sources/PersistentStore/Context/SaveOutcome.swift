/// What a save has made of one object.
struct SaveOutcome: Sendable {
    /// The id under which it was asked for; temporary for a new object.
    let asked: ObjectID
    let id: ObjectID
    /// What the saved change was made on.
    let basis: ChangeBasis
    /// The object after the save; nil when it is gone.
    var object: StoredObject?
    /// Whether the save is certain to have changed the store for it.
    var isWritten = false
    /// What was settled by the context's merge policy.
    var conflict: SaveConflict?

    /// What a change was made on that was asked for while the save was under way: by nobody who had seen what the
    /// other side of a conflict wrote, so that one stays a conflict.
    func basis(after asked: ChangeBasis) -> ChangeBasis {
        guard self.asked != id || asked.version == basis.version else { return asked }
        guard let conflict else { return ChangeBasis(object) }
        return ChangeBasis(version: basis.version, object: conflict.mine)
    }
}
