import Synchronization

/// The events of one subscriber that reads the store in any case.
///
/// A wait that runs on the reader's executor gets a signal in one job; an iteration of an `AsyncStream` takes eight.
package final class StoreSignals: Sendable {
    private struct State: Sendable {
        var pending: [StoreSignal] = []
        var isFinished = false
        var waiting: UnsafeContinuation<StoreSignal?, Never>?
    }

    private let state = Mutex(State())

    /// Adds a signal, unless one of the kind is pending: each means "check".
    ///
    /// - Returns: Whether the subscriber still listens.
    func add(_ signal: StoreSignal) -> Bool {
        let (waiting, isFinished) = state.withLock { state in
            if state.waiting == nil, !state.isFinished, !state.pending.contains(signal) {
                state.pending.append(signal)
            }
            defer { state.waiting = nil }
            return (state.waiting, state.isFinished)
        }
        waiting?.resume(returning: signal)
        return !isFinished
    }

    /// Ends the signals after those that are pending.
    package func finish() {
        let waiting = state.withLock { state in
            state.isFinished = true
            defer { state.waiting = nil }
            return state.waiting
        }
        waiting?.resume(returning: nil)
    }

    /// Returns the next signal; nil at the end. Only one task may wait.
    package nonisolated(nonsending) func next() async -> StoreSignal? {
        await withUnsafeContinuation { continuation in
            let signal = state.withLock { state -> StoreSignal?? in
                if !state.pending.isEmpty { return state.pending.removeFirst() }
                if state.isFinished { return .some(nil) }
                state.waiting = continuation
                return nil
            }
            if let signal { continuation.resume(returning: signal) }
        }
    }
}
