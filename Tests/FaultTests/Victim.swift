import Foundation
import Glibc
import TestSupport

/// A process to kill, with its output in files.
final class Victim {
    let process: pid_t
    private let output: String
    /// The controlling side of its terminal, or -1.
    private let terminal: CInt

    init(
        _ clips: ClipsProgram, _ words: [String], input: String = "/dev/null",
        with environment: [String: String] = [:]
    ) throws {
        output = clips.folder.path(of: "output")
        unlink(output)
        terminal = -1
        process = try Shell.spawn(
            [ClipsProgram.path] + words, environment: clips.environment.merging(environment) { $1 },
            input: input, output: output, errors: clips.folder.path(of: "errors"))
    }

    /// Starts the app on a new terminal.
    init(appOf clips: ClipsProgram) throws {
        var (number, isLocked) = (CInt(0), CInt(0))
        terminal = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        // TIOCSPTLCK and TIOCGPTN of ioctl_tty(2); posix_openpt is not in Swift's Glibc.
        guard terminal >= 0, ioctl(terminal, 0x4004_5431 as UInt, &isLocked) == 0,
            ioctl(terminal, 0x8004_5430 as UInt, &number) == 0
        else { throw ShellError(description: "no terminal is available") }
        var size = winsize(ws_row: 24, ws_col: 80, ws_xpixel: 0, ws_ypixel: 0)
        _ = ioctl(terminal, UInt(TIOCSWINSZ), &size)
        output = clips.folder.path(of: "none")
        process = try Shell.spawn(
            [ClipsProgram.path], environment: clips.environment, input: "/dev/pts/\(number)",
            output: "/dev/pts/\(number)", errors: clips.folder.path(of: "errors"))
    }

    deinit { if terminal >= 0 { close(terminal) } }

    func type(_ keys: String) {
        _ = Array(keys.utf8).withUnsafeBytes { write(terminal, $0.baseAddress, $0.count) }
    }

    /// Lets the process run, and discards its output to the terminal.
    func letRun(for duration: Duration) {
        let end = ContinuousClock.now + duration
        var bytes: [UInt8] = Array(repeating: 0, count: 65_536)
        while ContinuousClock.now < end {
            guard terminal >= 0 else {
                // Finer than the milliseconds that poll(2) waits.
                sched_yield()
                continue
            }
            var polled = pollfd(fd: terminal, events: Int16(POLLIN), revents: 0)
            if poll(&polled, 1, 1) > 0 { _ = read(terminal, &bytes, bytes.count) }
        }
    }

    /// Returns the exit status, 137 if the process was still running.
    func kill() -> Int32 {
        Glibc.kill(process, SIGKILL)
        return Shell.wait(for: process)
    }

    func wait() -> Int32 { Shell.wait(for: process) }

    /// The IDs that it printed on complete lines.
    func ids() -> Set<Int64> {
        let text = (try? String(contentsOfFile: output, encoding: .utf8)) ?? ""
        let whole = text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
        return Set(whole.compactMap { Int64($0) })
    }
}
