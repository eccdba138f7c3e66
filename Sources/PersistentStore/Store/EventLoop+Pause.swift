import Platform

extension EventLoop {
    /// Suspends the caller until `delay` has passed, with a timer of the loop. The first `Task.sleep` of a
    /// process makes libdispatch open three descriptors, and it aborts the process if it cannot.
    ///
    /// - Throws: ``StoreError/cancelled`` after the delay if the task was cancelled.
    nonisolated(nonsending) func pause(for delay: Duration) async throws(StoreError) {
        await withCheckedContinuation { continuation in
            schedule(TimerName(), after: delay) { continuation.resume() }
        }
        if Task.isCancelled { throw .cancelled }
    }
}
