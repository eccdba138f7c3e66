import Synchronization

/// Runs requests one at a time, in the order of their arrival.
final class RequestQueue: Sendable {
    fileprivate struct State: ~Copyable {
        var pending: [StoreRequest] = []
        var running: StoreRequest?
        var perform: (@Sendable (StoreRequest) async -> Void)?
    }

    private let state = Mutex(State())
    private let executor: (any TaskExecutor)?

    /// - Parameter executor: Where the requests run; nil for the global pool.
    init(on executor: (any TaskExecutor)?) { self.executor = executor }

    /// Starts with the requests added before.
    func start(_ perform: @escaping @Sendable (StoreRequest) async -> Void) {
        state.withLock { $0.perform = perform }
        run()
    }

    func add(_ request: StoreRequest) {
        state.withLock { state in
            state.pending.removeAll(where: request.supersedes)
            state.pending.append(request)
        }
        run()
    }

    /// Removes and returns the requests that have not started, and returns the one that runs.
    func drain() -> (pending: [StoreRequest], running: StoreRequest?) {
        state.withLock { state in
            defer { state.pending.removeAll() }
            return (state.pending, state.running)
        }
    }

    var isIdle: Bool { state.withLock { $0.pending.isEmpty && $0.running == nil } }

    private func run() {
        guard let (first, perform) = state.withLock({ $0.running == nil ? $0.next() : nil }) else { return }
        Task(executorPreference: executor) {
            var request: StoreRequest? = first
            while let running = request {
                await perform(running)
                request = self.state.withLock { state in
                    state.running = nil
                    return state.next()?.0
                }
            }
        }
    }
}

extension RequestQueue.State {
    fileprivate mutating func next() -> (StoreRequest, @Sendable (StoreRequest) async -> Void)? {
        guard let perform, !pending.isEmpty else { return nil }
        let request = pending.removeFirst()
        running = request
        return (request, perform)
    }
}
