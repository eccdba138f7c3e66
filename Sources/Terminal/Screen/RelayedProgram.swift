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
    /// Whether the program shows its output itself, as a menu does. What is written before and after a pager that
    /// has the whole screen is output.
    package var showsOutput: Bool { readsKeys && !PlainOutput.hasOtherScreen(output) }

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
                break
            }
            guard terminal_is_ending() == 0, screen?.relayKeys(ready[1].hasEvent, to: pty) != false else {
                // The next event of the app is the same signal, or the end of the terminal.
                kill(-child, SIGTERM)
                break
            }
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
                output.removeFirst(output.count - Self.maxOutput)
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

    /// Passes the keys and the size. Returns false if the terminal has ended.
    fileprivate func relayKeys(_ isReady: Bool, to pty: CInt) -> Bool {
        var (rows, columns): (CInt, CInt) = (0, 0)
        if terminal_size(number, &rows, &columns) == 0 { terminal_pty_resize(pty, rows, columns) }
        guard isReady else { return true }
        guard let keys = try? DescriptorIO.readAvailable(number, limit: 4096), !keys.isEmpty else {
            return false
        }
        var modes = termios()
        let stops = tcgetattr(pty, &modes) == 0 && modes.c_lflag & tcflag_t(ISIG) != 0
        // A session without a shell is not stopped by ^Z, so this process stops it.
        guard stops, let stop = keys.firstIndex(of: 0x1A) else {
            DescriptorIO.writeAvailable(keys, to: pty)
            return true
        }
        DescriptorIO.writeAvailable(Array(keys[..<stop]), to: pty)
        let group = tcgetpgrp(pty)
        // After the program has exited, there is no group; 0 would be that of this process.
        guard group > 0 else { return true }
        kill(-group, SIGSTOP)
        restore()
        terminal_stop()
        begin()
        kill(-group, SIGCONT)
        DescriptorIO.writeAvailable(Array(keys[(stop + 1)...]), to: pty)
        return true
    }
}
