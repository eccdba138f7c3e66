import CTerminal
import Glibc
import Platform

/// The descriptors of a screen; those of `/dev/tty` and `/dev/null` are closed at the end.
struct TerminalDescriptor: ~Copyable {
    let input: CInt
    let output: CInt
    private let owned: FileDescriptor?

    /// Returns standard input and output, or `/dev/tty` if one of them is a pipe or a file.
    static func controlling() throws(TerminalError) -> TerminalDescriptor {
        if isatty(STDIN_FILENO) == 1, isatty(STDOUT_FILENO) == 1 {
            return TerminalDescriptor(input: STDIN_FILENO, output: STDOUT_FILENO, owned: nil)
        }
        return try opening("/dev/tty")
    }

    static func opening(_ path: String) throws(TerminalError) -> TerminalDescriptor {
        do {
            let file = try FileDescriptor(path, O_RDWR)
            let number = file.number
            return TerminalDescriptor(input: number, output: number, owned: file)
        } catch {
            throw .noTerminal(errno: error.code)
        }
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
