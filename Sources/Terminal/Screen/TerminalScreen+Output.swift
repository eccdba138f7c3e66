import Glibc
import Platform

extension TerminalScreen {
    /// Shows the output of a program that ran on the terminal until a key is pressed.
    ///
    /// Returns at a signal, too, which the event loop then reads. The terminal must have been released by ``leave()``.
    ///
    /// - Parameter prompt: The line below the output.
    package func holdOutput(_ prompt: String) {
        guard !isHeadless else { return }
        let terminal = descriptor.input
        var modes = termios()
        guard tcgetattr(terminal, &modes) == 0 else { return }
        var raw = modes
        raw.c_lflag &= ~tcflag_t(ICANON | ECHO | ISIG)
        // Keys typed for the program are not an answer.
        tcsetattr(terminal, TCSAFLUSH, &raw)
        defer { tcsetattr(terminal, TCSAFLUSH, &modes) }
        // Begins a line of its own: at its end, the first space wraps (as zsh marks a partial line).
        let spaces = String(repeating: " ", count: max(0, size.columns - 1))
        _ = descriptor.write(" \(spaces)\r\u{1B}[K\u{1B}[7m \(SafeText.line(prompt)) \u{1B}[0m")
        let ready = DescriptorIO.poll([terminal, signals], for: nil)
        _ = descriptor.write("\r\u{1B}[K")
        // The rest of a key of several bytes is discarded with it.
        if ready[0].hasEvent { _ = try? DescriptorIO.readAvailable(terminal, limit: 4096) }
    }
}
