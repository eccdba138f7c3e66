#if canImport(Musl)
package import Musl
#else
package import Glibc
#endif

/// The clocks of the system (clock_gettime(2)).
package enum SystemClock {
    /// The milliseconds since 1970 UTC.
    package static var milliseconds: Int64 { milliseconds(time(CLOCK_REALTIME)) }

    /// The milliseconds of a clock that is never set.
    package static var monotonicMilliseconds: Int64 { milliseconds(time(CLOCK_MONOTONIC)) }

    package static func time(_ clock: clockid_t) -> timespec {
        var time = timespec()
        clock_gettime(clock, &time)
        return time
    }

    private static func milliseconds(_ time: timespec) -> Int64 {
        Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }
}
