import Glibc

/// Receives what a tracker has to say. Messages never contain what the store contains.
public protocol TrackingLogger: Sendable {
    func log(_ type: LogType, _ message: String)
}

/// How serious a message is.
public enum LogType: String, Hashable, Sendable {
    case debug
    case info
    case notice
    case error
    case fault
}

/// Which messages come through.
public enum LogLevel: Int, Comparable, Hashable, Sendable {
    case off = 0
    /// Start, stop, recovery and errors.
    case important = 1
    /// Every pass.
    case detail = 2

    public static func < (left: LogLevel, right: LogLevel) -> Bool { left.rawValue < right.rawValue }
}

/// Writes messages to standard error, a line each.
public struct StandardErrorLogger: TrackingLogger {
    public init() {}

    public func log(_ type: LogType, _ message: String) {
        let line = Array("[\(type.rawValue)] \(message)\n".utf8)
        _ = write(STDERR_FILENO, line, line.count)
    }
}

/// Says nothing.
public struct SilentLogger: TrackingLogger {
    public init() {}
    public func log(_ type: LogType, _ message: String) {}
}
