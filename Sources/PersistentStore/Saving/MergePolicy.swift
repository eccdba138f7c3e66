/// The handling of a saved object that another writer saved after it was read here.
///
/// A change of an object that was never read here applies to any version, so it meets no conflict. If that
/// object was deleted by then, only ``storeTrumps`` and ``byPropertyStoreTrumps`` can save, without that
/// change.
@nonexhaustive
public enum MergePolicy: String, Hashable, Sendable, CaseIterable {
    /// The save fails with ``StoreError/conflict(_:)``, and nothing is saved.
    case error
    /// This context's change of the object is discarded.
    case storeTrumps
    /// The whole object is written as this context sees it; a deleted one is restored under its ID.
    case objectTrumps
    /// Both sides' changes are saved; for an attribute that both changed, the store's value wins.
    case byPropertyStoreTrumps
    /// Both sides' changes are saved; for an attribute that both changed, this context's value wins.
    case byPropertyObjectTrumps
}

/// The resolution of one conflict.
enum ConflictResolution: Equatable {
    case refuse
    case drop
    case write([String: AttributeValue])
    /// Restores the object under its ID, with all values known here.
    case restore([String: AttributeValue])
    case delete
}

extension MergePolicy {
    func resolve(_ conflict: SaveConflict) -> ConflictResolution {
        switch self {
        case .error: return .refuse
        case .storeTrumps: return .drop
        case .byPropertyStoreTrumps:
            guard conflict.stored != nil, !conflict.isDeletion else { return .drop }
            return .write(conflict.changes.filter { !conflict.clashing.contains($0.key) })
        case .objectTrumps, .byPropertyObjectTrumps:
            guard !conflict.isDeletion else { return .delete }
            guard conflict.stored != nil else {
                return conflict.mine.map { .restore($0.values) } ?? .refuse
            }
            return .write(
                self == .objectTrumps ? conflict.mine?.values ?? conflict.changes : conflict.changes)
        }
    }
}

/// Both sides of a conflict: a saved object that another writer saved or deleted after it was read.
public struct SaveConflict: Hashable, Sendable {
    public let objectID: ObjectID
    /// The version on which the change was made; nil if the object was never read here.
    package let expectedVersion: Int64?
    /// The object on which the change was made; nil if it was not read through this context.
    package let base: StoredObject?
    /// The object in the store; nil if it was deleted there.
    public let stored: StoredObject?
    /// The values to save; empty for a deletion.
    public let changes: [String: AttributeValue]
    /// Whether the change is a deletion.
    package let isDeletion: Bool
    /// The attributes to which both sides gave different new values, in the order of the model. Without a
    /// known base, all that differ; for a deletion, all that the store's side changed.
    public let clashing: [String]

    init(
        _ objectID: ObjectID, _ basis: ChangeBasis, stored: StoredObject?, changes: [String: AttributeValue],
        isDeletion: Bool, entity: EntityDescription
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

extension AttributeValue {
    /// Whether two values are the same to SQLite, which compares text by bytes; Swift considers two encodings
    /// of an accent equal.
    func isSame(as other: AttributeValue) -> Bool {
        switch (self, other) {
        case (.text(let text), .text(let other)): text.utf8.elementsEqual(other.utf8)
        default: self == other
        }
    }
}

/// The net effect of merged transactions on each object.
public struct MergeResult: Hashable, Sendable {
    public private(set) var inserted: Set<ObjectID> = []
    public private(set) var updated: Set<ObjectID> = []
    public private(set) var deleted: Set<ObjectID> = []
    /// The changed objects that have unsaved changes in the merging context. Saving those reports the
    /// conflict.
    public internal(set) var contested: Set<ObjectID> = []

    package init() {}

    package var isEmpty: Bool { inserted.isEmpty && updated.isEmpty && deleted.isEmpty }

    mutating func add(_ change: HistoryChange) {
        let id = change.objectID
        switch change.kind {
        case .insert:
            if deleted.remove(id) != nil { updated.insert(id) } else { inserted.insert(id) }
        case .update:
            if !inserted.contains(id) { updated.insert(id) }
        case .delete:
            updated.remove(id)
            if inserted.remove(id) == nil { deleted.insert(id) }
        }
    }
}
