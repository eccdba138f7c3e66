import CTerminal
import Glibc
import Platform

/// The terminal, drawn through ncurses. Confined to the thread that created it; a process has one at a time.
///
/// The terminal is restored at `exit`, on signals, and on crashes. SIGKILL cannot be caught; run `reset`
/// after it.
package final class TerminalScreen {
    /// A message for the user about the terminal.
    package let note: String?
    package private(set) var colors: ColorCapability
    /// The last copied text, even without a terminal.
    package internal(set) var copied: String?
    package private(set) var isMouseOn: Bool

    let descriptor: TerminalDescriptor
    let signals: CInt
    package let isHeadless: Bool
    private(set) var pinnedSize: Size
    private(set) var shown: Frame?
    private var isAway = false
    private var isClosed = false
    /// The time of the questions that the terminal has not answered.
    var questionTime: ContinuousClock.Instant?

    package static let largestSize = Size(rows: 1_000, columns: Int(TERMINAL_MAX_COLUMNS))

    /// Creates a screen on the terminal of the program.
    package convenience init(colors: ColorCapability.Choice = .auto, mouse: Bool = false)
        throws(TerminalError)
    {
        try self.init(descriptor: .controlling(), headless: nil, colors: colors, mouse: mouse)
    }

    /// Creates an ncurses screen without a terminal; `snapshot` returns its contents.
    package convenience init(headless size: Size, colors: ColorCapability.Choice = .auto)
        throws(TerminalError)
    {
        try self.init(descriptor: .opening("/dev/null"), headless: size, colors: colors, mouse: false)
    }

    private init(
        descriptor: consuming TerminalDescriptor, headless: Size?, colors: ColorCapability.Choice, mouse: Bool
    ) throws(TerminalError) {
        guard terminal_claim() == 1 else { throw .alreadyOpen }
        isHeadless = headless != nil
        isMouseOn = mouse
        do throws(TerminalError) {
            if isHeadless {
                signals = -1
            } else {
                terminal_rescue_arm(descriptor.output)
                // Before newterm: ncurses does not replace existing signal handlers.
                signals = terminal_signals_open()
                guard signals >= 0 else { throw .noSignals(errno: Errno.last.code) }
            }
            let isDirect = isHeadless || colors == .direct || ColorCapability.isDirectByEnvironment
            note = try Self.openCurses(on: descriptor, isHeadless: isHeadless, isDirect: isDirect)
        } catch {
            Self.release()
            throw error
        }
        self.colors = ColorCapability(colors, terminal: Int(terminal_color_count()))
        pinnedSize = headless ?? Size(rows: 24, columns: 80)
        self.descriptor = descriptor
        showModes()
    }

    deinit { close() }

    /// Opens ncurses. An unknown terminal is probably a new one that is compatible with xterm.
    private static func openCurses(
        on descriptor: borrowing TerminalDescriptor, isHeadless: Bool, isDirect: Bool
    ) throws(TerminalError) -> String? {
        let fallback = "xterm-256color"
        let type = isHeadless ? fallback : Environment.variable("TERM") ?? ""
        for candidate in [type, fallback] where !candidate.isEmpty {
            let result = terminal_open(candidate, isDirect ? 1 : 0, descriptor.input, descriptor.output)
            switch Int(result) {
            case TERMINAL_OPENED:
                return candidate == type
                    ? nil
                    : "Unknown terminal type \"\(SafeText.line(type))\"; using \(fallback)."
            case TERMINAL_NO_UTF8: throw .noUTF8
            case TERMINAL_CANNOT_PLACE: throw .cannotPlaceText(type: candidate)
            default: continue
            }
        }
        throw .unknownType(type)
    }

    /// The size of frames to present. Frames of any other size are clipped.
    package var size: Size {
        var rows: CInt = 0
        var columns: CInt = 0
        guard !isHeadless, terminal_size(descriptor.output, &rows, &columns) == 0 else { return pinnedSize }
        return Size(
            rows: min(Int(rows), Self.largestSize.rows), columns: min(Int(columns), Self.largestSize.columns))
    }

    /// Changes the size of a screen without a terminal.
    package func resize(to size: Size) {
        pinnedSize = size
    }

    /// Shows a frame; draws only the differences from the previous one.
    ///
    /// - Parameter scroll: A move of cells since the previous frame, which ncurses then repeats in its memory. A wrong one
    ///   costs time only.
    package func present(_ frame: Frame, after scroll: Scroll? = nil) {
        guard !isClosed, !isAway, frame.size.rows > 0, frame.size.columns > 0 else { return }
        if shown?.size != frame.size {
            terminal_resize(CInt(frame.size.rows), CInt(frame.size.columns))
            // Terminals move text when they are resized, so their contents are unknown.
            if shown != nil { terminal_touch() }
            shown = nil
        }
        draw(frame, over: shown ?? Frame(size: frame.size), after: scroll)
        let cursor = frame.cursor.flatMap { frame.bounds.contains($0) ? $0 : nil }
        terminal_refresh(CInt(cursor?.row ?? -1), CInt(cursor?.column ?? 0))
        shown = frame
    }

    /// Makes the next `present` redraw everything, for a terminal to which another program wrote.
    package func clear() {
        terminal_touch()
    }

    /// Sets the number of colors from the next `present` on.
    package func setColors(_ choice: ColorCapability.Choice) {
        colors = ColorCapability(choice, terminal: Int(terminal_color_count()))
        shown = nil
    }

    package func setMouse(_ isOn: Bool) {
        guard isOn != isMouseOn else { return }
        isMouseOn = isOn
        _ = isHeadless || descriptor.write(isOn ? Self.mouseOn : Self.mouseOff)
    }

    /// Releases the terminal for another program; nothing is shown until `enter`.
    ///
    /// - Parameter clears: Whether the other program begins with an empty screen.
    package func leave(clears: Bool = false) {
        guard !isClosed, !isAway else { return }
        isAway = true
        discardAnswers()
        hideModes()
        terminal_leave()
        if clears { _ = isHeadless || descriptor.write("\u{1B}[H\u{1B}[2J") }
        if !isHeadless { terminal_rescue_disarm() }
    }

    package func enter() {
        guard !isClosed, isAway else { return }
        isAway = false
        if !isHeadless { terminal_rescue_arm(descriptor.output) }
        resume()
    }

    /// Reclaims the terminal after a stop, during which a shell may have changed its modes.
    package func resume() {
        guard !isClosed, !isAway else { return }
        _ = isHeadless || descriptor.write(Self.reset)
        terminal_enter()
        showModes()
    }

    /// Stops the process as ^Z does in other programs; returns when it is continued.
    package func suspend() {
        leave()
        if !isHeadless { terminal_stop() }
        enter()
    }

    /// Releases the terminal permanently and prints the messages that were written to standard error since
    /// `init`.
    package func close() {
        guard !isClosed else { return }
        leave()
        isClosed = true
        Self.release()
    }

    /// Releases everything; each call does nothing if its counterpart did not run.
    private static func release() {
        terminal_close()
        terminal_signals_close()
        terminal_rescue_disarm()
        terminal_unclaim()
    }

    /// Ends a string that another program began, which hides all that follows, and resets its modes (DECSTR).
    private static let reset = "\u{18}\u{1B}\\\u{1B}[!p"
    private static let pasteOn = "\u{1B}[?2004h"
    private static let pasteOff = "\u{1B}[?2004l"
    private static let mouseOn = "\u{1B}[?1000h\u{1B}[?1006h"
    private static let mouseOff = "\u{1B}[?1006l\u{1B}[?1000l"

    private func showModes() {
        _ = isHeadless || descriptor.write(Self.pasteOn + (isMouseOn ? Self.mouseOn : ""))
    }

    private func hideModes() {
        _ = isHeadless || descriptor.write((isMouseOn ? Self.mouseOff : "") + Self.pasteOff)
    }
}
