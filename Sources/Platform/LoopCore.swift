import CPlatform
import Synchronization

#if canImport(Musl)
import Musl
#else
import Glibc
#endif

/// The state that the loop's thread and its users share.
final class LoopCore: Sendable {
    struct Timer {
        let due: ContinuousClock.Instant
        let handler: @Sendable () -> Void
    }

    struct Watch {
        var events = Int16(POLLIN)
        var isOnce = false
        /// Descriptors of one group cause one call per poll(2).
        let group: CInt
        let handler: @Sendable () -> Void
    }

    struct State {
        var work: [@Sendable () -> Void] = []
        var watched: [CInt: Watch] = [:]
        var timers: [TimerName: Timer] = [:]
        var isAsleep = false
        var isStopped = false
        var hasThread = false
        var thread: UInt?
    }

    private let state = Mutex(State())
    /// The pipe that wakes the thread; nil if the process has no descriptors left, in which case the loop
    /// polls 50 times per second.
    private let wakePipe: Pipe?
    private static let pollInterval = Duration.milliseconds(20)

    init(needsPipe: Bool) throws(SystemError) {
        do {
            wakePipe = try Pipe()
        } catch {
            guard !needsPipe else { throw error }
            wakePipe = nil
        }
    }

    var isCurrentThread: Bool {
        let current = UInt(pthread_self())
        return state.withLock { $0.thread == current }
    }

    private func startThread() {
        var thread = pthread_t()
        let code = pthread_create(
            &thread, nil,
            { context in
                guard let context else { return nil }
                Unmanaged<LoopCore>.fromOpaque(context).takeRetainedValue().run()
                return nil
            }, Unmanaged.passRetained(self).toOpaque())
        precondition(code == 0, "cannot create a thread")
        pthread_detach(thread)
    }

    /// Runs the loop on the calling thread, beginning with `start`, until it is stopped.
    func runHere(_ start: () -> Void) {
        state.withLock { $0.hasThread = true }
        start()
        run()
    }

    /// Makes a timer due, if it is scheduled.
    func hasten(_ timer: TimerName) {
        change { state in
            guard let handler = state.timers[timer]?.handler else { return }
            state.timers[timer] = Timer(due: .now, handler: handler)
        }
    }

    func stop() {
        change { $0.isStopped = true }
    }

    /// Changes the state, and starts or wakes the thread.
    func change(_ body: (inout sending State) -> Void) {
        let (mustStart, mustWake) = state.withLock { state in
            body(&state)
            defer {
                state.isAsleep = false
                state.hasThread = state.hasThread || !state.isStopped
            }
            return (!state.hasThread && !state.isStopped, state.isAsleep)
        }
        if mustStart { startThread() } else if mustWake { wakePipe?.signal() }
    }

    private func run() {
        platform_use_exact_timers()
        state.withLock { $0.thread = UInt(pthread_self()) }
        while runWork() {
            runDueTimers()
            waitForEvents()
        }
    }

    /// Runs queued work, including the work that it adds, such as an actor's next step, for a limited time
    /// before the next poll(2). Returns false once the loop is stopped and nothing is left.
    private func runWork() -> Bool {
        var work: [@Sendable () -> Void] = []
        var end: ContinuousClock.Instant?
        for round in 0..<Self.maxRounds {
            if round == Self.maxRounds / 4 { end = .now + Self.maxDelay }
            if let end, ContinuousClock.now > end { return true }
            work.removeAll(keepingCapacity: true)
            let isStopped = state.withLock { state in
                swap(&work, &state.work)
                return state.isStopped
            }
            guard !work.isEmpty else { return !isStopped }
            for item in work { item() }
        }
        return true
    }

    /// Enough for a save, which is ten steps of actors.
    private static let maxRounds = 32
    /// Events wait no longer, except for one step: those of a long query take milliseconds each.
    private static let maxDelay = Duration.milliseconds(2)

    private func runDueTimers() {
        let due: [Timer] = state.withLock { state in
            guard !state.timers.isEmpty else { return [] }
            let now = ContinuousClock.now
            guard state.timers.values.contains(where: { $0.due <= now }) else { return [] }
            let due = state.timers.filter { $0.value.due <= now }
            for name in due.keys { state.timers[name] = nil }
            return due.values.sorted { $0.due < $1.due }
        }
        for timer in due { timer.handler() }
    }

    /// Sleeps in ppoll(2) until there is work: new work and events end any wait.
    private func waitForEvents() {
        let (watched, pause) = state.withLock { state in
            guard state.work.isEmpty && !state.isStopped else {
                return (state.watched, Duration?.some(.zero))
            }
            let due = state.timers.values.map(\.due).min()
            var pause = due.map { max(.zero, ContinuousClock.now.duration(to: $0)) }
            if wakePipe == nil { pause = min(pause ?? Self.pollInterval, Self.pollInterval) }
            state.isAsleep = pause != .zero
            return (state.watched, pause)
        }
        // poll(2) ignores a negative descriptor.
        var descriptors = [pollfd(fd: wakePipe?.readEnd ?? -1, events: Int16(POLLIN), revents: 0)]
        descriptors += watched.map { pollfd(fd: $0.key, events: $0.value.events, revents: 0) }
        let ready = DescriptorIO.wait(for: &descriptors, pause)
        state.withLock { $0.isAsleep = false }
        guard ready > 0 else { return }
        if descriptors[0].revents != 0 { wakePipe?.drain() }
        var called: CInt = -1
        for descriptor in descriptors.dropFirst() where descriptor.revents != 0 {
            // Not the one from before the wait: its owner may have unregistered it since then.
            let watch = state.withLock { state in
                let watch = state.watched[descriptor.fd]
                if watch?.isOnce == true { state.watched[descriptor.fd] = nil }
                return watch
            }
            guard let watch, watch.group != called else { continue }
            called = watch.group
            watch.handler()
        }
    }
}
