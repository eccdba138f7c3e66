import Foundation

/// Returns the processor time of the calling thread during a function, which is the same on a loaded machine.
package func processorTime(_ body: () throws -> Void) rethrows -> Duration {
    func now() -> Duration {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
    let start = now()
    try body()
    return now() - start
}

/// Whether the parts of an untrusted input cost time in proportion to their number, with a margin of ten. Time that
/// grows with its square exceeds the limit.
package func isProportional(_ time: Duration, to parts: Int) -> Bool { time < .microseconds(150 * parts) }
