/// Both sides of a save that met an object which somebody else saved, or deleted, since it was read.
public struct SaveConflict: Hashable, Sendable {
    public let objectID: ObjectID
    /// The version the change was made on; nil when the object was never read here.
    public let expectedVersion: Int64?
    /// The object as it was when the change was made; nil when it was not read through this context.
    public let base: StoredObject?
    /// What the store holds now; nil when the object was deleted there.
    public let stored: StoredObject?
    /// What was to be saved; empty for a deletion.
    public let changes: [String: Value]
    /// Whether the object was to be deleted.
    public let isDeletion: Bool
    /// The attributes to which both sides gave different new values, in the order of the model. Where the base is
    /// not known, all that differ; of a deletion, all that the store's side changed.
    public let clashing: [String]

    init(
        _ objectID: ObjectID, _ basis: ChangeBasis, stored: StoredObject?, changes: [String: Value],
        isDeletion: Bool, entity: Entity
    ) {
        self.objectID = objectID
        expectedVersion = basis.version
        base = basis.object
        self.stored = stored
        self.changes = changes
        self.isDeletion = isDeletion
        clashing = entity.attributes.map(\.name).filter { name in
            let theirs = stored?[name]
            let isChangedThere = basis.object.map { base in theirs.map { !$0.isSame(as: base[name]) } ?? true
            }
            guard !isDeletion else { return isChangedThere ?? false }
            guard let mine = changes[name] else { return false }
            return isChangedThere ?? true && !(theirs.map { $0.isSame(as: mine) } ?? false)
        }
    }

    /// The object as it was to be; nil when its base is not known.
    var mine: StoredObject? {
        var object = base
        object?.set(changes)
        return object
    }
}

extension SaveConflict: CustomStringConvertible {
    public var description: String {
        "\(objectID) was \(stored == nil ? "deleted" : "changed") by somebody else meanwhile."
    }
}

extension Value {
    /// As SQLite tells values apart: text byte by byte, where Swift takes two ways of writing an accent for one.
    func isSame(as other: Value) -> Bool {
        switch (self, other) {
        case (.text(let text), .text(let other)): text.utf8.elementsEqual(other.utf8)
        default: self == other
        }
    }
}
