import Glibc
package import Platform
import Terminal

/// Starts other programs: the editor and shell commands, and the browser, which runs on its own.
package enum ChildProcess {
    enum Streams {
        case own, none
        /// No input; the write ends of pipes for the output and the errors.
        case pipes(CInt, CInt)
    }

    /// Runs a shell line with arguments (`$1` …) on the terminal, to its end.
    ///
    /// - Parameter hasTerminal: Whether the child has the terminal until it ends, with ^Z and ^C.
    /// - Returns: The exit status, or 128 plus the signal number; nil if the line could not be started.
    package static func shell(
        _ line: String, _ arguments: [String], environment: [String: String] = [:], hasTerminal: Bool = true
    ) -> Int32? {
        here(["sh", "-c", line, "clips"] + arguments, environment: environment, hasTerminal: hasTerminal)
    }

    /// Runs a program on the terminal, to its end, without a shell.
    package static func here(
        _ words: [String], environment: [String: String] = [:], input: String? = nil,
        hasTerminal: Bool = true
    ) -> Int32? {
        if hasTerminal, let job = ForegroundJob() {
            let child = start(words, environment: environment, input, .own, isJob: true) { job.handOver($0) }
            guard let child else { return nil }
            return job.wait(for: child).map(\.exitStatus)
        }
        return start(words, environment: environment, input, .own).flatMap(status)
    }

    /// Runs a program without input or output, to its end.
    static func silently(_ words: [String]) -> Int32? {
        start(words, environment: [:], nil, .none).flatMap(status)
    }

    private static func status(of child: pid_t) -> Int32? {
        (try? ChildStatus.wait(for: child))?.exitStatus
    }

    /// Starts a program in its own session, without input or output.
    ///
    /// - Returns: The process ID, which the caller must reap; nil if the program could not be started.
    static func detached(_ words: [String], input: String? = nil) -> pid_t? {
        start(words, environment: [:], input, .none)
    }

    /// Becomes another program, with the same terminal, parent, and signals. Returns if it cannot be started.
    package static func become(_ words: [String]) {
        var signals = sigset_t()
        sigemptyset(&signals)
        sigprocmask(SIG_SETMASK, &signals, nil)
        guard let program = words.first else { return }
        _ = withStrings(words) { execvp(program, $0) }
    }

    /// Starts a program in its own session, with a pipe as its input.
    ///
    /// - Returns: The pipe, which closes when the caller releases it or exits, even by kill -9.
    package static func attached(_ words: [String]) -> Pipe? {
        guard let pipe = try? Pipe() else { return nil }
        _ = start(words, environment: [:], nil, .none) {
            posix_spawn_file_actions_adddup2(
                $0.assumingMemoryBound(to: posix_spawn_file_actions_t.self), pipe.readEnd, STDIN_FILENO)
        }
        return pipe
    }

    /// - Parameters:
    ///   - input: The text on standard input, in a deleted file: a pipe would wait for the child.
    ///   - isJob: Whether the child leads its own process group.
    static func start(
        _ words: [String], environment: [String: String], _ input: String?, _ streams: Streams,
        isJob: Bool = false,
        _ addActions: (UnsafeMutableRawPointer) -> Void = { _ in }
    ) -> pid_t? {
        // If a parent ignored it, the kernel would reap the child and drop its status.
        signal(SIGCHLD, SIG_DFL)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // The child must not inherit ignored or blocked signals.
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        for signal in [SIGINT, SIGQUIT, SIGTSTP, SIGPIPE, SIGHUP, SIGTERM] { sigaddset(&signals, signal) }
        posix_spawnattr_setsigdefault(&attributes, &signals)
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        var flags = POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK
        // POSIX_SPAWN_SETSID of spawn.h.
        let newSession: CInt = 0x80
        switch streams {
        case .own: break
        case .none:
            flags |= newSession
            for descriptor in 0...2 as ClosedRange<Int32> {
                posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0)
            }
        case .pipes(let output, let errors):
            flags |= newSession
            posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
            posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
            posix_spawn_file_actions_adddup2(&actions, errors, STDERR_FILENO)
        }
        let inputPath = input.flatMap(TextFile.writeTemporary)
        defer { if let inputPath { unlink(inputPath) } }
        guard (input == nil) == (inputPath == nil) else { return nil }
        if let inputPath { posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, inputPath, O_RDONLY, 0) }
        if isJob { flags |= POSIX_SPAWN_SETPGROUP }
        addActions(&actions)
        posix_spawnattr_setflags(&attributes, Int16(flags))
        guard let program = words.first else { return nil }
        var child = pid_t()
        let status = withStrings(words) { words in
            withEnvironment(environment) { posix_spawnp(&child, program, &actions, &attributes, words, $0) }
        }
        return status == 0 ? child : nil
    }

    /// Calls a function with this process's environment, byte for byte, except for the changed variables.
    private static func withEnvironment<Result>(
        _ changed: [String: String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
    ) -> Result {
        var own: [UnsafeMutablePointer<CChar>?] = []
        var next = environ
        while let entry = next.pointee {
            if !changed.keys.contains(where: { strncmp(entry, "\($0)=", $0.utf8.count + 1) == 0 }) {
                own.append(entry)
            }
            next += 1
        }
        return withStrings(changed.map { "\($0)=\($1)" }) { body(own + $0) }
    }

    private static func withStrings<Result>(
        _ strings: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
    ) -> Result {
        let pointers = strings.map { strdup($0) } + [nil]
        defer { for pointer in pointers { free(pointer) } }
        return body(pointers)
    }
}
