import Foundation
import Glibc

/// Waits until a condition holds, looking every few milliseconds, for as long as the bound says.
///
/// - Returns: whether it came to hold.
package func eventually(within seconds: Double = 10, _ condition: () throws -> Bool) rethrows -> Bool {
    let deadline = Date().addingTimeInterval(seconds)
    while try !condition() {
        guard Date() < deadline else { return false }
        _ = poll(nil, 0, 5)
    }
    return true
}

/// The same without keeping a thread, and for a condition that has to be asked for.
package func soon(
    isolation: isolated (any Actor)? = #isolation, within seconds: Double = 10,
    _ condition: () async throws -> Bool
) async rethrows -> Bool {
    let deadline = Date().addingTimeInterval(seconds)
    while try await !condition() {
        guard Date() < deadline else { return false }
        await Task.yield()
        _ = poll(nil, 0, 2)
    }
    return true
}
