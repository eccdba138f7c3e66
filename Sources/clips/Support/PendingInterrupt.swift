import Glibc
import Synchronization

/// SIGINT, SIGTERM, and SIGHUP, held so that work ends between two steps, and not in the middle of one.
enum PendingInterrupt {
    private static let held = Atomic<Bool>(false)
    private static let endings = [SIGINT, SIGTERM, SIGHUP]

    /// From now on these signals wait until ``signal`` is read; threads that start later inherit that. One that the
    /// parent process ignored, as nohup(1) does with SIGHUP, stays ignored: blocked, it would count as pending.
    static func hold() {
        var signals = sigset_t()
        sigemptyset(&signals)
        for number in endings {
            var action = sigaction()
            guard sigaction(number, nil, &action) == 0 else { continue }
            let isIgnored =
                unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
                == unsafeBitCast(SIG_IGN, to: Int.self)
            if !isIgnored { sigaddset(&signals, number) }
        }
        pthread_sigmask(SIG_BLOCK, &signals, nil)
        held.store(true, ordering: .relaxed)
    }

    /// Lets a request to end that is not ^C end the process, as its parent expects.
    static func release() {
        var signals = sigset_t()
        sigemptyset(&signals)
        for number in endings where number != SIGINT { sigaddset(&signals, number) }
        pthread_sigmask(SIG_UNBLOCK, &signals, nil)
    }

    static var isHeld: Bool { held.load(ordering: .relaxed) }

    /// The signal that came since ``hold()``.
    static var signal: CInt? {
        guard isHeld else { return nil }
        var signals = sigset_t()
        sigemptyset(&signals)
        sigpending(&signals)
        return endings.first { sigismember(&signals, $0) == 1 }
    }

    static var isThere: Bool { signal != nil }
}
