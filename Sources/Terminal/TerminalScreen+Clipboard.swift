import Glibc

extension TerminalScreen {
    /// Terminals drop longer sequences, silently: xterm's limit is about this, tmux's and kitty's are higher.
    package static let longestCopy = 74_994

    /// Asks the terminal to copy (OSC 52): it works over ssh, and no program of the desktop is needed.
    ///
    /// A terminal answers nothing, and may not allow it.
    package func copyToClipboard(_ text: String) throws(TerminalError) {
        let bytes = Array(text.utf8)
        guard bytes.count <= Self.longestCopy else {
            throw .clipboardTextTooLong(bytes: bytes.count, limit: Self.longestCopy)
        }
        copied = text
        guard descriptor.write(Self.sequence(copying: bytes, isInTmux: getenv("TMUX") != nil)) else {
            throw .terminalLost
        }
    }

    package static func sequence(copying bytes: [UInt8], isInTmux: Bool) -> String {
        let sequence = "\u{1B}]52;c;\(Base64.encoded(bytes))\u{7}"
        // tmux takes the first if set-clipboard is on, hands on the second if allow-passthrough is; there every
        // ESC is doubled (tmux's wiki, "What is the passthrough escape sequence").
        return isInTmux ? sequence + "\u{1B}Ptmux;\u{1B}\(sequence)\u{1B}\\" : sequence
    }
}
