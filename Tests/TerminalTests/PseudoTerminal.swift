import Glibc

/// A terminal whose other end this process holds, at a descriptor that signal handlers know.
enum PseudoTerminal {
    private static let master: CInt = 60

    /// TIOCSPTLCK and TIOCGPTN of ioctl_tty(2); posix_openpt is not in Swift's Glibc.
    private static let setLock: UInt = 0x4004_5431
    private static let getNumber: UInt = 0x8004_5430

    /// Creates a new terminal and makes it the process's controlling terminal.
    static func become(rows: UInt16, columns: UInt16) {
        setenv("TERM", "xterm-256color", 1)
        setsid()
        let end = open("/dev/ptmx", O_RDWR | O_NOCTTY)
        var number: CInt = 0
        var isLocked: CInt = 0
        guard end >= 0, ioctl(end, setLock, &isLocked) == 0, ioctl(end, getNumber, &number) == 0 else {
            exit(99)
        }
        dup2(end, master)
        close(end)
        let terminal = open("/dev/pts/\(number)", O_RDWR)
        for descriptor in 0...CInt(2) { dup2(terminal, descriptor) }
        close(terminal)
        resize(rows: rows, columns: columns)
    }

    static func resize(rows: UInt16, columns: UInt16) {
        var size = winsize(ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
        _ = ioctl(master, UInt(TIOCSWINSZ), &size)
    }

    static func type(_ text: String) {
        _ = Array(text.utf8).withUnsafeBytes { write(master, $0.baseAddress, $0.count) }
    }

    /// Sends the signal to the process: the threads that tests run on block most signals.
    static func signal(_ number: CInt) { kill(getpid(), number) }

    /// Waits for a signal that ends the process; exits with 44 if it does not.
    static func awaitEnd() -> Never {
        poll(nil, 0, 10_000)
        exit(44)
    }

    static func hangUp() { close(master) }

    static var isCooked: Bool {
        var modes = termios()
        return tcgetattr(0, &modes) == 0 && modes.c_lflag & tcflag_t(ICANON | ECHO) == tcflag_t(ICANON | ECHO)
    }

    /// The output since the last call.
    static func output() -> String {
        var output: [UInt8] = []
        var polled = pollfd(fd: master, events: Int16(POLLIN), revents: 0)
        var bytes: [UInt8] = Array(repeating: 0, count: 4_096)
        while poll(&polled, 1, 0) > 0, polled.revents & Int16(POLLIN) != 0 {
            let count = read(master, &bytes, bytes.count)
            guard count > 0 else { break }
            output += bytes.prefix(count)
        }
        return String(decoding: output, as: UTF8.self)
    }

    /// Ends the process with 42 if the terminal's modes are those of a shell, otherwise with 43.
    static let exitByState: @convention(c) (CInt) -> Void = { _ in
        _exit(PseudoTerminal.isCooked && PseudoTerminal.output().contains("\u{1B}[?1049l") ? 42 : 43)
    }
}
