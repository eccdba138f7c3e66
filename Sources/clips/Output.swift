import Glibc
import Synchronization
import Terminal

/// Buffered writing to a descriptor.
///
/// A reader that went away ends the program as SIGPIPE does, also when that signal is ignored; a full disk is an
/// error that names itself.
final class Output: Sendable {
    static let standardError = Output(descriptor: STDERR_FILENO, limit: 0)

    private let descriptor: CInt
    private let limit: Int
    private let buffer = Mutex<[UInt8]>([])

    init(descriptor: CInt = STDOUT_FILENO, limit: Int = 1 << 16) {
        self.descriptor = descriptor
        self.limit = limit
    }

    var isTerminal: Bool { isatty(descriptor) == 1 }

    func line(_ text: String) { write(text + "\n") }

    /// A sentence for a person, on one line. Paths, names and what SQLite says of a stranger's file stand in it.
    func sentence(_ text: String) { line(SafeText.line(text)) }

    func write(_ text: String) {
        buffer.withLock { $0.append(contentsOf: text.utf8) }
        let isFull = buffer.withLock { $0.count > limit }
        if isFull { _ = flushed() }
    }

    /// Writes what is left; throws when it cannot be written.
    func flush() throws {
        if let code = flushed() { throw OutputError(code: code) }
    }

    private static func endAsByBrokenPipe() {
        signal(SIGPIPE, SIG_DFL)
        raise(SIGPIPE)
    }

    private func flushed() -> CInt? {
        buffer.withLock { buffer in
            var start = 0
            defer { buffer.removeAll(keepingCapacity: true) }
            while start < buffer.count {
                let count = buffer.withUnsafeBytes { bytes in
                    Glibc.write(descriptor, bytes.baseAddress?.advanced(by: start), bytes.count - start)
                }
                if count < 0 && errno == EINTR { continue }
                guard count > 0 else {
                    if errno == EPIPE { Self.endAsByBrokenPipe() }
                    return errno
                }
                start += count
            }
            return nil
        }
    }
}

struct OutputError: Error, CustomStringConvertible {
    let code: CInt
    var description: String { "The output cannot be written: \(String(cString: strerror(code)))." }
}
