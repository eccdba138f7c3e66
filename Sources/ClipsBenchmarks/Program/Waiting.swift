import CBenchmarkProbes
import Dispatch
import PersistentStore
import Synchronization

/// A time of CLOCK_MONOTONIC, which all processes share.
struct Moment: Comparable {
    let nanoseconds: Int64

    static var now: Moment { Moment(nanoseconds: probe_now()) }

    static func < (left: Moment, right: Moment) -> Bool { left.nanoseconds < right.nanoseconds }

    /// Returns the difference in seconds.
    static func - (left: Moment, right: Moment) -> Double {
        Double(left.nanoseconds - right.nanoseconds) / 1_000_000_000
    }

    var secondsSince: Double { Moment.now - self }
}

/// Runs asynchronous work and blocks this thread until it ends; for measurements that are otherwise
/// synchronous.
func blocking<Result: Sendable>(_ work: @escaping @Sendable () async throws -> Result) throws -> Result {
    let done = DispatchSemaphore(value: 0)
    let shared = Shared<Swift.Result<Result, any Error>?>(nil)
    Task.detached {
        do {
            let value = try await work()
            shared.value = .success(value)
        } catch {
            shared.value = .failure(error)
        }
        done.signal()
    }
    done.wait()
    guard let result = shared.value else { throw BenchmarkError("the task did not finish") }
    return try result.get()
}

/// A value that threads share.
final class Shared<Value: Sendable>: Sendable {
    private let storage: Mutex<Value>

    init(_ value: Value) { storage = Mutex(value) }

    var value: Value {
        get { storage.withLock { $0 } }
        set { storage.withLock { $0 = newValue } }
    }
}

extension PersistentContainer {
    /// Reads a snapshot and blocks this thread until that ends.
    func readBlocking<Result: Sendable>(
        _ body: @escaping @Sendable (inout StoreSnapshot) throws -> Result
    ) throws -> Result {
        try blocking { try await self.read(body) }
    }

    /// Closes the store and blocks this thread until that ends.
    func closeBlocking() throws { try blocking { await self.close() } }
}
