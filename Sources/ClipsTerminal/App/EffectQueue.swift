import Synchronization

/// Does jobs one after the other, in the order they came.
final class EffectQueue<Job: Sendable>: Sendable {
    private struct State: ~Copyable {
        var pending: [Job] = []
        var isRunning = false
        var perform: (@Sendable (Job) async -> Void)?
    }

    private let state = Mutex(State())

    /// Jobs that came before the start have waited.
    func start(_ perform: @escaping @Sendable (Job) async -> Void) {
        state.withLock { $0.perform = perform }
        run()
    }

    /// - Parameter isSuperseded: which waiting jobs the new one makes needless.
    func add(_ job: Job, dropping isSuperseded: (Job) -> Bool = { _ in false }) {
        state.withLock { state in
            state.pending.removeAll(where: isSuperseded)
            state.pending.append(job)
        }
        run()
    }

    /// Takes out the jobs that were not begun.
    func drain() -> [Job] {
        state.withLock { state in
            defer { state.pending.removeAll() }
            return state.pending
        }
    }

    var isIdle: Bool { state.withLock { $0.pending.isEmpty && !$0.isRunning } }

    private func run() {
        let perform = state.withLock { state in
            let perform = state.isRunning || state.pending.isEmpty ? nil : state.perform
            if perform != nil { state.isRunning = true }
            return perform
        }
        guard let perform else { return }
        Task {
            while let job = next() { await perform(job) }
        }
    }

    private func next() -> Job? {
        state.withLock { state in
            state.isRunning = !state.pending.isEmpty
            return state.pending.isEmpty ? nil : state.pending.removeFirst()
        }
    }
}
