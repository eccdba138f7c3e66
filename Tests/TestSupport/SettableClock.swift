package import PersistentStore
import Synchronization

/// A clock that only tests move.
package final class SettableClock: Sendable {
    package static let start: Int64 = 1_700_000_000_000
    private let time = Mutex(SettableClock.start)

    package init() {}

    package func now() -> Int64 { time.withLock { $0 } }
    package func set(_ milliseconds: Int64) { time.withLock { $0 = milliseconds } }
    package func advance(seconds: Int64) { time.withLock { $0 += seconds * 1000 } }
    package func advance(days: Int64) { advance(seconds: days * 24 * 3600) }

    /// Options of a store that uses this clock.
    package func options(bounds: HistoryBounds? = nil) -> StoreOptions {
        var options = StoreOptions()
        options.clock = { self.now() }
        options.durability = .normal
        options.historyBounds = bounds
        return options
    }
}
