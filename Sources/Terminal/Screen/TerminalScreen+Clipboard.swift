import FoundationEssentials
import Platform

extension TerminalScreen {
    /// The maximum size of a copied text. Terminals silently drop longer sequences: xterm's limit is about
    /// this, those of tmux and kitty are higher.
    package static let longestCopy = 74_994

    /// Sends the text to the terminal's clipboard (OSC 52), which works over ssh and without a desktop
    /// program.
    ///
    /// A terminal sends no reply, and may not allow it.
    package func copyToClipboard(_ text: String) throws(TerminalError) {
        let bytes = Array(text.utf8)
        guard bytes.count <= Self.longestCopy else {
            throw .clipboardTextTooLong(bytes: bytes.count, limit: Self.longestCopy)
        }
        copied = text
        guard descriptor.write(Self.sequence(copying: bytes, isInTmux: Environment.variable("TMUX") != nil))
        else {
            throw .terminalLost
        }
    }

    package static func sequence(copying bytes: [UInt8], isInTmux: Bool) -> String {
        let sequence = "\u{1B}]52;c;\(Data(bytes).base64EncodedString())\u{7}"
        // tmux uses the first if set-clipboard is on, and forwards the second if allow-passthrough is on, in
        // which every ESC is doubled (tmux's wiki, "What is the passthrough escape sequence").
        return isInTmux ? sequence + "\u{1B}Ptmux;\u{1B}\(sequence)\u{1B}\\" : sequence
    }
}
