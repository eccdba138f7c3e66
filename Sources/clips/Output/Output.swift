import Glibc
import Platform
import Synchronization
import Terminal

/// A buffered writer on a descriptor.
///
/// A closed pipe ends the program as SIGPIPE does, even if that signal is ignored; a full disk is an error.
final class Output: Sendable {
    static let standardError = Output(descriptor: STDERR_FILENO, limit: 0)

    let descriptor: CInt
    private let limit: Int
    private let state = Mutex(State())

    private struct State {
        var buffer: [UInt8] = []
        /// The first error, after which nothing is written: it would be at the wrong position.
        var failure: Errno?
        var isReported = false
        var survivesReader = false
    }

    init(descriptor: CInt = STDOUT_FILENO, limit: Int = 1 << 16) {
        self.descriptor = descriptor
        self.limit = limit
    }

    var isTerminal: Bool { isatty(descriptor) == 1 }

    func line(_ text: String) { write(text + "\n") }

    /// Writes a message on one line. It may contain untrusted text: paths, names, and errors of SQLite.
    func sentence(_ text: String) { line(SafeText.line(text)) }

    func write(_ text: String) { write(text.utf8) }

    func write(_ bytes: some Collection<UInt8>) {
        state.withLock { state in
            state.buffer.append(contentsOf: bytes)
            if state.buffer.count > limit { flush(&state) }
        }
    }

    /// Writes the buffer.
    ///
    /// - Throws: Once, the first error of any write.
    func flush() throws(OutputError) {
        let failure = state.withLock { state in
            flush(&state)
            defer { state.isReported = state.failure != nil }
            return state.isReported ? nil : state.failure
        }
        if let failure { throw OutputError(failure) }
    }

    /// From now on, a closed pipe is an error like any other, because work remains to be finished or
    /// reported.
    func surviveReader() {
        signal(SIGPIPE, SIG_IGN)
        state.withLock { $0.survivesReader = true }
    }

    /// Ends the program as SIGPIPE does, even if that signal is ignored.
    static func endAsByBrokenPipe() {
        signal(SIGPIPE, SIG_DFL)
        raise(SIGPIPE)
    }

    private func flush(_ state: inout State) {
        defer { state.buffer.removeAll(keepingCapacity: true) }
        guard state.failure == nil, !state.buffer.isEmpty else { return }
        do throws(Errno) {
            try DescriptorIO.write(state.buffer, to: descriptor)
        } catch {
            state.failure = error
            if error.code == EPIPE && !state.survivesReader { Self.endAsByBrokenPipe() }
        }
    }
}

struct OutputError: Error, CustomStringConvertible {
    let reason: Errno

    init(_ reason: Errno) { self.reason = reason }

    var description: String { "The output cannot be written: \(reason)." }
}
