import Dispatch
import Foundation
import Glibc

/// Waits until a condition holds, checking every few milliseconds.
///
/// - Parameter seconds: A bound that matters only if the test fails, so that a loaded machine does not.
/// - Returns: Whether it held.
package func eventually(within seconds: Double = 60, _ condition: () throws -> Bool) rethrows -> Bool {
    let deadline = Date().addingTimeInterval(seconds)
    while try !condition() {
        guard Date() < deadline else { return false }
        _ = poll(nil, 0, 5)
    }
    return true
}

/// Waits without blocking a thread, for a condition that requires `await`.
package func soon(
    isolation: isolated (any Actor)? = #isolation, within seconds: Double = 60,
    _ condition: () async throws -> Bool
) async rethrows -> Bool {
    let deadline = Date().addingTimeInterval(seconds)
    while try await !condition() {
        guard Date() < deadline else { return false }
        await withCheckedContinuation { continuation in
            DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(2)) { continuation.resume() }
        }
    }
    return true
}
