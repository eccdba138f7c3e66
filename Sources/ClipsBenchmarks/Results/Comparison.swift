/// A comparison of two alternating measurements, so that other load of the machine affects both.
struct Comparison {
    private(set) var ours: [Double] = []
    private(set) var beside: [Double] = []
    /// The ratio of our median to the other median, for each round.
    private(set) var ratios: [Double] = []

    /// Runs both once per round, in alternating order.
    init(
        rounds: Int, ours measureOurs: () throws -> [Double], beside measureBeside: () throws -> [Double]
    ) rethrows {
        for round in 0..<rounds {
            var own: [Double] = []
            var others: [Double] = []
            if round.isMultiple(of: 2) { own = try measureOurs() }
            others = try measureBeside()
            if !round.isMultiple(of: 2) { own = try measureOurs() }
            add(own, others)
        }
    }

    /// Creates a comparison from existing values, one of each per round.
    init(ours: [Double], beside: [Double]) {
        for (own, other) in zip(ours, beside) { add([own], [other]) }
    }

    /// The comparison with inverse ratios: our speed relative to the other.
    var asSpeed: Comparison {
        var speed = self
        speed.ratios = ratios.map { 1 / $0 }
        return speed
    }

    mutating func add(_ own: [Double], _ others: [Double]) {
        ours += own
        beside += others
        if let own = Spread(own), let others = Spread(others), others.median > 0 {
            ratios.append(own.median / others.median)
        }
    }
}
