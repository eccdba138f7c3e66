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
