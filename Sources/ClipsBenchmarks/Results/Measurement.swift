/// One line of the report: our values, the values compared with, and the result.
struct Measurement: Codable, Sendable {
    enum Unit: String, Codable, Sendable {
        /// Seconds.
        case time = "s"
        case memory = "bytes"
        case count
        case ratio
        /// Seconds of processor time per second.
        case load
    }

    struct Goal: Codable, Sendable {
        var atMost: Double?
        var atLeast: Double?

        func isMet(by value: Double) -> Bool {
            value <= atMost ?? .infinity && value >= atLeast ?? -.infinity
        }
    }

    let subject: String
    let unit: Unit
    let ours: Spread?
    var besides: String?
    var beside: Spread?
    var result: Spread?
    var resultUnit = Unit.ratio
    var goal: Goal?
    /// The name in the README's table; a row of a peer has the name of the row that it is compared with.
    var headline: String?
    /// The name of the other program, if ours is compared with one.
    var peer: String?

    /// Creates a comparison with a limit; the result is the ratio of ours to the limit in each round.
    init(_ subject: String, _ unit: Unit, _ comparison: Comparison, beside name: String, goal: Goal?) {
        self.subject = subject
        self.unit = unit
        ours = Spread(comparison.ours)
        besides = name
        beside = Spread(comparison.beside)
        result = Spread(comparison.ratios)
        self.goal = goal
    }

    /// Creates a comparison of a late value with an early value of the same run.
    init(_ subject: String, _ unit: Unit, late: Double, early: Double, goal: Goal) {
        self.subject = subject
        self.unit = unit
        ours = Spread([late])
        besides = "early"
        beside = Spread([early])
        result = Spread([early == 0 ? (late == 0 ? 1 : 1000) : late / early])
        self.goal = goal
    }

    /// Creates a measurement of a single value with a goal.
    init(_ subject: String, _ unit: Unit, _ values: [Double], goal: Goal? = nil) {
        self.subject = subject
        self.unit = unit
        ours = Spread(values)
        result = goal == nil ? nil : ours
        resultUnit = unit
        self.goal = goal
    }

    /// Creates a comparison of ours with another program.
    init(
        _ subject: String, _ unit: Unit, _ comparison: Comparison, peer: String, of headline: String,
        goal: Goal? = nil
    ) {
        self.init("\(subject), \(peer)", unit, comparison, beside: peer, goal: goal)
        self.headline = headline
        self.peer = peer
    }

    /// Returns the measurement as a row of the README's table.
    func headlined(_ headline: String) -> Measurement {
        var named = self
        named.headline = headline
        return named
    }

    /// Whether the median of the result meets the goal; nil if there is no goal.
    var isMet: Bool? {
        guard let goal, let result else { return nil }
        return goal.isMet(by: result.median)
    }
}
