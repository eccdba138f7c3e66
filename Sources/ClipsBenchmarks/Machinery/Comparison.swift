/// Two things measured in turn, so that what else the machine does meets both alike.
struct Comparison {
    private(set) var ours: [Double] = []
    private(set) var beside: [Double] = []
    /// Of the medians of each round, ours by the other.
    private(set) var ratios: [Double] = []

    /// Runs both once a round, beginning with the one and the other in turn.
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

    /// Two things that were measured in turn elsewhere, one value of each a round.
    init(ours: [Double], beside: [Double]) {
        for (own, other) in zip(ours, beside) { add([own], [other]) }
    }

    /// Of the inverse ratios: how fast ours is, in parts of the other.
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
