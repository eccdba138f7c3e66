/// A transaction that one step threw at as often as the parameters allow, and that it was not given again.
///
/// The other steps had it, and what came later was not held up.
public struct ParkedTransaction: Hashable, Sendable {
    public let number: Int64
    public let step: TrackingStep
    /// The type of what was thrown last.
    public let errorType: String

    public init(number: Int64, step: TrackingStep, errorType: String) {
        self.number = number
        self.step = step
        self.errorType = errorType
    }
}

/// Counts how often a step threw at the transaction that the cursor stands before.
struct FailureCount {
    private var transaction: Int64?
    private var counts: [TrackingStep: Int] = [:]
    private var parkedSteps: Set<TrackingStep> = []

    /// How often the step has now thrown at this transaction.
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
