#if canImport(Musl)
package import Musl
#else
package import Glibc
#endif

/// The status of a child process, as waitpid(2) returns it.
package struct ChildStatus: Hashable, Sendable {
    package let value: CInt

    /// Waits for a child.
    ///
    /// - Parameter options: `WNOHANG` returns nil if the child has not exited; `WUNTRACED` also returns when
    ///   the child stops.
    /// - Throws: `ECHILD` if there is no such child.
    package static func wait(for child: pid_t, options: CInt = 0) throws(Errno) -> ChildStatus? {
        var value: CInt = 0
        while true {
            let found = waitpid(child, &value, options)
            if found >= 0 { return found == 0 ? nil : ChildStatus(value: value) }
            guard Errno.last.code == EINTR else { throw .last }
        }
    }

    /// Whether the child is stopped (WIFSTOPPED).
    package var isStopped: Bool { value & 0xFF == 0x7F }

    /// The exit status; 128 plus the signal's number if a signal ended the child.
    package var exitStatus: CInt { value & 0x7F == 0 ? value >> 8 & 0xFF : 128 + value & 0x7F }
}
