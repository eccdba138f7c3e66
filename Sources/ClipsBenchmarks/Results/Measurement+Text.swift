extension Measurement {
    var oursText: String { Self.quantiles(ours, unit) }
    var besideText: String { Self.quantiles(beside, unit) }

    /// The median and the range of the rounds.
    var resultText: String {
        guard let result else { return "" }
        let median = Quantity(result.median, resultUnit).text
        guard result.count > 1 else { return median }
        return
            "\(median) (\(Quantity(result.least, resultUnit).text)..\(Quantity(result.greatest, resultUnit).text))"
    }

    /// The goal; nil if there is none.
    var goalText: String? {
        guard let goal else { return nil }
        let wanted = [
            goal.atMost.map { "<= " + Quantity($0, resultUnit).text },
            goal.atLeast.map { ">= " + Quantity($0, resultUnit).text },
        ]
        return wanted.compactMap { $0 }.joined(separator: ", ")
    }

    private static func quantiles(_ spread: Spread?, _ unit: Unit) -> String {
        guard let spread else { return "" }
        guard spread.count > 1 else { return Quantity(spread.median, unit).text }
        return [spread.median, spread.p90, spread.p99].map { Quantity($0, unit).text }.joined(
            separator: " / ")
    }
}
