#if canImport(Musl)
import Musl
#else
import Glibc
#endif

/// An error code of the system, and its message (errno(3)).
package struct Errno: Error, Hashable, Sendable, CustomStringConvertible {
    package let code: CInt

    package init(_ code: CInt) { self.code = code }

    /// The error of the last system call of this thread that failed.
    package static var last: Errno { Errno(errno) }

    package var description: String { String(cString: strerror(code)) }

    /// Whether a file of the name exists.
    package var isExisting: Bool { code == EEXIST }

    /// Whether a part of the path is no folder.
    package var isNotFolder: Bool { code == ENOTDIR }

    /// Whether the disk is full, or a file would exceed a limit of its size.
    package var isNoSpace: Bool { [ENOSPC, EDQUOT, EFBIG].contains(code) }
}

/// A system call that failed.
package struct SystemError: Error, Sendable, CustomStringConvertible {
    package let call: String
    package let reason: Errno

    /// Creates the error of the last system call, which was `call`.
    init(lastCall call: String) {
        self.call = call
        reason = .last
    }

    package var description: String { "\(call): \(reason)" }
}
