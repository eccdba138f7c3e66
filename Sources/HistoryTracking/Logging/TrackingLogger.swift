import Platform

#if canImport(Musl)
import Musl
#else
import Glibc
#endif

/// A receiver of a tracker's log messages, which never contain user content.
public protocol TrackingLogger: Sendable {
    func log(_ type: LogType, _ message: String)
}

/// The severity of a message.
public enum LogType: String, Hashable, Sendable {
    case debug
    case info
    case notice
    case error
    case fault
}

/// The detail of the log.
public enum LogLevel: Comparable, Hashable, Sendable {
    case off
    /// Start, stop, recovery, and errors.
    case important
    /// Each cleaning.
    case detail
}

/// A logger that writes each message to standard error as one line.
struct StandardErrorLogger: TrackingLogger {
    func log(_ type: LogType, _ message: String) {
        DescriptorIO.writeAvailable(Array("[\(type.rawValue)] \(message)\n".utf8), to: STDERR_FILENO)
    }
}
