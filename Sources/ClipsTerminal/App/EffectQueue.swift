import Synchronization

/// Runs jobs one at a time, in the order of their arrival.
final class EffectQueue<Job: Sendable>: Sendable {
    private struct State: ~Copyable {
        var pending: [Job] = []
        var isRunning = false
        var perform: (@Sendable (Job) async -> Void)?
    }

    private let state = Mutex(State())
    private let executor: (any TaskExecutor)?

    /// - Parameter executor: Where the jobs run; nil for the global pool.
    init(on executor: (any TaskExecutor)?) { self.executor = executor }

    /// Starts with the jobs added before.
    func start(_ perform: @escaping @Sendable (Job) async -> Void) {
        state.withLock { $0.perform = perform }
        run()
    }

    /// - Parameter isSuperseded: Whether the new job makes a waiting one needless.
    func add(_ job: Job, dropping isSuperseded: (Job) -> Bool = { _ in false }) {
        state.withLock { state in
            state.pending.removeAll(where: isSuperseded)
            state.pending.append(job)
        }
        run()
    }

    /// Removes and returns the jobs that have not started.
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
        Task(executorPreference: executor) {
            while let job = self.next() { await perform(job) }
        }
    }

    private func next() -> Job? {
        state.withLock { state in
            state.isRunning = !state.pending.isEmpty
            return state.pending.isEmpty ? nil : state.pending.removeFirst()
        }
    }
}
