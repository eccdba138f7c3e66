import Glibc

/// Places on an axis whose equal steps are equal factors.
struct LogarithmicScale {
    let least: Double
    let greatest: Double
    let start: Double
    let length: Double

    /// Values beyond the ends stand at them.
    func place(of value: Double) -> Double {
        let inside = min(greatest, max(least, value))
        return start + length * (log10(inside) - log10(least)) / (log10(greatest) - log10(least))
    }

    /// The powers of ten, ends included.
    var decades: [Double] {
        (Int(log10(least).rounded())...Int(log10(greatest).rounded())).map { pow(10, Double($0)) }
    }
}
