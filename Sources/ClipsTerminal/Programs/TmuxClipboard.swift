import Glibc
import Platform

/// The clipboard of the tmux that the program runs in, which hands it on to the terminal around it.
enum TmuxClipboard {
    /// False for a tmux from before 3.2, which knows no `-w` (tmux(1), load-buffer).
    static func take(_ text: String) -> Bool {
        guard let path = TextFile.writeTemporary(text) else { return false }
        defer { unlink(path) }
        return ChildProcess.silently(["tmux", "load-buffer", "-w", path]) == 0
    }
}
