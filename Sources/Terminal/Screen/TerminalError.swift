/// The reason that the terminal cannot be used.
package enum TerminalError: Error, Hashable, CustomStringConvertible {
    case noTerminal(errno: CInt)
    case alreadyOpen
    case noUTF8
    case unknownType(String)
    case cannotPlaceText(type: String)
    case noSignals(errno: CInt)
    case clipboardTextTooLong(bytes: Int, limit: Int)
    case terminalLost

    package var description: String {
        switch self {
        case .noTerminal(let code):
            "Cannot open /dev/tty (error \(code)). Run the program in a terminal."
        case .alreadyOpen:
            "This process already uses the terminal. Close that screen first."
        case .noUTF8:
            "Neither the locale nor C.UTF-8 supports UTF-8. Install the C.UTF-8 locale, or set LC_ALL to one of `locale -a`."
        case .unknownType(let type):
            "Unknown terminal types \"\(type)\" and xterm-256color. Install ncurses-base, or set TERM."
        case .cannotPlaceText(let type):
            "Terminal type \"\(type)\" cannot position text on the screen. "
                + "Use a terminal emulator, or set TERM to its type, for example xterm-256color."
        case .noSignals(let code):
            "Cannot handle signals (error \(code)). Close other programs, or raise the limit of open files."
        case .clipboardTextTooLong(let bytes, let limit):
            "Cannot copy \(bytes) bytes: terminals accept at most \(limit). Write the text to a file instead."
        case .terminalLost:
            "Cannot write to the terminal; it was probably closed."
        }
    }
}
