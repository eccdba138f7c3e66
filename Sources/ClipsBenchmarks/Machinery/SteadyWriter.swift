import CBenchmarkProbes
import Glibc

/// Another process that commits a thousand clips a second until it is told to stop.
final class SteadyWriter {
    private let process: Int32
    private var input: Int32 = -1
    private let output: Int32
    private let began: Moment
    /// How many clips it has committed in how many seconds.
    private(set) var done: (commits: Int, seconds: Double)?

    init(store: String) throws {
        var input: Int32 = -1
        var output: Int32 = -1
        process = withCStrings(Role.steadyWriter(store: store).commandLine) {
            probe_start($0, &input, &output)
        }
        guard process > 0 else { throw BenchmarkError("a second process cannot be started") }
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

    /// Its last commit is made when this returns.
    func stop() throws {
        close(input)
        input = -1
        var count: Int64 = 0
        guard read(output, &count, 8) == 8 else { throw BenchmarkError("the writing process failed") }
        done = (Int(count), began.secondsSince)
    }
}
