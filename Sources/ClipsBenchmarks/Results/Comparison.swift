/// A comparison of two measurements in turn, so that other load of the machine affects both.
struct Comparison {
    private(set) var ours: [Double] = []
    private(set) var reference: [Double] = []
    /// The ratio of our median to the reference's median, for each round.
    private(set) var ratios: [Double] = []

    /// Runs both once per round, in alternating order.
    ///
    /// - Parameter warmsUp: whether to run both once before, without recording.
    init(
        rounds: Int, warmsUp: Bool = false, ours measureOurs: () throws -> [Double],
        reference measureReference: () throws -> [Double]
    ) rethrows {
        if warmsUp { _ = try (measureOurs(), measureReference()) }
        for round in 0..<rounds {
            var own: [Double] = []
            if round.isMultiple(of: 2) { own = try measureOurs() }
            let others = try measureReference()
            if !round.isMultiple(of: 2) { own = try measureOurs() }
            add(own, others)
        }
    }

    /// Creates a comparison of existing values, one of each per round.
    init(ours: [Double], reference: [Double]) {
        for (own, other) in zip(ours, reference) { add([own], [other]) }
    }

    /// The comparison with inverse ratios: our speed relative to the reference.
    var asSpeed: Comparison {
        var speed = self
        speed.ratios = ratios.map { 1 / $0 }
        return speed
    }

    private mutating func add(_ own: [Double], _ others: [Double]) {
        ours += own
        reference += others
        if let own = Spread(own), let others = Spread(others), others.median > 0 {
            ratios.append(own.median / others.median)
        }
    }
}

/// The distribution of measured values.
struct Spread: Codable, Sendable {
    let count: Int
    let least: Double
    let median: Double
    let p90: Double
    let p99: Double
    let greatest: Double

    /// Creates a distribution; nil if there are no values.
    init?(_ values: [Double]) {
        let sorted = values.sorted()
        guard let first = sorted.first, let last = sorted.last else { return nil }
        func quantile(_ part: Double) -> Double {
            sorted[min(sorted.count - 1, Int(part * Double(sorted.count)))]
        }
        count = sorted.count
        (least, greatest) = (first, last)
        // The mean of the two middle values: with few rounds, the better one would be too good.
        median = (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
        (p90, p99) = (quantile(0.9), quantile(0.99))
    }

    /// Returns the median, and two quantiles if there are several values.
    func text(_ unit: Measurement.Unit) -> String {
        (count > 1 ? [median, p90, p99] : [median]).map { Quantity($0, unit).text }.joined(separator: " / ")
    }
}
