import Synchronization

/// A thread that is both a serial executor and a `ppoll` loop.
///
/// Actors that run on it share one thread with the descriptors that they wait for: a file event reaches the
/// actor without waking a second thread, and a blocking SQLite call never occupies Swift's cooperative pool.
/// The thread starts with the first job and ends when the last owner releases the loop; actors on it must own
/// it.
package final class EventLoop: SerialExecutor, TaskExecutor {
    private let core: LoopCore

    /// Creates a loop.
    ///
    /// - Parameter needsPipe: False to run, more slowly, even if no descriptor is left for a pipe.
    package init(needsPipe: Bool = true) throws(SystemError) {
        core = try LoopCore(needsPipe: needsPipe)
    }

    deinit { core.stop() }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let (serial, task) = (asUnownedSerialExecutor(), asUnownedTaskExecutor())
        core.change { $0.work.append { job.runSynchronously(isolatedTo: serial, taskExecutor: task) } }
    }

    /// Makes the calling thread the loop's thread until `work` is done. Call it only on an unused loop.
    package func runOnThisThread(_ work: @escaping @Sendable () async -> Int32) -> Int32 {
        let result = WorkResult()
        core.runHere {
            Task(executorPreference: self) {
                result.status.store(await work(), ordering: .relaxed)
                self.core.stop()
            }
        }
        return result.status.load(ordering: .relaxed)
    }

    package func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }

    package func checkIsolated() {
        precondition(core.isCurrentThread, "not on the event loop's thread")
    }

    /// Calls `handler` on the loop's thread whenever `descriptor` is readable, until `stopWatching`.
    ///
    /// - Parameter other: A descriptor whose handler does the same: if both are readable, only one is called.
    package func watch(
        _ descriptor: CInt, with other: CInt? = nil, handler: @escaping @Sendable () -> Void
    ) {
        core.change { $0.watched[descriptor] = .init(group: other ?? descriptor, handler: handler) }
    }

    /// Calls `handler` on the loop's thread once, when no process can read data written to `descriptor` any
    /// more: the reader of a pipe has exited, or a terminal has hung up. Never called for a file.
    package func watchForHangUp(_ descriptor: CInt, handler: @escaping @Sendable () -> Void) {
        // Without events: poll(2) reports an error or a hang-up in any case.
        core.change {
            $0.watched[descriptor] = .init(events: 0, isOnce: true, group: descriptor, handler: handler)
        }
    }

    package func stopWatching(_ descriptor: CInt) {
        core.change { $0.watched[descriptor] = nil }
    }

    /// Calls `handler` on the loop's thread once, not before `delay` has passed. A second call with the same
    /// `timer` replaces the first.
    package func schedule(_ timer: TimerName, after delay: Duration, handler: @escaping @Sendable () -> Void)
    {
        core.change { $0.timers[timer] = .init(due: .now + delay, handler: handler) }
    }

    package func cancel(_ timer: TimerName) {
        core.change { $0.timers[timer] = nil }
    }

    /// Suspends the caller until `delay` has passed or its task is cancelled. The first `Task.sleep` of a
    /// process makes libdispatch open three descriptors, and it aborts the process if it cannot; its threads
    /// then wake up each second.
    package nonisolated(nonsending) func pause(for delay: Duration) async {
        let timer = TimerName()
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                schedule(timer, after: delay) { continuation.resume() }
                if Task.isCancelled { core.hasten(timer) }
            }
        } onCancel: {
            core.hasten(timer)
        }
    }
}

private final class WorkResult: Sendable {
    let status = Atomic<Int32>(0)
}

/// The name of one timer of a loop, created once by the timer's owner.
package struct TimerName: Hashable, Sendable {
    private static let last = Atomic<Int>(0)
    private let number: Int

    package init() {
        number = Self.last.wrappingAdd(1, ordering: .relaxed).newValue
    }
}
