import Glibc

/// A program run to its end: how long it took, and the most memory it had.
struct MeasuredRun {
    let seconds: Double
    /// In bytes.
    let peakMemory: Double

    /// - Parameter output: where its standard output goes; thrown away when nil.
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
        guard failure == 0 else { throw BenchmarkError("'\(command[0])' cannot be started") }
        var status: Int32 = 0
        var usage = rusage()
        guard wait4(process, &status, 0, &usage) == process else {
            throw BenchmarkError("'\(command[0])' was lost")
        }
        seconds = began.secondsSince
        peakMemory = Double(usage.ru_maxrss) * 1024
        guard status == 0 else {
            throw BenchmarkError("'\(command.joined(separator: " "))' ended with status \(status >> 8)")
        }
    }
}
