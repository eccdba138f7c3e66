import CTerminal
import Glibc
package import Platform

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

    /// Adds the action that gives the terminal to a child, which must lead a separate process group.
    ///
    /// - Parameter actions: a `posix_spawn_file_actions_t`.
    package func handOver(_ actions: UnsafeMutableRawPointer) {
        _ = terminal_hand_over(actions, terminal)
    }

    /// Waits until the child, the leader of its group, exits, and reclaims the terminal.
    ///
    /// - Returns: nil if the status is unknown.
    package func wait(for child: CInt) -> ChildStatus? {
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
            tcsetpgrp(terminal, child)
            kill(-child, SIGCONT)
        }
    }

    /// Reclaims the terminal. A child that cannot start has taken it before (tcsetpgrp(3) runs before execve(2)).
    package func reclaim() {
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
