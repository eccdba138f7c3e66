import Dispatch
import Synchronization

/// Runs asynchronous work and blocks this thread until it ends; for measurements that are otherwise
/// synchronous.
func blocking<Result: Sendable>(
    _ work: @escaping @Sendable () async throws -> Result
) throws -> Result {
    let done = DispatchSemaphore(value: 0)
    let box = ResultBox<Result>()
    Task.detached {
        do {
            let value = try await work()
            box.result.withLock { $0 = .success(value) }
        } catch {
            box.result.withLock { $0 = .failure(error) }
        }
        done.signal()
    }
    done.wait()
    guard let result = box.result.withLock({ $0 }) else { throw BenchmarkError("the task did not finish") }
    return try result.get()
}

private final class ResultBox<Value: Sendable>: Sendable {
    let result = Mutex<Swift.Result<Value, any Error>?>(nil)
}
