/// One line of the report: ours, what it is read beside, and the result that has a goal.
struct Measurement: Codable, Sendable {
    enum Unit: String, Codable, Sendable {
        /// Seconds.
        case time = "s"
        case memory = "bytes"
        case count
        case ratio
        /// Seconds of processor time in a second.
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
    /// What the README's table calls it; the rows of peers bear the name of the one they stand beside.
    var headline: String?
    /// The name of somebody else's program, if that is what it is read beside.
    var peer: String?

    /// Ours beside a limit: the result is how many times the limit ours is, round by round.
    init(_ subject: String, _ unit: Unit, _ comparison: Comparison, beside name: String, goal: Goal?) {
        self.subject = subject
        self.unit = unit
        ours = Spread(comparison.ours)
        besides = name
        beside = Spread(comparison.beside)
        result = Spread(comparison.ratios)
        self.goal = goal
    }

    /// A value late in a run beside the same early in it.
    init(_ subject: String, _ unit: Unit, late: Double, early: Double, goal: Goal) {
        self.subject = subject
        self.unit = unit
        ours = Spread([late])
        besides = "early"
        beside = Spread([early])
        result = Spread([early == 0 ? (late == 0 ? 1 : 1000) : late / early])
        self.goal = goal
    }

    /// A value with a goal of its own.
    init(_ subject: String, _ unit: Unit, _ values: [Double], goal: Goal? = nil) {
        self.subject = subject
        self.unit = unit
        ours = Spread(values)
        result = goal == nil ? nil : ours
        resultUnit = unit
        self.goal = goal
    }

    /// Somebody else's program beside ours.
    init(
        _ subject: String, _ unit: Unit, _ comparison: Comparison, peer: String, of headline: String,
        goal: Goal? = nil
    ) {
        self.init("\(subject), \(peer)", unit, comparison, beside: peer, goal: goal)
        self.headline = headline
        self.peer = peer
    }

    /// One of the rows of the README's table.
    func headlined(_ headline: String) -> Measurement {
        var named = self
        named.headline = headline
        return named
    }

    /// Whether the median of the result reaches the goal; nil without one.
    var isMet: Bool? {
        guard let goal, let result else { return nil }
        return goal.isMet(by: result.median)
    }
}
