import Platform

/// The user's programs that the app starts.
package struct UserPrograms: Sendable {
    /// The command in `BROWSER` that opens a URL, or without a desktop a browser for the terminal; nil for the desktop's
    /// default.
    package var browser: String?
    /// The command of a browser for the terminal; nil for the first that is installed.
    package var terminalBrowser: String?
    package var editor: Editor
    /// Whether the app runs in tmux, which then receives copied text.
    package var isInTmux: Bool

    /// Returns the programs that the environment names.
    package static func environment() -> UserPrograms {
        UserPrograms(
            browser: Environment.variable("BROWSER") ?? (hasDesktop ? nil : Browser.installedTextBrowser),
            terminalBrowser: Environment.variable("CLIPS_TERMINAL_BROWSER"),
            editor: .environment(), isInTmux: Environment.variable("TMUX") != nil)
    }

    /// Whether there is a display, that of Windows included.
    private static var hasDesktop: Bool {
        ["DISPLAY", "WAYLAND_DISPLAY", "WSL_DISTRO_NAME"].contains {
            Environment.variable($0)?.isEmpty == false
        }
    }
}
