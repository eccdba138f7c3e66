import Glibc

/// A system call that failed.
package struct SystemError: Error, Sendable, CustomStringConvertible {
    package let call: String
    package let code: CInt

    package init(call: String, code: CInt) {
        self.call = call
        self.code = code
    }

    package var description: String { "\(call): \(String(cString: strerror(code)))" }
}
