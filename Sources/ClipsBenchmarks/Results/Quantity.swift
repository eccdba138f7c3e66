import Platform
/// A value with its unit, in a short form.
struct Quantity {
    let text: String

    init(_ value: Double, _ unit: Measurement.Unit) {
        text =
            switch unit {
            case .time: Self.time(value)
            case .memory: Self.decimal(value / 1_048_576) + "MB"
            case .count: value < 100 ? Self.decimal(value) : (Int(value.rounded())).grouped
            case .ratio: Self.decimal(value) + "x"
            case .score: Self.decimal(value)
            case .load: Self.decimal(value * 1000) + "ms/s"
            }
    }

    private static func time(_ seconds: Double) -> String {
        if seconds < 0.001 { return decimal(seconds * 1_000_000) + "us" }
        return seconds < 1 ? decimal(seconds * 1000) + "ms" : decimal(seconds) + "s"
    }

    /// Returns three significant digits; a shared machine is not more precise.
    private static func decimal(_ value: Double) -> String {
        let scale = value >= 100 ? 1 : value >= 10 ? 10 : value >= 0.1 ? 100 : value >= 0.01 ? 1000 : 10_000.0
        let whole = (value * scale).rounded() / scale
        return whole == whole.rounded() ? "\(Int(whole))" : "\(whole)"
    }
}
