import CSQLite
import Synchronization

/// Stops the statement that runs on a connection, from any thread (sqlite.org/c3ref/interrupt.html).
///
/// `invalidate` must be called before the connection closes; afterwards interrupting does nothing.
package final class Interrupter: Sendable {
    private let address: Mutex<UInt>

    init(pointer: OpaquePointer) {
        address = Mutex(UInt(bitPattern: pointer))
    }

    package func interrupt() {
        address.withLock { bits in
            if let pointer = OpaquePointer(bitPattern: bits) { sqlite3_interrupt(pointer) }
        }
    }

    package func invalidate() {
        address.withLock { $0 = 0 }
    }
}
