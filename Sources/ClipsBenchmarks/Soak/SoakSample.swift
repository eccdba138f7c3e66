/// The resources used by a soak at one time.
struct SoakSample {
    let seconds: Double
    let apps: [(memory: Double, descriptors: Int)]
    let others: (memory: Double, descriptors: Int)
    let log: Double
    let store: Double
    let transactions: Int
    let clips: Int
    let commits: Int64

    func text(after earlier: SoakSample?) -> String {
        func text(_ bytes: Double) -> String { Quantity(bytes, .memory).text }
        let rate = Double(commits - (earlier?.commits ?? 0)) / max(0.001, seconds - (earlier?.seconds ?? 0))
        let apps = apps.map { "\(text($0.memory)) \($0.descriptors)" }.joined(separator: ", ")
        return """
            \(Int(seconds)) s: memory and descriptors of the apps \(apps), of the others \(text(others.memory)) \
            \(others.descriptors); -wal \(text(log)), store \(text(store)), \(transactions) transactions, \
            \(clips) clips, \(Int(rate)) commits/s
            """
    }
}

extension [SoakSample] {
    /// Returns the medians of a quantity in the second and the last quarter; the first is for warm-up.
    func quarters(_ quantity: (SoakSample) -> Double) -> (early: Double, late: Double) {
        func median(_ part: ArraySlice<SoakSample>) -> Double { Spread(part.map(quantity))?.median ?? 0 }
        return (median(self[count / 4..<count / 2]), median(self[(count - count / 4)...]))
    }
}
