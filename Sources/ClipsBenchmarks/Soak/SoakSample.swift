/// The resources used by a soak at one time.
struct SoakSample {
    var seconds: Double
    var apps: [(memory: Double, descriptors: Int)]
    var others: (memory: Double, descriptors: Int)
    var log: Double
    var store: Double
    var transactions: Int
    var clips: Int
    var commits: Int64

    static let heading = column([
        (6, "min"), (27, "memory of the apps, MB"), (14, "descriptors"), (9, "others"), (6, "desc."),
        (9, "-wal"), (9, "store"), (9, "history"), (6, "clips"), (10, "commits/s"),
    ])

    func line(after earlier: SoakSample?) -> String {
        let rate = Double(commits - (earlier?.commits ?? 0)) / max(0.001, seconds - (earlier?.seconds ?? 0))
        return Self.column([
            (6, Self.decimal(seconds / 60)),
            (27, apps.map { Self.megabytes($0.memory) }.joined(separator: " ")),
            (14, apps.map { "\($0.descriptors)" }.joined(separator: " ")), (9, Self.megabytes(others.memory)),
            (6, "\(others.descriptors)"), (9, Self.megabytes(log)), (9, Self.megabytes(store)),
            (9, "\(transactions)"), (6, "\(clips)"), (10, "\(Int(rate))"),
        ])
    }

    private static func column(_ columns: [(Int, String)]) -> String {
        columns.map { String(repeating: " ", count: max(0, $0 - $1.count)) + $1 }.joined(separator: " ")
    }

    private static func megabytes(_ bytes: Double) -> String { decimal(bytes / 1_048_576) }

    private static func decimal(_ value: Double) -> String { "\((value * 100).rounded() / 100)" }
}

extension [SoakSample] {
    /// Returns the medians of a quantity in the second and the last quarter; the first is for warm-up.
    func quarters(_ quantity: (SoakSample) -> Double) -> (early: Double, late: Double) {
        func median(_ part: ArraySlice<SoakSample>) -> Double { Spread(part.map(quantity))?.median ?? 0 }
        return (median(self[count / 4..<count / 2]), median(self[(count - count / 4)...]))
    }
}
