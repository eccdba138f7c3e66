import Glibc
import Synchronization

/// What the loop's thread and its users share.
final class LoopCore: Sendable {
    private struct Timer {
        let due: ContinuousClock.Instant
        let handler: @Sendable () -> Void
    }

    private struct State {
        var work: [@Sendable () -> Void] = []
        var watched: [CInt: @Sendable () -> Void] = [:]
        var timers: [TimerName: Timer] = [:]
        var isAsleep = false
        var isStopped = false
        var hasThread = false
        var thread: UInt?
    }

    private let state = Mutex(State())
    private let wakePipe: Pipe

    init() throws(FileWatchError) {
        wakePipe = try Pipe()
    }

    var isCurrentThread: Bool {
        let current = UInt(pthread_self())
        return state.withLock { $0.thread == current }
    }

    private func startThread() {
        let start = Unmanaged.passRetained(ThreadStart(core: self))
        var thread = pthread_t()
        let code = pthread_create(
            &thread, nil,
            { context in
                guard let context else { return nil }
                let start = Unmanaged<ThreadStart>.fromOpaque(context).takeRetainedValue()
                start.core.run()
                return nil
            }, start.toOpaque())
        precondition(code == 0, "the system refuses to make a thread")
        pthread_detach(thread)
    }

    /// Runs the loop on the calling thread, beginning with `start`, until it is stopped.
    func runHere(_ start: () -> Void) {
        state.withLock { $0.hasThread = true }
        start()
        run()
    }

    func add(_ work: @escaping @Sendable () -> Void) {
        change { $0.work.append(work) }
    }

    func watch(_ descriptor: CInt, handler: @escaping @Sendable () -> Void) {
        change { $0.watched[descriptor] = handler }
    }

    func stopWatching(_ descriptor: CInt) {
        change { $0.watched[descriptor] = nil }
    }

    func schedule(_ timer: TimerName, after delay: Duration, handler: @escaping @Sendable () -> Void) {
        change { $0.timers[timer] = Timer(due: .now + delay, handler: handler) }
    }

    func cancel(_ timer: TimerName) {
        change { $0.timers[timer] = nil }
    }

    func stop() {
        change { $0.isStopped = true }
    }

    private func change(_ body: (inout sending State) -> Void) {
        let (mustStart, mustWake) = state.withLock { state in
            body(&state)
            defer {
                state.isAsleep = false
                state.hasThread = state.hasThread || !state.isStopped
            }
            return (!state.hasThread && !state.isStopped, state.isAsleep)
        }
        if mustStart { startThread() } else if mustWake { wakePipe.signal() }
    }

    private func run() {
        state.withLock { $0.thread = UInt(pthread_self()) }
        while runWork() {
            runDueTimers()
            waitForEvents()
        }
    }

    /// Takes what work brings along, as an actor's next step, before poll(2) is asked for more, but not for ever.
    /// False once the loop is stopped and nothing is left.
    private func runWork() -> Bool {
        for _ in 0..<8 {
            let (work, isStopped) = state.withLock { state in
                let work = state.work
                state.work.removeAll(keepingCapacity: true)
                return (work, state.isStopped)
            }
            guard !work.isEmpty else { return !isStopped }
            for item in work { item() }
        }
        return true
    }

    private func runDueTimers() {
        let now = ContinuousClock.now
        let due = state.withLock { state in
            let due = state.timers.filter { $0.value.due <= now }
            for name in due.keys { state.timers[name] = nil }
            return due.values.sorted { $0.due < $1.due }
        }
        for timer in due { timer.handler() }
    }

    /// Sleeps in poll(2) until there is something to do. poll counts in milliseconds; a timer that is due
    /// sooner is waited for with nanosleep(2), which then delays events by that much at most.
    private func waitForEvents() {
        let (watched, pause) = state.withLock { state in
            guard state.work.isEmpty && !state.isStopped else {
                return (Array(state.watched.keys), Duration?.some(.zero))
            }
            let due = state.timers.values.map(\.due).min()
            let pause = due.map { max(.zero, ContinuousClock.now.duration(to: $0)) }
            state.isAsleep = pause.map { $0 >= .milliseconds(1) } ?? true
            return (Array(state.watched.keys), pause)
        }
        var timeout: CInt = -1
        if let pause {
            if pause > .zero && pause < .milliseconds(1) { Self.sleep(pause) }
            timeout = pause < .milliseconds(1) ? 0 : CInt(clamping: pause.milliseconds)
        }
        var descriptors = [pollfd(fd: wakePipe.readEnd, events: Int16(POLLIN), revents: 0)]
        descriptors += watched.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        let ready = poll(&descriptors, nfds_t(descriptors.count), timeout)
        state.withLock { $0.isAsleep = false }
        guard ready > 0 else { return }
        if descriptors[0].revents != 0 { wakePipe.drain() }
        for descriptor in descriptors.dropFirst() where descriptor.revents != 0 {
            // Not the one from before the wait: its owner may have let go of it meanwhile.
            state.withLock { $0.watched[descriptor.fd] }?()
        }
    }

    private static func sleep(_ pause: Duration) {
        var time = timespec(tv_sec: 0, tv_nsec: Int(pause.components.attoseconds / 1_000_000_000))
        nanosleep(&time, nil)
    }
}

private final class ThreadStart: Sendable {
    let core: LoopCore

    init(core: LoopCore) {
        self.core = core
    }
}

extension Duration {
    /// Whole milliseconds, rounded up.
    fileprivate var milliseconds: Int64 {
        components.seconds * 1000 + (components.attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
    }
}
