/// Why there is no terminal to work on.
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
            "There is no terminal to show anything on: /dev/tty cannot be opened (error \(code)). "
                + "Run the program in a terminal, or give it a script."
        case .alreadyOpen:
            "The terminal is already in use by this process; close that screen first."
        case .noUTF8:
            "Neither the locale nor C.UTF-8 can show UTF-8; install the C.UTF-8 locale or set LC_ALL to one of `locale -a`."
        case .unknownType(let type):
            "The terminal type \"\(type)\" is not described on this machine, and xterm-256color is not either; "
                + "install ncurses-base or set TERM."
        case .cannotPlaceText(let type):
            "A terminal of type \"\(type)\" cannot place text on the screen; "
                + "use a terminal emulator, or set TERM to what it is, for example xterm-256color."
        case .noSignals(let code):
            "The program cannot listen for signals (error \(code)); close other programs or raise the limit of open files."
        case .clipboardTextTooLong(let bytes, let limit):
            "The text has \(bytes) bytes, and terminals take at most \(limit) into the clipboard; write it to a file instead."
        case .terminalLost:
            "The terminal takes no more output; it was probably closed."
        }
    }
}
