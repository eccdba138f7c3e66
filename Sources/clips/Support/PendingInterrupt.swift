import Glibc
import Synchronization

/// SIGINT, SIGTERM, and SIGHUP, held so that work ends between two steps.
enum PendingInterrupt {
    private static let held = Atomic<Bool>(false)
    private static let endings = [SIGINT, SIGTERM, SIGHUP]

    /// From now on these signals wait until ``signal`` is read; threads that start later inherit that.
    ///
    /// A signal that the parent process ignored, as nohup(1) does with SIGHUP, stays ignored: blocked, it
    /// would be pending.
    static func hold() {
        let signals = endings.filter { number in
            var action = sigaction()
            return sigaction(number, nil, &action) == 0
                && unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
                    != unsafeBitCast(SIG_IGN, to: Int.self)
        }
        setMask(SIG_BLOCK, signals)
        held.store(true, ordering: .relaxed)
    }

    /// Lets a pending signal other than SIGINT end the process, as its parent process expects.
    static func release() { setMask(SIG_UNBLOCK, endings.filter { $0 != SIGINT }) }

    private static func setMask(_ how: CInt, _ numbers: [CInt]) {
        var signals = sigset_t()
        sigemptyset(&signals)
        for number in numbers { sigaddset(&signals, number) }
        pthread_sigmask(how, &signals, nil)
    }

    static var isHeld: Bool { held.load(ordering: .relaxed) }

    /// The signal that arrived since ``hold()``.
    static var signal: CInt? {
        guard isHeld else { return nil }
        var signals = sigset_t()
        sigemptyset(&signals)
        sigpending(&signals)
        return endings.first { sigismember(&signals, $0) == 1 }
    }

    static var isThere: Bool { signal != nil }
}
