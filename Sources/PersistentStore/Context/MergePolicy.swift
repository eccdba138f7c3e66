/// What a save does with an object that somebody else saved since it was read here.
///
/// A change of an object that was never read here is made on whatever is there, so it meets no conflict; if the
/// object is gone by then, only ``storeTrumps`` and ``byPropertyStoreTrumps`` can save, without that change.
public enum MergePolicy: String, Hashable, Sendable, CaseIterable {
    /// The save fails with ``StoreError/conflict(_:)`` and nothing is saved.
    case error
    /// What was asked for that object here is dropped.
    case storeTrumps
    /// The object is written as this context sees it, all of it; a deleted one comes back under its own id.
    case objectTrumps
    /// Both sides' changes are kept; of an attribute that both changed, the store's.
    case byPropertyStoreTrumps
    /// Both sides' changes are kept; of an attribute that both changed, the one made here.
    case byPropertyObjectTrumps
}

/// How one conflict is settled.
enum ConflictResolution: Equatable {
    case refuse
    case drop
    case write([String: Value])
    /// Back under its own id, with all that is known of it here.
    case restore([String: Value])
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
