/// The net effect of merged transactions on each object.
public struct MergeResult: Hashable, Sendable {
    public private(set) var inserted: Set<ObjectID> = []
    public private(set) var updated: Set<ObjectID> = []
    public private(set) var deleted: Set<ObjectID> = []
    /// The changed objects that have unsaved changes in the merging context. Saving those reports the
    /// conflict.
    public internal(set) var contested: Set<ObjectID> = []

    package init() {}

    public var isEmpty: Bool { inserted.isEmpty && updated.isEmpty && deleted.isEmpty }

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
