import Dispatch

/// A queue for calls that may block: one at a time, in the order in which they were made.
///
/// On the reader's thread they would hold up reading and watching, and on the shared pool one of its few threads.
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
