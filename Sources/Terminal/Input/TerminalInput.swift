import CTerminal
import Glibc

/// The waiting step of the event loop: keys, signals, sizes, and the caller's descriptors.
///
/// Reads the terminal directly, not through ncurses, so that no input is in a buffer that `poll` cannot see.
package struct TerminalInput: ~Copyable {
    private let terminal: CInt
    private let signals: CInt
    private var decoder = KeyDecoder()
    private var silentSince = ContinuousClock.now
    private var isLost = false

    /// The size of a read. Reads stop after `maxBytes` in total, so that the caller runs.
    private static let chunk = 1 << 16
    private static let maxBytes = 1 << 20

    /// Creates the input of a screen, which must outlive it.
    package init(_ screen: TerminalScreen) {
        self.init(terminal: screen.signals < 0 ? -1 : screen.descriptor.input, signals: screen.signals)
    }

    /// Creates an input from descriptors; one of -1 is never ready.
    package init(terminal: CInt, signals: CInt = -1) {
        self.terminal = terminal
        self.signals = signals
    }

    /// Waits for events, until the timeout or indefinitely, and returns all of them.
    package mutating func next(
        timeout milliseconds: Int?, alsoWaitingFor descriptors: [CInt] = []
    ) -> [TerminalEvent] {
        let deadline = milliseconds.map { ContinuousClock.now + .milliseconds($0) }
        while true {
            let patience = decoder.patience.map { silentSince + .milliseconds($0) }
            var polled = [isLost ? -1 : terminal, signals].map {
                pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
            }
            polled += descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            _ = poll(&polled, nfds_t(polled.count), Self.milliseconds(until: [deadline, patience]))

            var events: [TerminalEvent] = []
            if polled[1].revents != 0 { readSignals(into: &events) }
            if polled[0].revents != 0 { readTerminal(polled[0].revents, into: &events) }
            if let patience, decoder.patience != nil, events.isEmpty, patience <= .now {
                events += decoder.flush().map { .key($0) }
            }
            events += polled[2...].filter { $0.revents != 0 }.map { .readable($0.fd) }
            if !events.isEmpty { return events }
            if let deadline, deadline <= .now { return [.timedOut] }
        }
    }

    private static func milliseconds(until moments: [ContinuousClock.Instant?]) -> CInt {
        guard let first = moments.compactMap({ $0 }).min() else { return -1 }
        let left = ContinuousClock.now.duration(to: first) / .milliseconds(1)
        return CInt(max(0, min(left.rounded(.up), 1_000_000_000)))
    }

    private mutating func readSignals(into events: inout [TerminalEvent]) {
        var numbers: [UInt8] = Array(repeating: 0, count: 256)
        var reported: Set<UInt8> = []
        while true {
            let count = read(signals, &numbers, numbers.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return }
            for number in numbers.prefix(count) where reported.insert(number).inserted {
                if CInt(number) == SIGWINCH {
                    if let size = terminalSize { events.append(.resized(size)) }
                } else if let signal = TerminalSignal(number: CInt(number)) {
                    events.append(.signal(signal))
                }
            }
        }
    }

    private var terminalSize: Size? {
        var rows: CInt = 0
        var columns: CInt = 0
        guard terminal_size(terminal, &rows, &columns) == 0 else { return nil }
        let limit = TerminalScreen.largestSize
        return Size(rows: min(Int(rows), limit.rows), columns: min(Int(columns), limit.columns))
    }

    /// Reads the terminal. Polls before each read: the shell shares the descriptor, so it must not become
    /// non-blocking.
    private mutating func readTerminal(_ ready: Int16, into events: inout [TerminalEvent]) {
        var bytes: [UInt8] = Array(repeating: 0, count: Self.chunk)
        var total = 0
        var polled = pollfd(fd: terminal, events: Int16(POLLIN), revents: ready)
        repeat {
            guard polled.revents & Int16(POLLIN) != 0 else { return lose(into: &events) }
            let count = read(terminal, &bytes, bytes.count)
            if count > 0 {
                total += count
                silentSince = .now
                events += decoder.decode(bytes.prefix(count)).map { .key($0) }
            } else if count == 0 || (errno != EINTR && errno != EAGAIN) {
                return lose(into: &events)
            }
            polled.revents = 0
        } while total < Self.maxBytes && poll(&polled, 1, 0) > 0
    }

    private mutating func lose(into events: inout [TerminalEvent]) {
        isLost = true
        events.append(.hangup)
    }
}
