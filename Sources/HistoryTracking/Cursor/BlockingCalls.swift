import Dispatch

/// A serial queue for calls that may block.
///
/// On the reader's thread they would delay reading and watching; on the shared pool they would block one of
/// its few threads.
struct BlockingCalls: Sendable {
    private let queue = DispatchQueue(label: "HistoryTracking.BlockingCalls")

    nonisolated(nonsending) func callAsFunction<Result: Sendable>(
        _ body: @escaping @Sendable () throws -> Result
    ) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Swift.Result(catching: body)) }
        }
    }
}
