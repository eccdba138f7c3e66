import Synchronization
import TestSupport

/// A point at which one thread waits until another opens it.
final class Gate: Sendable {
    private let state = Mutex((hasArrived: false, isOpen: false))

    func pass() {
        state.withLock { $0.hasArrived = true }
        _ = eventually { state.withLock { $0.isOpen } }
    }

    func waitForArrival() -> Bool { eventually { state.withLock { $0.hasArrived } } }

    func open() { state.withLock { $0.isOpen = true } }
}
