/// The handling of a saved object that another writer saved after it was read here.
///
/// A change of an object that was never read here applies to any version, so it meets no conflict. If that
/// object was deleted by then, only ``storeTrumps`` and ``byPropertyStoreTrumps`` can save, without that
/// change.
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
    case write([String: Value])
    /// Restores the object under its ID, with all values known here.
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
