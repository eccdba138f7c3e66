import Dispatch
import Foundation
import Glibc

/// Waits until a condition holds. The pauses between its checks are longer than a check, so that a check that starts a
/// program leaves the processors to the programs that it waits for.
///
/// - Parameter seconds: A bound that matters only if the test fails, so that a loaded machine does not.
/// - Returns: Whether it held.
package func eventually(within seconds: Double = 60, _ condition: () throws -> Bool) rethrows -> Bool {
    let deadline = Date().addingTimeInterval(seconds)
    while true {
        let start = ContinuousClock.now
        if try condition() { return true }
        guard Date() < deadline else { return false }
        _ = poll(nil, 0, CInt(pause(after: start, atLeast: 5)))
    }
}

/// The milliseconds between two checks: three times those of a check.
private func pause(after start: ContinuousClock.Instant, atLeast least: Int) -> Int {
    min(200, max(least, 3 * Int((ContinuousClock.now - start) / .milliseconds(1))))
}

/// Waits without blocking a thread, for a condition that requires `await`.
package func soon(
    isolation: isolated (any Actor)? = #isolation, within seconds: Double = 60,
    _ condition: () async throws -> Bool
) async rethrows -> Bool {
    let deadline = Date().addingTimeInterval(seconds)
    while true {
        let start = ContinuousClock.now
        if try await condition() { return true }
        guard Date() < deadline else { return false }
        let pause = DispatchTimeInterval.milliseconds(pause(after: start, atLeast: 2))
        await withCheckedContinuation { continuation in
            DispatchQueue.global().asyncAfter(deadline: .now() + pause) { continuation.resume() }
        }
    }
}
