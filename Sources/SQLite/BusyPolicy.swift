import CSQLite
import Platform

/// The duration and the interval of waiting for a lock.
///
/// `sqlite3_busy_timeout` increases its pauses to 100 ms, so a writer concurrent with a cleaner waits twenty
/// times longer than necessary. This handler tries every 0.1 ms at first. Its pauses increase to 2 ms with the time that
/// it has waited, by which that becomes 2 % longer: the tries of dozens of waiters would take the processors from the
/// holder of the lock.
final class BusyPolicy {
    var timeoutMilliseconds: Int64
    /// Whether to end the wait before the timeout; checked at each try.
    let isInterrupted: (@Sendable () -> Bool)?
    private(set) var waitedMilliseconds: Int64 = 0
    private var began: Int64 = 0

    init(timeoutMilliseconds: Int64, isInterrupted: (@Sendable () -> Bool)? = nil) {
        self.timeoutMilliseconds = timeoutMilliseconds
        self.isInterrupted = isInterrupted
    }

    func install(on database: OpaquePointer) {
        sqlite3_busy_handler(
            database,
            { context, attempt in
                guard let context else { return 0 }
                return Unmanaged<BusyPolicy>.fromOpaque(context).takeUnretainedValue().wait(attempt) ? 1 : 0
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    private func wait(_ attempt: Int32) -> Bool {
        let now = SystemClock.monotonicMilliseconds
        if attempt == 0 { began = now }
        waitedMilliseconds = now - began
        guard waitedMilliseconds < timeoutMilliseconds, isInterrupted?() != true else { return false }
        DescriptorIO.pause(for: .microseconds(min(max(100, waitedMilliseconds * 20), 2000)))
        return true
    }
}
