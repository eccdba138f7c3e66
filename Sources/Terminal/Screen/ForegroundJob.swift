import CTerminal
import Glibc

/// A child process in a separate process group that has the terminal until it exits, like a job of a shell.
///
/// Its ^C, ^\, and ^Z do not affect this process. When the child stops, this process stops too, so that the
/// user's shell gets the terminal.
package struct ForegroundJob: ~Copyable {
    private let terminal: CInt
    private var modes = termios()

    /// Creates a job; nil if there is no terminal, or this process is in its background.
    package init?() {
        terminal = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)
        guard terminal >= 0 else { return nil }
        guard tcgetpgrp(terminal) == getpgrp(), tcgetattr(terminal, &modes) == 0 else {
            close(terminal)
            return nil
        }
    }

    deinit { close(terminal) }

    /// Adds the action that gives the terminal to a child, which must lead a separate process group.
    ///
    /// - Parameter actions: a `posix_spawn_file_actions_t`.
    package func handOver(_ actions: UnsafeMutableRawPointer) {
        _ = terminal_hand_over(actions, terminal)
    }

    /// Waits until the child, the leader of its group, exits, and reclaims the terminal.
    ///
    /// - Returns: the status of waitpid(2); nil if it is unknown.
    package func wait(for child: CInt) -> CInt? {
        defer { takeTerminal() }
        var status: CInt = 0
        while true {
            guard waitpid(child, &status, WUNTRACED) >= 0 else {
                guard errno == EINTR else { return nil }
                continue
            }
            // WIFSTOPPED of wait(2).
            guard status & 0xFF == 0x7F else { return status }
            var childModes = termios()
            tcgetattr(terminal, &childModes)
            takeTerminal()
            // Returns immediately if no shell can continue this process, as in a window without a shell.
            terminal_stop()
            // In the background, after `bg`, the kernel stops this process here, until `fg` (SIGTTOU of
            // signal(7)).
            tcsetattr(terminal, TCSADRAIN, &childModes)
            tcsetpgrp(terminal, child)
            kill(-child, SIGCONT)
        }
    }

    private func takeTerminal() {
        // Otherwise the kernel stops a background process that reclaims the terminal.
        var blocked = sigset_t()
        var previous = sigset_t()
        sigemptyset(&blocked)
        sigaddset(&blocked, SIGTTOU)
        pthread_sigmask(SIG_BLOCK, &blocked, &previous)
        tcsetpgrp(terminal, getpgrp())
        var modes = modes
        tcsetattr(terminal, TCSADRAIN, &modes)
        pthread_sigmask(SIG_SETMASK, &previous, nil)
    }
}

/// Returns a descriptor that becomes readable when a child exits (pidfd_open(2)); nil before Linux 5.3.
package func descriptor(ofChild child: CInt) -> CInt? {
    let descriptor = terminal_child_descriptor(child)
    return descriptor < 0 ? nil : descriptor
}
