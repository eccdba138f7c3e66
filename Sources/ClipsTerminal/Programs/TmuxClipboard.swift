import Platform

/// The clipboard of tmux, which passes it on to the outer terminal.
enum TmuxClipboard {
    /// Copies a text. Returns false before tmux 3.2, which lacks `-w` (tmux(1), load-buffer).
    static func copy(_ text: String) -> Bool {
        ChildProcess.status(of: ChildProcess.detached(["tmux", "load-buffer", "-w", "-"], input: text)) == 0
    }
}
