#if canImport(Musl)
package import Musl
#else
package import Glibc
#endif

/// Starts other programs.
package enum ChildProcess {
    /// Returns the exit status of a started program, or 128 plus the signal number, when it has ended; nil if it
    /// could not be started.
    package static func status(of child: pid_t?) -> Int32? {
        child.flatMap { try? ChildStatus.wait(for: $0) }?.exitStatus
    }

    /// Starts a program in its own session, without input or output.
    ///
    /// - Returns: The process ID, which the caller must reap; nil if the program could not be started.
    package static func detached(_ words: [String], input: String? = nil) -> pid_t? {
        start(words, input: input, streams: [0: nil, 1: nil, 2: nil], isSession: true)
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
        _ = start(words, streams: [0: pipe.readEnd, 1: nil, 2: nil], isSession: true)
        return pipe
    }

    /// Starts a program found in PATH, which inherits no ignored or blocked signals.
    ///
    /// - Parameters:
    ///   - environment: The changed variables.
    ///   - input: The text on standard input, in a file in memory: a pipe would wait for the child,
    ///     and a file on a disk would remain after a kill.
    ///   - streams: The descriptors that become those of the child; nil for /dev/null.
    ///   - isSession: Whether the child leads its own session, without a terminal.
    ///   - survivesHangUp: Whether the child ignores SIGHUP, as after nohup(1). Such calls must not overlap: the signal
    ///     is ignored by this process until the child has started.
    ///   - addActions: Adds to the `posix_spawn_file_actions_t`.
    /// - Returns: The process ID, which the caller must reap; nil if the program could not be started.
    package static func start(
        _ words: [String], environment: [String: String] = [:], input: String? = nil,
        streams: KeyValuePairs<CInt, CInt?> = [:], isSession: Bool = false,
        survivesHangUp: Bool = false, _ addActions: (UnsafeMutableRawPointer) -> Void = { _ in }
    ) -> pid_t? {
        // If a parent ignored it, the kernel would reap the child and drop its status.
        signal(SIGCHLD, SIG_DFL)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        for signal in [SIGINT, SIGQUIT, SIGTSTP, SIGPIPE, SIGTERM] { sigaddset(&signals, signal) }
        var hangUp = sigaction()
        if survivesHangUp {
            // A child inherits only an ignored signal.
            sigaction(SIGHUP, nil, &hangUp)
            signal(SIGHUP, SIG_IGN)
        } else {
            sigaddset(&signals, SIGHUP)
        }
        defer { if survivesHangUp { sigaction(SIGHUP, &hangUp, nil) } }
        posix_spawnattr_setsigdefault(&attributes, &signals)
        var flags = POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK
        // POSIX_SPAWN_SETSID of spawn.h.
        if isSession { flags |= 0x80 }
        posix_spawnattr_setflags(&attributes, Int16(flags))
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for (descriptor, own) in streams {
            if let own {
                posix_spawn_file_actions_adddup2(&actions, own, descriptor)
            } else {
                posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0)
            }
        }
        guard let program = words.first else { return nil }
        func spawn() -> pid_t? {
            addActions(&actions)
            var child = pid_t()
            let status = withStrings(words) { words in
                withEnvironment(environment) {
                    posix_spawnp(&child, program, &actions, &attributes, words, $0)
                }
            }
            return status == 0 ? child : nil
        }
        guard let input else { return spawn() }
        guard let file = TextFile.inMemory(input) else { return nil }
        posix_spawn_file_actions_adddup2(&actions, file.number, STDIN_FILENO)
        return withExtendedLifetime(file) { spawn() }
    }

    /// The reason why a program that exists could not be started; nil if there is none with its name.
    package static func problem(of program: String) -> String? {
        guard !program.isEmpty else { return "Its name is empty." }
        guard let path = paths(of: program).first(where: FilePath.exists) else { return nil }
        var info = stat()
        let kind = stat(path, &info) == 0 ? info.st_mode & S_IFMT : 0
        if kind == S_IFDIR { return "It is a folder." }
        guard access(path, X_OK) == 0 else { return "It is not executable." }
        // Another kind of file may wait for a writer.
        if kind == S_IFREG, let file = try? FileDescriptor(path),
            (try? DescriptorIO.read(file.number, limit: 2)) == Array("#!".utf8)
        {
            return "The interpreter that its first line names could not be started."
        }
        return "It is neither a program nor a script that begins with '#!'."
    }

    /// The files that a program name may mean, in their order.
    package static func paths(of program: String) -> [String] {
        let folders = (Environment.variable("PATH") ?? "").split(separator: ":")
        return program.contains("/") ? [program] : folders.map { "\($0)/\(program)" }
    }

    /// Calls a function with this process's environment, byte for byte, except for the changed variables.
    package static func withEnvironment<Result>(
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

    /// Calls a function with C strings and a null pointer, which are valid during the call.
    package static func withStrings<Result>(
        _ strings: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
    ) -> Result {
        let pointers = strings.map { strdup($0) } + [nil]
        defer { for pointer in pointers { free(pointer) } }
        return body(pointers)
    }
}
