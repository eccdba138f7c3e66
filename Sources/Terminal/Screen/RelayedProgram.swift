import CTerminal
import Glibc
import Platform

/// A program that ran on a terminal of its own: its output went to the screen and was recorded, and it got the keys.
///
/// With a pipe, a program would not ask, color, or edit as it does on a terminal.
package struct RelayedProgram {
    /// The exit status, or 128 plus the signal number; nil if the program could not be started.
    package private(set) var status: Int32?
    /// The newest output and errors, at least of ``maxOutput`` bytes.
    package private(set) var output: [UInt8] = []
    /// Whether older output was discarded.
    package private(set) var isCut = false
    /// Whether the program read single keys.
    private var readsKeys = false
    /// The keys that it read last as single ones, and the size of the output before them.
    private var last: (keys: [UInt8], offset: Int)?
    /// The output that remains to be read: none of a program that a key ended, as a pager, and not what a menu draws.
    /// ``PlainOutput`` omits what a program shows on the whole screen.
    package var lastingOutput: [UInt8] {
        guard readsKeys, !PlainOutput.hasOtherScreen(output) else { return output }
        if let last {
            var rest = output[last.offset...]
            if rest.starts(with: last.keys) { rest = rest.dropFirst(last.keys.count) }
            if PlainOutput.text(Array(rest)).allSatisfy(\.isWhitespace) { return [] }
        }
        return PlainOutput.aroundMoves(output)
    }

    package static let maxOutput = 1 << 22
    /// The bytes read together.
    private static let step = 1 << 16

    /// Runs a program to its end.
    ///
    /// - Parameters:
    ///   - input: The text on standard input; nil for the keys.
    ///   - size: The size of the screen. The terminal, if any, must have been released by ``TerminalScreen/leave()``.
    package init(_ words: [String], input: String? = nil, size: Size, hasTerminal: Bool) {
        let screen = hasTerminal ? ControllingTerminal() : nil
        let pty = terminal_pty_open(screen?.number ?? -1, CInt(size.rows), CInt(size.columns))
        guard pty >= 0 else { return }
        defer { close(pty) }
        // At the end of a session, the kernel hangs up what the program left in the background, such as a browser.
        let child = ChildProcess.start(words, input: input, isSession: true, survivesHangUp: true) {
            _ = terminal_pty_use($0, pty, input == nil ? 1 : 0)
        }
        guard let child else { return }
        let end = descriptor(ofChild: child)
        defer { if let end { close(end) } }
        screen?.begin()
        defer { screen?.restore() }
        var isOpen = true
        while true {
            // Without a process that has it open, it would always be ready.
            let ready = DescriptorIO.poll(
                [isOpen ? pty : -1, screen?.number ?? -1, end ?? -1], for: .milliseconds(100))
            let hasEnded: ChildStatus?
            do {
                hasEnded = try ChildStatus.wait(for: child, options: WNOHANG)
            } catch {
                return
            }
            // After its end, everything that it wrote is there.
            isOpen = relay(pty, to: screen?.number, isLast: hasEnded != nil)
            if let hasEnded {
                status = hasEnded.exitStatus
                // What the shell writes later begins a line.
                let line = output.suffix(Self.step).split(separator: 0x0A, omittingEmptySubsequences: false)
                    .last
                if let screen, let line, !PlainOutput.text(Array(line)).isEmpty {
                    try? DescriptorIO.write([0x0D, 0x0A], to: screen.number)
                }
                break
            }
            let keys = screen.map { $0.relayKeys(ready[1].hasEvent, to: pty) } ?? []
            guard terminal_is_ending() == 0, let keys else {
                // The next event of the app is the same signal, or the end of the terminal.
                kill(-child, SIGTERM)
                break
            }
            if readsKeys, !keys.isEmpty { last = (keys, output.count) }
        }
    }

    /// Reads the output: what there is now, or one step of it. Returns whether a process has the terminal open.
    private mutating func relay(_ pty: CInt, to screen: CInt?, isLast: Bool) -> Bool {
        var modes = termios()
        if !isLast, tcgetattr(pty, &modes) == 0, modes.c_lflag & tcflag_t(ICANON) == 0 { readsKeys = true }
        // A program in the background may write without end.
        for _ in 0..<(isLast ? 16 : 1) {
            let bytes: [UInt8]
            do {
                guard let read = try DescriptorIO.readAvailable(pty, limit: Self.step) else { return true }
                bytes = read
            } catch {
                return false
            }
            output += bytes
            if output.count > 2 * Self.maxOutput {
                // The rest begins with a line, unless that is very long.
                let least = output.count - Self.maxOutput - Self.step
                let line = output[least...].prefix(Self.step).firstIndex(of: UInt8(ascii: "\n"))
                let excess = line.map { $0 + 1 } ?? least
                output.removeFirst(excess)
                if let keys = last { last = (keys.keys, max(0, keys.offset - excess)) }
                isCut = true
            }
            if let screen { try? DescriptorIO.write(bytes, to: screen) }
        }
        return true
    }
}

/// Passing the keys of this process's terminal to another one.
extension ControllingTerminal {
    /// Begins to pass all keys, also those that would signal this process.
    fileprivate func begin() {
        var raw = modes
        cfmakeraw(&raw)
        tcsetattr(number, TCSADRAIN, &raw)
    }

    fileprivate func restore() {
        var modes = modes
        // Keys typed for the program are not for this one.
        tcsetattr(number, TCSAFLUSH, &modes)
    }

    /// Passes the keys and the size. Returns the keys; nil if the terminal has ended.
    fileprivate func relayKeys(_ isReady: Bool, to pty: CInt) -> [UInt8]? {
        var (rows, columns): (CInt, CInt) = (0, 0)
        if terminal_size(number, &rows, &columns) == 0 { terminal_pty_resize(pty, rows, columns) }
        guard isReady else { return [] }
        guard let keys = try? DescriptorIO.readAvailable(number, limit: 4096), !keys.isEmpty else {
            return nil
        }
        var modes = termios()
        let stops = tcgetattr(pty, &modes) == 0 && modes.c_lflag & tcflag_t(ISIG) != 0
        // A session without a shell is not stopped by ^Z, so this process stops it.
        guard stops, let stop = keys.firstIndex(of: 0x1A) else {
            DescriptorIO.writeAvailable(keys, to: pty)
            return keys
        }
        DescriptorIO.writeAvailable(Array(keys[..<stop]), to: pty)
        let group = tcgetpgrp(pty)
        // After the program has exited, there is no group; 0 would be that of this process.
        guard group > 0 else { return keys }
        kill(-group, SIGSTOP)
        restore()
        terminal_stop()
        begin()
        kill(-group, SIGCONT)
        DescriptorIO.writeAvailable(Array(keys[(stop + 1)...]), to: pty)
        return keys
    }
}
