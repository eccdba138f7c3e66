import CTerminal
import Glibc

/// The descriptors of a screen; those of `/dev/tty` and `/dev/null` are closed at the end.
struct TerminalDescriptor: ~Copyable {
    let input: CInt
    let output: CInt
    private let owned: CInt?

    /// Returns standard input and output, or `/dev/tty` if one of them is a pipe or a file.
    static func controlling() throws(TerminalError) -> TerminalDescriptor {
        if isatty(STDIN_FILENO) == 1, isatty(STDOUT_FILENO) == 1 {
            return TerminalDescriptor(input: STDIN_FILENO, output: STDOUT_FILENO, owned: nil)
        }
        return try opening("/dev/tty")
    }

    static func opening(_ path: String) throws(TerminalError) -> TerminalDescriptor {
        let descriptor = open(path, O_RDWR | O_CLOEXEC)
        guard descriptor >= 0 else { throw .noTerminal(errno: errno) }
        return TerminalDescriptor(input: descriptor, output: descriptor, owned: descriptor)
    }

    private init(input: CInt, output: CInt, owned: CInt?) {
        self.input = input
        self.output = output
        self.owned = owned
    }

    deinit {
        if let owned { close(owned) }
    }

    func write(_ text: String) -> Bool {
        var text = text
        return text.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) {
                terminal_write_all(output, $0.baseAddress, bytes.count) == 1
            }
        }
    }
}
