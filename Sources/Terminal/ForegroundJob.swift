import CTerminal
import Glibc

/// A child process that has the terminal until it ends, in a process group of its own, as a shell's job has it: its
/// ^C, ^\ and ^Z are not ours. When it stops, this process stops too, so that the user's shell gets the terminal.
package struct ForegroundJob: ~Copyable {
    private let terminal: CInt
    private var modes = termios()

    /// Nil where there is no terminal to hand over: none at all, or this process is in its background.
    package init?() {
        terminal = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)
        guard terminal >= 0 else { return nil }
        guard tcgetpgrp(terminal) == getpgrp(), tcgetattr(terminal, &modes) == 0 else {
            close(terminal)
            return nil
        }
    }

    deinit { close(terminal) }

    /// Adds to the actions of a child that leads a process group of its own that it gets the terminal.
    ///
    /// - Parameter actions: a `posix_spawn_file_actions_t`.
    package func handOver(_ actions: UnsafeMutableRawPointer) {
        _ = terminal_hand_over(actions, terminal)
    }

    /// Waits until the child, the leader of its group, has ended, and takes the terminal again.
    ///
    /// - Returns: the status as waitpid(2) has it; nil if it cannot be known.
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
            // Returns at once where no shell can continue this process, as in a window without one.
            terminal_stop()
            // In the background, after `bg`, the kernel stops this process here, until `fg` (SIGTTOU of signal(7)).
            tcsetattr(terminal, TCSADRAIN, &childModes)
            tcsetpgrp(terminal, child)
            kill(-child, SIGCONT)
        }
    }

    private func takeTerminal() {
        // Without this the kernel stops a process that takes the terminal from the background.
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

/// A descriptor that becomes readable when a child ends (pidfd_open(2)); nil before Linux 5.3.
package func descriptor(ofChild child: CInt) -> CInt? {
    let descriptor = terminal_child_descriptor(child)
    return descriptor < 0 ? nil : descriptor
}
