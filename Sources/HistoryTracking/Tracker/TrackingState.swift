public import PersistentStore

/// The state of a tracker.
public enum TrackingState: Equatable, Sendable {
    case stopped
    case live
    /// File events are unavailable: the store is polled many times a second.
    case polling
    /// The store's file was replaced, moved, or deleted.
    case storeReplaced
    /// The last pass failed; it will be repeated.
    case failing(TrackingError)
}

/// The reason that a pass failed.
public enum TrackingError: Error, Equatable, Sendable {
    case store(StoreError)
    /// A consumer or a hook threw while processing the transaction with this number. Contains only the type
    /// of the error, because its text may contain user content.
    case thrown(by: TrackingStep, transaction: Int64?, errorType: String)
}

/// A step of a pass that runs custom code.
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
                + (transaction.map { " at transaction \($0)" } ?? " during a full refresh")
                + "; it will be tried again."
        }
    }
}
