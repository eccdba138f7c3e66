import Glibc
import Platform
package import FoundationEssentials

extension ProcessIdentity {
    /// Whether the process with a number began before a time and is running, so that it is not a later one.
    ///
    /// - Parameter slack: The seconds by which the clocks may differ.
    package static func isAlive(_ process: Int32, since time: Date, slack: Double = 1) -> Bool {
        guard let start = ProcessIdentity(process: process).start else { return false }
        let now = SystemClock.time(CLOCK_BOOTTIME)
        // Clock ticks are hundredths of a second in proc(5).
        let age = Double(now.tv_sec) - Double(start) / 100
        return Date.now.timeIntervalSince(time) <= age + slack
    }
}
