import CBenchmarkProbes
import Glibc

/// Another process that commits 1,000 clips a second until it is stopped.
final class SteadyWriter {
    private let process: Int32
    private var input: Int32 = -1
    private let output: Int32
    private let began: Moment
    /// The number of commits and their duration.
    private(set) var done: (commits: Int, seconds: Double)?

    init(store: String) throws {
        var input: Int32 = -1
        var output: Int32 = -1
        process = withCStrings(Role.steadyWriter(store: store).commandLine) {
            probe_start($0, &input, &output)
        }
        guard process > 0 else { throw BenchmarkError("cannot start a second process") }
        (self.input, self.output) = (input, output)
        var count: Int64 = 0
        guard read(output, &count, 8) == 8 else { throw BenchmarkError("the writing process failed") }
        began = .now
    }

    deinit {
        if input >= 0 { close(input) }
        close(output)
        waitpid(process, nil, 0)
    }

    /// Stops the process and returns after its last commit.
    func stop() throws {
        close(input)
        input = -1
        var count: Int64 = 0
        guard read(output, &count, 8) == 8 else { throw BenchmarkError("the writing process failed") }
        done = (Int(count), began.secondsSince)
    }
}
