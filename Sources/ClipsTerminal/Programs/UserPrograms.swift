import Platform

/// The user's own programs that the app starts.
package struct UserPrograms: Sendable {
    /// The command that opens an address, as `BROWSER` has it; nil for the desktop's own.
    package var browser: String?
    /// The same for a browser that needs the terminal; nil for the first that is installed.
    package var terminalBrowser: String?
    package var editor: Editor
    /// Whether tmux is around the app, and is given what is copied.
    package var isInTmux: Bool

    package init(browser: String?, terminalBrowser: String?, editor: Editor, isInTmux: Bool) {
        self.browser = browser
        self.terminalBrowser = terminalBrowser
        self.editor = editor
        self.isInTmux = isInTmux
    }

    /// Those that the environment names.
    package static func environment() -> UserPrograms {
        UserPrograms(
            browser: Environment.variable("BROWSER"),
            terminalBrowser: Environment.variable("CLIPS_TERMINAL_BROWSER"),
            editor: .environment(), isInTmux: Environment.variable("TMUX") != nil)
    }
}
