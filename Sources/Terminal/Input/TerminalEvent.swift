import Glibc

/// An event of the event loop.
package enum TerminalEvent: Hashable, Sendable {
    case key(Key)
    case report(TerminalReport)
    case resized(Size)
    case signal(TerminalSignal)
    /// One of the caller's descriptors has something to read, or its other end is closed.
    case readable(CInt)
    /// The terminal was closed and will send nothing more. Reported once.
    case hangup
    case timedOut
}

package enum TerminalSignal: Hashable, Sendable {
    case terminate, hangup, interrupt, suspend, continued

    init?(number: CInt) {
        switch number {
        case SIGTERM: self = .terminate
        case SIGHUP: self = .hangup
        case SIGINT: self = .interrupt
        case SIGTSTP: self = .suspend
        case SIGCONT: self = .continued
        default: return nil
        }
    }
}
