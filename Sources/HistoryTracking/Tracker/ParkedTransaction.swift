/// A transaction at which one step threw as often as the parameters allow, and that is no longer delivered to
/// that step.
///
/// The other steps received it, and later transactions proceeded.
public struct ParkedTransaction: Hashable, Sendable {
    public let number: Int64
    public let step: TrackingStep
    /// The type of the last error.
    public let errorType: String

    public init(number: Int64, step: TrackingStep, errorType: String) {
        self.number = number
        self.step = step
        self.errorType = errorType
    }
}

/// The number of times that each step threw at the transaction after the cursor.
struct FailureCount {
    private var transaction: Int64?
    private var counts: [TrackingStep: Int] = [:]
    private var parkedSteps: Set<TrackingStep> = []

    /// Counts a failure and returns the number of failures of the step at this transaction.
    mutating func add(_ step: TrackingStep, at number: Int64) -> Int {
        if transaction != number { self = FailureCount() }
        transaction = number
        counts[step, default: 0] += 1
        return counts[step] ?? 0
    }

    mutating func park(_ step: TrackingStep) { parkedSteps.insert(step) }

    func isParked(_ step: TrackingStep, at number: Int64) -> Bool {
        transaction == number && parkedSteps.contains(step)
    }
}
