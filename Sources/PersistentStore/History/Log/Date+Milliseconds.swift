import FoundationEssentials

/// Timestamps of the log: whole milliseconds since 1970.
extension Date {
    /// The range in which a Date distinguishes single milliseconds.
    private static let range: ClosedRange<Double> = -8e15...8e15

    init(milliseconds: Int64) {
        self.init(timeIntervalSince1970: Double(milliseconds) / 1000)
    }

    /// The last timestamp that is not later than the date. It is exact: a transaction's own date finds that
    /// transaction.
    var lastMillisecond: Int64 {
        let seconds = timeIntervalSince1970 * 1000
        guard Self.range.contains(seconds) else { return seconds > 0 ? .max : .min }
        var milliseconds = Int64(seconds.rounded(.down))
        while Date(milliseconds: milliseconds) > self { milliseconds -= 1 }
        while Date(milliseconds: milliseconds + 1) <= self { milliseconds += 1 }
        return milliseconds
    }

    /// The last timestamp that is earlier than the date.
    var millisecondBefore: Int64 {
        let last = lastMillisecond
        guard last != .max && last != .min else { return last }
        return Date(milliseconds: last) < self ? last : last - 1
    }
}
