/// Both sides of a conflict: a saved object that another writer saved or deleted after it was read.
public struct SaveConflict: Hashable, Sendable {
    public let objectID: ObjectID
    /// The version on which the change was made; nil if the object was never read here.
    public let expectedVersion: Int64?
    /// The object on which the change was made; nil if it was not read through this context.
    public let base: StoredObject?
    /// The object in the store; nil if it was deleted there.
    public let stored: StoredObject?
    /// The values to save; empty for a deletion.
    public let changes: [String: Value]
    /// Whether the change is a deletion.
    public let isDeletion: Bool
    /// The attributes to which both sides gave different new values, in the order of the model. Without a
    /// known base, all that differ; for a deletion, all that the store's side changed.
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

    /// The object with this context's changes; nil if its base is not known.
    var mine: StoredObject? {
        var object = base
        object?.set(changes)
        return object
    }
}

extension SaveConflict: CustomStringConvertible {
    public var description: String {
        "\(objectID) was \(stored == nil ? "deleted" : "changed") by another writer."
    }
}

extension Value {
    /// Whether two values are the same to SQLite, which compares text by bytes; Swift considers two encodings
    /// of an accent equal.
    func isSame(as other: Value) -> Bool {
        switch (self, other) {
        case (.text(let text), .text(let other)): text.utf8.elementsEqual(other.utf8)
        default: self == other
        }
    }
}
