import Glibc

/// The duration and the peak memory of a program.
struct MeasuredRun {
    let seconds: Double
    /// The peak memory in bytes.
    let peakMemory: Double

    /// Runs a program until it exits.
    ///
    /// - Parameter output: the file for its standard output; nil discards it.
    init(_ command: [String], output: String? = nil) throws {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(
            &actions, 1, output ?? "/dev/null", O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        var process: pid_t = 0
        let began = Moment.now
        let failure = withCStrings(command) { posix_spawnp(&process, command[0], &actions, nil, $0, environ) }
        guard failure == 0 else { throw BenchmarkError("cannot start '\(command[0])'") }
        var status: Int32 = 0
        var usage = rusage()
        guard wait4(process, &status, 0, &usage) == process else {
            throw BenchmarkError("cannot wait for '\(command[0])'")
        }
        seconds = began.secondsSince
        peakMemory = Double(usage.ru_maxrss) * 1024
        guard status == 0 else {
            throw BenchmarkError("'\(command.joined(separator: " "))' exited with status \(status >> 8)")
        }
    }
}
