import Foundation
package import Glibc

/// Runs a program until it exits, such as the external writers `sqlite3` and Python.
///
/// Uses posix_spawn(3) rather than `Process`, which waits until every descendant has closed an inherited
/// descriptor: it would wait as long as a tmux server runs.
package struct Shell {
    package let status: Int32
    package let output: String
    package let errors: String

    @discardableResult
    package static func run(
        _ program: String, _ arguments: [String], input: String = "", environment: [String: String] = [:]
    ) throws -> Shell {
        // Files, not pipes: a pipe blocks the program when it is full.
        let folder = try TemporaryFolder()
        let (inPath, outPath, errPath) = (
            folder.path(of: "in"), folder.path(of: "out"), folder.path(of: "err")
        )
        try Data(input.utf8).write(to: URL(fileURLWithPath: inPath))
        // The sqlite3 shell fails at once if another process writes, for example a window its position.
        let options = program == "sqlite3" ? ["-cmd", ".timeout 10000"] : []
        let process = try spawn(
            [program] + options + arguments, environment: environment, input: inPath, output: outPath,
            errors: errPath)
        let status = wait(for: process)
        func text(_ path: String) throws -> String {
            String(decoding: try Data(contentsOf: URL(fileURLWithPath: path)), as: UTF8.self)
        }
        return Shell(status: status, output: try text(outPath), errors: try text(errPath))
    }

    /// The exit status, or 128 plus the signal's number.
    package static func wait(for process: pid_t) -> Int32 {
        var status: CInt = 0
        while waitpid(process, &status, 0) < 0 && errno == EINTR {}
        let signal = status & 0x7f
        return signal == 0 ? (status >> 8) & 0xff : 128 + signal
    }

    /// Starts a program found in PATH, with its streams connected to files.
    ///
    /// - Parameters:
    ///   - descriptors: Those that the program gets as 3 and following; all above 9.
    ///   - isGroup: Whether to start a process group, which can be killed as a whole.
    package static func spawn(
        _ words: [String], environment: [String: String], input: String, output: String, errors: String,
        descriptors: [CInt] = [], isGroup: Bool = false
    ) throws -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, input, O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT, 0o600)
        posix_spawn_file_actions_addopen(&actions, 2, errors, O_WRONLY | O_CREAT, 0o600)
        for (number, descriptor) in zip(CInt(3)..., descriptors) {
            posix_spawn_file_actions_adddup2(&actions, descriptor, number)
        }
        let all = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        var arguments = words.map { strdup($0) } + [nil]
        var variables = all.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { (arguments + variables).forEach { free($0) } }
        // The pool's threads block signals, and a test of this process may ignore some: start it as a shell
        // would.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var (none, every) = (sigset_t(), sigset_t())
        sigemptyset(&none)
        sigfillset(&every)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &every)
        let flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | (isGroup ? POSIX_SPAWN_SETPGROUP : 0)
        posix_spawnattr_setflags(&attributes, Int16(flags))
        var process = pid_t()
        let code = posix_spawnp(&process, words[0], &actions, &attributes, &arguments, &variables)
        guard code == 0 else {
            throw ShellError(description: "\(words[0]): \(String(cString: strerror(code)))")
        }
        return process
    }
}

package struct ShellError: Error, CustomStringConvertible {
    package let description: String

    package init(description: String) { self.description = description }
}
