import CBenchmarkProbes

/// A time of CLOCK_MONOTONIC, which all processes share.
struct Moment: Comparable {
    let nanoseconds: Int64

    static var now: Moment { Moment(nanoseconds: probe_now()) }

    static func < (left: Moment, right: Moment) -> Bool { left.nanoseconds < right.nanoseconds }

    /// Returns the difference in seconds.
    static func - (left: Moment, right: Moment) -> Double {
        Double(left.nanoseconds - right.nanoseconds) / 1_000_000_000
    }

    var secondsSince: Double { Moment.now - self }
}
