import Dispatch
import Synchronization

/// Lets the first thread run a command's asynchronous work itself.
///
/// A command that saves one clip and ends would otherwise spend more time on starting the pool of threads than
/// on saving.
final class MainThreadExecutor: TaskExecutor {
    private let state = Mutex(State())
    private let wake = DispatchSemaphore(value: 0)

    private struct State {
        var jobs: [UnownedJob] = []
        var result: Int32?
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        state.withLock { $0.jobs.append(job) }
        wake.signal()
    }

    /// Runs `work` on this thread, to its end.
    func run(_ work: @escaping @Sendable () async -> Int32) -> Int32 {
        Task(executorPreference: self) {
            let result = await work()
            self.state.withLock { $0.result = result }
            self.wake.signal()
        }
        while true {
            wake.wait()
            let (jobs, result) = state.withLock { state in
                defer { state.jobs.removeAll() }
                return (state.jobs, state.result)
            }
            for job in jobs { job.runSynchronously(on: asUnownedTaskExecutor()) }
            if let result, jobs.isEmpty { return result }
        }
    }
}
