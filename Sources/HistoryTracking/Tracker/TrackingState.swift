public import PersistentStore

/// How the tracking is going.
public enum TrackingState: Equatable, Sendable {
    case stopped
    case live
    /// No file events on this system: the store is asked many times a second.
    case sweeping
    /// The store's file was replaced, moved or deleted.
    case storeReplaced
    /// The last pass failed; it is tried again.
    case failing(TrackingError)
}

/// Why a pass did not come to its end.
public enum TrackingError: Error, Equatable, Sendable {
    case store(StoreError)
    /// Code of the program's own threw while it had the transaction of that number; only the type of what it
    /// threw is told, since the rest may contain what people wrote.
    case thrown(by: TrackingStep, transaction: Int64?, errorType: String)
}

/// A step of a pass in which code of the program's own runs.
public enum TrackingStep: String, Hashable, Sendable, CaseIterable {
    case consumer
    case observer
    case mergeHook = "merge hook"
    case deduplicator
}

extension TrackingError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .store(let error): error.description
        case .thrown(let step, let transaction, let errorType):
            "The \(step.rawValue) threw \(errorType)"
                + (transaction.map { " at transaction \($0)" } ?? " while it read everything anew")
                + "; it is tried again."
        }
    }
}
