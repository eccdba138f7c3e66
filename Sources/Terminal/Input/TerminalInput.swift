import CTerminal
import Glibc
import Platform

/// The waiting step of the event loop: keys, signals, sizes, and the caller's descriptors.
///
/// Reads the terminal directly, not through ncurses, so that no input is in a buffer that `poll` cannot see.
package struct TerminalInput: ~Copyable {
    private let terminal: CInt
    private let signals: CInt
    private var decoder = KeyDecoder()
    private var silentSince = ContinuousClock.now
    private var isLost = false
    private var reportsUntil = ContinuousClock.now
    /// The time until which text continues a paste without brackets.
    private var pasteUntil = ContinuousClock.now

    /// The size of a read. Reads stop after `maxBytes` in total, or `maxEvents`, so that the caller draws and gets
    /// signals during a flood of keys, such as a paste without brackets.
    private static let chunk = 1 << 10
    private static let maxBytes = 1 << 16
    private static let maxEvents = 1_000
    /// More characters than a user types between two reads.
    private static let minPaste = 256
    /// More different characters than keys have that are held down.
    private static let minLetters = 10

    /// Creates the input of a screen, which must outlive it.
    package init(_ screen: TerminalScreen) {
        self.init(terminal: screen.signals < 0 ? -1 : screen.descriptor.input, signals: screen.signals)
    }

    /// Creates an input from descriptors; one of -1 is never ready.
    package init(terminal: CInt, signals: CInt = -1) {
        self.terminal = terminal
        self.signals = signals
    }

    /// Expects the answers to a question of the screen, for at most a second.
    package mutating func expectReports() {
        decoder.expectsReport = true
        reportsUntil = .now + .seconds(1)
    }

    /// Waits for events, until the timeout or indefinitely, and returns all of them.
    package mutating func next(
        timeout milliseconds: Int?, alsoWaitingFor descriptors: [CInt] = []
    ) -> [TerminalEvent] {
        let deadline = milliseconds.map { ContinuousClock.now + .milliseconds($0) }
        while true {
            let patience = decoder.patience.map { silentSince + .milliseconds($0) }
            if reportsUntil < .now { decoder.expectsReport = false }
            let polled = DescriptorIO.poll(
                [isLost ? -1 : terminal, signals] + descriptors,
                for: Self.duration(until: [deadline, patience]))

            var events: [TerminalEvent] = []
            if polled[1].hasEvent { readSignals(into: &events) }
            if polled[0].hasEvent { readTerminal(polled[0], into: &events) }
            if let patience, decoder.patience != nil, events.isEmpty, patience <= .now {
                events += decoder.flush().map { .key($0) }
            }
            for (descriptor, ready) in zip(descriptors, polled[2...]) where ready.hasEvent {
                events.append(.readable(descriptor))
            }
            if !events.isEmpty { return joiningPaste(events) }
            if let deadline, deadline <= .now { return [.timedOut] }
        }
    }

    /// Joins the keys of a paste without brackets, as of a console: much text in one read, and what follows at once. As keys,
    /// its lines would be commands, and each letter would be drawn.
    private mutating func joiningPaste(_ events: [TerminalEvent]) -> [TerminalEvent] {
        let characters = events.compactMap(\.pasted)
        let isContinued = pasteUntil > .now && !characters.isEmpty
        let isPaste =
            characters.count >= Self.minPaste
            && (characters.contains("\n") || Set(characters).count >= Self.minLetters)
        guard isContinued || isPaste else { return events }
        pasteUntil = .now + .milliseconds(100)
        var (joined, text): ([TerminalEvent], String) = ([], "")
        for event in events + [.timedOut] {
            if let character = event.pasted {
                text.append(character)
            } else {
                if !text.isEmpty { joined.append(.key(.paste(text))) }
                text = ""
                joined.append(event)
            }
        }
        return joined.dropLast()
    }

    private static func duration(until moments: [ContinuousClock.Instant?]) -> Duration? {
        moments.compactMap { $0 }.min().map { max(.zero, ContinuousClock.now.duration(to: $0)) }
    }

    private mutating func readSignals(into events: inout [TerminalEvent]) {
        var reported: Set<UInt8> = []
        while let numbers = try? DescriptorIO.readAvailable(signals, limit: 256), !numbers.isEmpty {
            for number in numbers where reported.insert(number).inserted {
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
    private mutating func readTerminal(_ ready: DescriptorIO.Readiness, into events: inout [TerminalEvent]) {
        var total = 0
        var ready = ready
        let maxEvents = pasteUntil > .now ? Self.maxBytes : Self.maxEvents
        while total < Self.maxBytes && events.count < maxEvents && ready.hasEvent {
            guard ready.isReadable else { return lose(into: &events) }
            do {
                if let bytes = try DescriptorIO.readAvailable(terminal, limit: Self.chunk) {
                    guard !bytes.isEmpty else { return lose(into: &events) }
                    total += bytes.count
                    silentSince = .now
                    events += decoder.decode(bytes).map { .key($0) }
                    events += decoder.reports.map { .report($0) }
                    if decoder.reports.contains(.attributes) { decoder.expectsReport = false }
                    decoder.reports = []
                }
            } catch {
                return lose(into: &events)
            }
            ready = DescriptorIO.poll([terminal], for: .zero)[0]
        }
    }

    private mutating func lose(into events: inout [TerminalEvent]) {
        isLost = true
        events.append(.hangup)
    }
}

extension TerminalEvent {
    /// The character of a key that a pasted text may have.
    fileprivate var pasted: Character? {
        switch self {
        case .key(.character(let character)): character
        case .key(.enter): "\n"
        case .key(.tab): "\t"
        default: nil
        }
    }
}
