import Glibc
import Synchronization
import Terminal

/// Buffered writing to a descriptor.
///
/// A reader that went away ends the program as SIGPIPE does, also when that signal is ignored; a full disk is an
/// error that names itself.
final class Output: Sendable {
    static let standardError = Output(descriptor: STDERR_FILENO, limit: 0)

    let descriptor: CInt
    private let limit: Int
    private let state = Mutex(State())

    private struct State {
        var buffer: [UInt8] = []
        /// What went wrong first: what follows it would stand in the wrong place.
        var failure: CInt?
    }

    init(descriptor: CInt = STDOUT_FILENO, limit: Int = 1 << 16) {
        self.descriptor = descriptor
        self.limit = limit
    }

    var isTerminal: Bool { isatty(descriptor) == 1 }

    func line(_ text: String) { write(text + "\n") }

    /// A sentence for a person, on one line. Paths, names and what SQLite says of a stranger's file stand in it.
    func sentence(_ text: String) { line(SafeText.line(text)) }

    func write(_ text: String) {
        state.withLock { state in
            state.buffer.append(contentsOf: text.utf8)
            if state.buffer.count > limit { flush(&state) }
        }
    }

    /// Writes what is left; throws when that, or anything before it, cannot be written.
    func flush() throws {
        let failure = state.withLock { state in
            flush(&state)
            return state.failure
        }
        if let failure { throw OutputError(code: failure) }
    }

    /// As SIGPIPE does, even when that signal is ignored.
    static func endAsByBrokenPipe() {
        signal(SIGPIPE, SIG_DFL)
        raise(SIGPIPE)
    }

    private func flush(_ state: inout State) {
        defer { state.buffer.removeAll(keepingCapacity: true) }
        guard state.failure == nil else { return }
        var start = 0
        while start < state.buffer.count {
            let count = state.buffer.withUnsafeBytes { bytes in
                Glibc.write(descriptor, bytes.baseAddress?.advanced(by: start), bytes.count - start)
            }
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else {
                state.failure = errno
                if errno == EPIPE { Self.endAsByBrokenPipe() }
                return
            }
            start += count
        }
    }
}

struct OutputError: Error, CustomStringConvertible {
    let code: CInt
    var description: String { "The output cannot be written: \(String(cString: strerror(code)))." }
}
