public import PersistentStore

/// The state of a tracker.
@nonexhaustive
public enum TrackingState: Equatable, Sendable {
    case stopped
    case live
    /// File events are unavailable: the store is polled many times a second.
    case polling
    /// The store's file was replaced, moved, deleted, or emptied.
    case storeReplaced
    /// The last pass failed; it will be repeated.
    case failing(TrackingError)
}

/// The reason that a pass failed.
@nonexhaustive
public enum TrackingError: Error, Equatable, Sendable {
    case store(StoreError)
    /// A consumer or a hook threw while processing the transaction with this number. Contains only the type
    /// of the error, because its text may contain user content.
    case thrown(by: TrackingStep, transaction: Int64?, errorType: String)
}

/// A step of a pass that runs custom code.
@nonexhaustive
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

/// A transaction at which one step threw as often as the parameters allow.
package struct ParkedTransaction: Hashable, Sendable {
    package let number: Int64
    package let step: TrackingStep
    package let errorType: String

    package init(number: Int64, step: TrackingStep, errorType: String) {
        self.number = number
        self.step = step
        self.errorType = errorType
    }
}

extension HistoryTracker {
    /// The 100 most recently parked transactions, oldest first, each with the step that no longer receives it, and with
    /// the type of the last error. The other steps received it, and later transactions proceeded.
    public var parkedTransactions: [(number: Int64, step: TrackingStep, errorType: String)] {
        parked.map { ($0.number, $0.step, $0.errorType) }
    }
}

/// Counts since a tracker was created.
package struct TrackingStatistics: Hashable, Sendable {
    /// Passes that found new history or failed. A commit that recorded nothing causes none.
    package internal(set) var passes = 0
    /// Transactions and changes that were delivered.
    package internal(set) var transactions = 0
    package internal(set) var changes = 0
    /// Full refreshes.
    package internal(set) var refreshes = 0
    /// Parked transactions, counted for each step.
    package internal(set) var parked = 0
}
