/// One row of the report: our values, the values of a reference from the same run, and the result.
struct Measurement: Codable, Sendable {
    enum Unit: String, Codable, Sendable {
        /// Seconds.
        case time = "s"
        case memory = "bytes"
        case count
        case ratio
        /// Between 0 and 1.
        case score
        /// Seconds of processor time per second.
        case load
    }

    struct Goal: Codable, Sendable {
        var atMost: Double?
        var atLeast: Double?

        static func atMost(_ limit: Double) -> Goal { Goal(atMost: limit) }
        static func atLeast(_ limit: Double) -> Goal { Goal(atLeast: limit) }

        func isMet(by value: Double) -> Bool {
            value <= atMost ?? .infinity && value >= atLeast ?? -.infinity
        }

        /// Returns the ratio of a value to the goal; below 1, the value is better than the goal. For a goal
        /// of 0, the value 0 is the best one.
        func distance(of value: Double) -> Double {
            if let atMost { return value <= 0 ? 0 : atMost > 0 ? value / atMost : .infinity }
            if let atLeast { return value > 0 ? atLeast / value : .infinity }
            return 1
        }
    }

    private(set) var subject: String
    private(set) var unit: Unit
    private(set) var ours: Spread?
    private(set) var referenceName: String?
    private(set) var reference: Spread?
    private(set) var result: Spread?
    private(set) var resultUnit = Unit.ratio
    private(set) var goal: Goal?
    /// The name in the published table; a peer's row has the name of the row that it belongs to.
    private(set) var headline: String?
    /// The name of the other program, if the row compares with one.
    private(set) var peer: String?

    /// Creates a comparison; the result is the ratio of ours to the reference in each round.
    init(
        _ subject: String, _ unit: Unit, _ comparison: Comparison, reference name: String, goal: Goal? = nil,
        headline: String? = nil
    ) {
        self.init(subject, unit, comparison.ours, goal: goal, headline: headline)
        referenceName = name
        reference = Spread(comparison.reference)
        result = Spread(comparison.ratios)
        resultUnit = .ratio
    }

    /// Creates a measurement of values that have a goal themselves, or none.
    init(_ subject: String, _ unit: Unit, _ values: [Double], goal: Goal? = nil, headline: String? = nil) {
        self.subject = subject
        self.unit = unit
        ours = Spread(values)
        result = goal == nil ? nil : ours
        resultUnit = unit
        self.goal = goal
        self.headline = headline
    }

    /// Returns a row that compares the same quantity with another program.
    func compared(with peer: String, _ comparison: Comparison, as unit: Unit? = nil, goal: Goal? = nil)
        -> Measurement
    {
        var row = Measurement(
            "\(subject), \(peer)", unit ?? self.unit, comparison, reference: peer, goal: goal,
            headline: headline)
        row.peer = peer
        return row
    }

    /// Returns the row with values for comparison that do not affect its result.
    func next(to name: String, _ values: [Double]) -> Measurement {
        var row = self
        (row.referenceName, row.reference) = (name, Spread(values))
        return row
    }

    /// Whether the median of the result meets the goal; nil if there is no goal.
    var isMet: Bool? {
        guard let goal, let result else { return nil }
        return goal.isMet(by: result.median)
    }

    /// The median and the range of the rounds.
    var resultText: String {
        guard let result else { return "" }
        func text(_ value: Double) -> String { Quantity(value, resultUnit).text }
        guard result.count > 1 else { return text(result.median) }
        return "\(text(result.median)) (\(text(result.least))–\(text(result.greatest)))"
    }

    var goalText: String {
        guard let goal else { return "" }
        return [goal.atMost.map { ("≤", $0) }, goal.atLeast.map { ("≥", $0) }].compactMap { $0 }.map {
            "\($0) \(Quantity($1, resultUnit).text)"
        }.joined(separator: ", ")
    }
}
