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
        least = first
        greatest = last
        // The mean of the two middle values: with few rounds, the better one would be too good.
        median = (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
        p90 = quantile(0.9)
        p99 = quantile(0.99)
    }
}
