/// The number of units that are transferred together: those of about half a second, so that an answer to another
/// request never waits longer, at any speed of the line.
struct TransferWindow: Sendable {
    private let range: ClosedRange<Int>
    private(set) var size: Int
    private static let seconds = 0.5

    init(_ range: ClosedRange<Int>) {
        self.range = range
        size = range.lowerBound
    }

    /// Notes that units were transferred. Grows to the double at most, because the time of few units is that of the
    /// answer.
    mutating func note(_ count: Int, in time: Duration) {
        let fitting = Double(count) * Self.seconds / max(time / .seconds(1), 0.001)
        size = min(max(Int(min(fitting, Double(size) * 2)), range.lowerBound), range.upperBound)
    }
}
