import Glibc

/// ^C that ends work between two steps, and not in the middle of one.
enum PendingInterrupt {
    /// From now on ^C waits to be asked for; threads that start later inherit that.
    static func hold() {
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGINT)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
    }

    static var isThere: Bool {
        var signals = sigset_t()
        sigemptyset(&signals)
        sigpending(&signals)
        return sigismember(&signals, SIGINT) == 1
    }
}
