import Glibc
import Platform
import Terminal

/// The output of a program that ran without input, bounded in size and time.
struct ChildOutput {
    enum Ending: Equatable {
        case exited(CInt)
        /// Killed by this process: it wrote or took more than it may, or the caller was interrupted.
        case tooLong, timedOut, interrupted
        case notStarted
    }

    private(set) var ending = Ending.notStarted
    private(set) var bytes: [UInt8] = []
    /// The beginning of standard error.
    private(set) var errors: [UInt8] = []

    private static let maxErrors = 1 << 12

    /// Runs a program to its end, in its own session, without a shell.
    ///
    /// - Parameter isInterrupted: A closure checked ten times per second; true ends the program.
    init(of words: [String], limit: Int, timeout: Duration, isInterrupted: () -> Bool) {
        guard let output = try? Pipe.makeEnds() else { return }
        defer { close(output.reader) }
        guard let errors = try? Pipe.makeEnds() else {
            close(output.writer)
            return
        }
        defer { close(errors.reader) }
        let child = ChildProcess.start(
            words, streams: [0: nil, 1: output.writer, 2: errors.writer], isSession: true)
        close(output.writer)
        close(errors.writer)
        guard let child else { return }
        let end = descriptor(ofChild: child)
        defer { if let end { close(end) } }
        let reason = read(output.reader, errors.reader, until: end, limit, .now + timeout, isInterrupted)
        if reason != nil { kill(-child, SIGKILL) }
        let status = try? ChildStatus.wait(for: child)
        ending = reason ?? .exited(status?.exitStatus ?? 0)
    }

    /// Reads until the program ends, and returns the reason for killing it, if any.
    private mutating func read(
        _ output: CInt, _ errors: CInt, until end: CInt?, _ limit: Int, _ deadline: ContinuousClock.Instant,
        _ isInterrupted: () -> Bool
    ) -> Ending? {
        var open = [output, errors]
        while true {
            guard !isInterrupted() else { return .interrupted }
            let left = deadline - .now
            guard left > .zero else { return .timedOut }
            let ready = DescriptorIO.poll(open + [end ?? -1], for: min(left, .milliseconds(100)))
            for (index, state) in ready.prefix(2).enumerated() where state.hasEvent {
                guard let piece = try? DescriptorIO.readAvailable(open[index], limit: 1 << 16), !piece.isEmpty
                else {
                    open[index] = -1
                    continue
                }
                if index == 0 {
                    bytes += piece
                } else {
                    self.errors += piece.prefix(Self.maxErrors - self.errors.count)
                }
            }
            guard bytes.count <= limit else { return .tooLong }
            let hasEnded = end == nil ? open == [-1, -1] : ready[2].hasEvent
            if hasEnded && !ready.prefix(2).contains(where: \.hasEvent) { return nil }
        }
    }
}
