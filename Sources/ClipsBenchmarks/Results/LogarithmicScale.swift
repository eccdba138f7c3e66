import Glibc

/// Positions on a logarithmic axis.
struct LogarithmicScale {
    let least: Double
    let greatest: Double
    let start: Double
    let length: Double

    /// Returns the position of a value, clamped to the ends.
    func position(of value: Double) -> Double {
        let inside = min(greatest, max(least, value))
        return start + length * (log10(inside) - log10(least)) / (log10(greatest) - log10(least))
    }

    /// The powers of ten, including the ends.
    var decades: [Double] {
        (Int(log10(least).rounded())...Int(log10(greatest).rounded())).map { pow(10, Double($0)) }
    }
}
