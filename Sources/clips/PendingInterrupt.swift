import Glibc

/// Signals that end work between two steps, and not in the middle of one.
enum PendingInterrupt {
    private static let all = [SIGINT, SIGTERM, SIGHUP]

    private static var set: sigset_t {
        var signals = sigset_t()
        sigemptyset(&signals)
        for signal in all { sigaddset(&signals, signal) }
        return signals
    }

    /// From now on these signals wait until they are read; threads that start later inherit that.
    static func hold() {
        var signals = set
        pthread_sigmask(SIG_BLOCK, &signals, nil)
    }

    /// Lets a request to end that is not ^C end the process, as its parent expects.
    static func release() {
        var signals = set
        sigdelset(&signals, SIGINT)
        pthread_sigmask(SIG_UNBLOCK, &signals, nil)
    }

    static var isThere: Bool {
        var signals = sigset_t()
        sigemptyset(&signals)
        sigpending(&signals)
        return all.contains { sigismember(&signals, $0) == 1 }
    }
}
