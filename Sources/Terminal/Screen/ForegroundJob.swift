import CTerminal
import Glibc
import Platform

/// The terminal of this process, with its modes before another process has it.
final class ControllingTerminal {
    private let file: FileDescriptor
    let modes: termios

    /// - Returns: Nil if there is no terminal, or this process is in its background.
    init?() {
        var modes = termios()
        guard let file = try? FileDescriptor("/dev/tty", O_RDWR | O_NOCTTY),
            tcgetpgrp(file.number) == getpgrp(), tcgetattr(file.number, &modes) == 0
        else { return nil }
        self.modes = modes
        self.file = file
    }

    var number: CInt { file.number }
}

/// A child process in a separate process group that has the terminal until it exits, like a job of a shell.
///
/// Its ^C, ^\, and ^Z do not affect this process. When the child stops, this process stops too, so that the
/// user's shell gets the terminal.
package struct ForegroundJob: ~Copyable {
    private let own: ControllingTerminal

    /// Creates a job; nil if there is no terminal, or this process is in its background.
    package init?() {
        guard let own = ControllingTerminal() else { return nil }
        self.own = own
    }

    private var terminal: CInt { own.number }

    /// Runs a program to its end.
    ///
    /// - Returns: The exit status, or 128 plus the signal number; nil if it could not be started.
    package func run(_ words: [String], environment: [String: String] = [:]) -> Int32? {
        var failed: CInt = -1
        let child = ChildProcess.withStrings(ChildProcess.paths(of: words.first ?? "")) { paths in
            ChildProcess.withStrings(words) { words in
                ChildProcess.withEnvironment(environment) { terminal_start_job(paths, words, $0, &failed) }
            }
        }
        guard child > 0 else { return nil }
        defer { close(failed) }
        handOver(to: child)
        let status = wait(for: child)
        let isFailed = (try? DescriptorIO.read(failed, limit: 1))?.isEmpty == false
        return isFailed ? nil : status?.exitStatus
    }

    /// Gives the terminal to the leader of another process group.
    private func handOver(to child: CInt) {
        tcsetpgrp(terminal, child)
        // It may have used the terminal already (SIGTTOU of signal(7)).
        kill(-child, SIGCONT)
    }

    /// Waits until the child, the leader of its group, exits, and reclaims the terminal.
    ///
    /// - Returns: nil if the status is unknown.
    private func wait(for child: CInt) -> ChildStatus? {
        defer { reclaim() }
        while true {
            guard let status = try? ChildStatus.wait(for: child, options: WUNTRACED) else { return nil }
            guard status.isStopped else { return status }
            var childModes = termios()
            tcgetattr(terminal, &childModes)
            reclaim()
            // Returns immediately if no shell can continue this process, as in a window without a shell.
            terminal_stop()
            // In the background, after `bg`, the kernel stops this process here, until `fg` (SIGTTOU of
            // signal(7)).
            tcsetattr(terminal, TCSADRAIN, &childModes)
            handOver(to: child)
        }
    }

    private func reclaim() {
        // Otherwise the kernel stops a background process that reclaims the terminal.
        var blocked = sigset_t()
        var previous = sigset_t()
        sigemptyset(&blocked)
        sigaddset(&blocked, SIGTTOU)
        pthread_sigmask(SIG_BLOCK, &blocked, &previous)
        tcsetpgrp(terminal, getpgrp())
        var modes = own.modes
        tcsetattr(terminal, TCSADRAIN, &modes)
        pthread_sigmask(SIG_SETMASK, &previous, nil)
    }
}

/// Returns a descriptor that becomes readable when a child exits (pidfd_open(2)); nil before Linux 5.3.
package func descriptor(ofChild child: CInt) -> CInt? {
    let descriptor = terminal_child_descriptor(child)
    return descriptor < 0 ? nil : descriptor
}
