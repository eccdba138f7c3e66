import Glibc

/// Starts other programs: the editor and shell commands, which are waited for, and the browser, which is not.
package enum ChildProcess {
    /// Runs a line of the shell with arguments (`$1` …) on this process's own terminal, to its end.
    ///
    /// - Returns: the exit status, 128 and the signal's number after a signal; nil if it could not be started.
    package static func shell(
        _ line: String, _ arguments: [String], environment: [String: String] = [:]
    ) -> Int32? {
        here(["sh", "-c", line, "clips"] + arguments, environment: environment)
    }

    /// Runs a program on this process's own terminal, to its end; no shell sees its words.
    package static func here(_ words: [String], environment: [String: String] = [:]) -> Int32? {
        start(words, environment: environment, isDetached: false).flatMap(status)
    }

    /// The same with nothing to read from or write to.
    static func silently(_ words: [String]) -> Int32? {
        start(words, environment: [:], isDetached: true).flatMap(status)
    }

    private static func status(of child: pid_t) -> Int32? {
        var status: Int32 = 0
        while waitpid(child, &status, 0) < 0 {
            guard errno == EINTR else { return nil }
        }
        return status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + status & 0x7F
    }

    /// Starts a program in a session of its own, with nothing to read from or write to.
    ///
    /// - Returns: its id, for `reap`; nil if it could not be started.
    static func detached(_ words: [String]) -> pid_t? {
        start(words, environment: [:], isDetached: true)
    }

    /// Lets go of those of the children that have ended.
    static func reap(_ children: [pid_t]) -> [pid_t] {
        children.filter { waitpid($0, nil, WNOHANG) == 0 }
    }

    private static func start(_ words: [String], environment: [String: String], isDetached: Bool) -> pid_t? {
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // What this process ignores or holds back, the other one should not.
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        for signal in [SIGINT, SIGQUIT, SIGTSTP, SIGPIPE, SIGHUP, SIGTERM] { sigaddset(&signals, signal) }
        posix_spawnattr_setsigdefault(&attributes, &signals)
        // POSIX_SPAWN_SETSID of spawn.h.
        let newSession: Int32 = 0x80
        let flags = POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | (isDetached ? newSession : 0)
        posix_spawnattr_setflags(&attributes, Int16(flags))

        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        if isDetached {
            for descriptor in 0...2 as ClosedRange<Int32> {
                posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0)
            }
        }
        guard let program = words.first else { return nil }
        var child = pid_t()
        let variables = ownEnvironment.merging(environment) { $1 }.map { "\($0)=\($1)" }
        let status = withStrings(words) { words in
            withStrings(variables) { posix_spawnp(&child, program, &actions, &attributes, words, $0) }
        }
        return status == 0 ? child : nil
    }

    private static var ownEnvironment: [String: String] {
        var variables: [String: String] = [:]
        var next = environ
        while let entry = next.pointee {
            let text = String(cString: entry)
            if let sign = text.firstIndex(of: "=") {
                variables[String(text[..<sign])] = String(text[text.index(after: sign)...])
            }
            next += 1
        }
        return variables
    }

    private static func withStrings<Result>(
        _ strings: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
    ) -> Result {
        let pointers = strings.map { strdup($0) } + [nil]
        defer { for pointer in pointers { free(pointer) } }
        return body(pointers)
    }
}
