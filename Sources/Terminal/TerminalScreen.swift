import CTerminal
import Glibc

/// The terminal, shown through ncurses. It belongs to the thread that made it; a process has one at a time.
///
/// From the first moment the terminal is brought back at `exit`, on signals and on crashes. SIGKILL cannot be
/// caught; the `reset` command helps then.
package final class TerminalScreen {
    /// Something to tell the person about the terminal.
    package let note: String?
    package private(set) var colors: ColorCapability
    /// The last text copied, also without a terminal.
    package internal(set) var copied: String?
    package private(set) var isMouseOn: Bool

    let descriptor: TerminalDescriptor
    let signals: CInt
    package let isHeadless: Bool
    private(set) var pinnedSize: Size
    private(set) var shown: Frame?
    private var isAway = false
    private var isClosed = false

    package static let largestSize = Size(rows: 1_000, columns: Int(TERMINAL_MOST_COLUMNS))

    /// Takes over the terminal the program was started in.
    package convenience init(colors: ColorCapability.Choice = .auto, mouse: Bool = false)
        throws(TerminalError)
    {
        try self.init(descriptor: .controlling(), headless: nil, colors: colors, mouse: mouse)
    }

    /// A screen of ncurses without a terminal: what it would show is read back with `snapshot`.
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
                // Before newterm: ncurses leaves alone the signals that have a handler.
                signals = terminal_signals_open()
                guard signals >= 0 else { throw .noSignals(errno: errno) }
            }
            note = try Self.openCurses(on: descriptor, isHeadless: isHeadless)
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

    /// An unknown terminal is most likely a new one that understands xterm.
    private static func openCurses(
        on descriptor: borrowing TerminalDescriptor, isHeadless: Bool
    ) throws(TerminalError) -> String? {
        let usual = "xterm-256color"
        let type = isHeadless ? usual : getenv("TERM").map { String(cString: $0) } ?? ""
        for candidate in [type, usual] where !candidate.isEmpty {
            switch Int(terminal_open(candidate, descriptor.input, descriptor.output)) {
            case TERMINAL_OPENED:
                return candidate == type
                    ? nil
                    : "The terminal type \"\(SafeText.line(type))\" is unknown here; \(usual) is assumed."
            case TERMINAL_NO_UTF8: throw .noUTF8
            case TERMINAL_CANNOT_PLACE: throw .cannotPlaceText(type: candidate)
            default: continue
            }
        }
        throw .unknownType(type)
    }

    /// How large a frame to present. Frames of any other size are shown as well as they fit.
    package var size: Size {
        var rows: CInt = 0
        var columns: CInt = 0
        guard !isHeadless, terminal_size(descriptor.output, &rows, &columns) == 0 else { return pinnedSize }
        return Size(
            rows: min(Int(rows), Self.largestSize.rows), columns: min(Int(columns), Self.largestSize.columns))
    }

    /// Gives a screen without a terminal another size.
    package func resize(to size: Size) {
        pinnedSize = size
    }

    /// Shows the frame, drawing what differs from the one before.
    package func present(_ frame: Frame) {
        guard !isClosed, !isAway, frame.size.rows > 0, frame.size.columns > 0 else { return }
        if shown?.size != frame.size {
            terminal_resize(CInt(frame.size.rows), CInt(frame.size.columns))
            // Terminals move text about when they are resized, so nothing on them is known.
            if shown != nil { terminal_touch() }
            shown = nil
        }
        draw(frame, over: shown ?? Frame(size: frame.size))
        let cursor = frame.cursor.flatMap { frame.bounds.contains($0) ? $0 : nil }
        terminal_refresh(CInt(cursor?.row ?? -1), CInt(cursor?.column ?? 0))
        shown = frame
    }

    /// Draws everything anew at the next `present`, for a terminal that something else wrote on.
    package func clear() {
        terminal_touch()
    }

    /// Shows so many colours from the next `present` on.
    package func setColors(_ choice: ColorCapability.Choice) {
        colors = ColorCapability(choice, terminal: Int(terminal_color_count()))
        shown = nil
    }

    package func setMouse(_ isOn: Bool) {
        guard isOn != isMouseOn else { return }
        isMouseOn = isOn
        _ = isHeadless || descriptor.write(isOn ? Self.mouseOn : Self.mouseOff)
    }

    /// Hands the terminal back, for another program to run on it; nothing is shown until `enter` takes it again.
    package func leave() {
        guard !isClosed, !isAway else { return }
        isAway = true
        hideModes()
        terminal_leave()
        guard !isHeadless else { return }
        terminal_signals_ignore_interrupt(1)
        terminal_rescue_disarm()
    }

    package func enter() {
        guard !isClosed, isAway else { return }
        isAway = false
        if !isHeadless {
            terminal_rescue_arm(descriptor.output)
            terminal_signals_ignore_interrupt(0)
        }
        resume()
    }

    /// Takes back a terminal whose modes a shell may have changed while the process was stopped.
    package func resume() {
        guard !isClosed, !isAway else { return }
        terminal_enter()
        showModes()
    }

    /// Stops the process as ^Z does elsewhere; returns when it is continued.
    package func suspend() {
        leave()
        if !isHeadless { terminal_stop() }
        enter()
    }

    /// Hands the terminal back for good, and prints what was written to standard error meanwhile.
    package func close() {
        guard !isClosed else { return }
        leave()
        isClosed = true
        Self.release()
    }

    /// Each does nothing if what it undoes was not done.
    private static func release() {
        terminal_close()
        terminal_signals_close()
        terminal_rescue_disarm()
        terminal_unclaim()
    }

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
