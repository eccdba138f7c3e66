import CBenchmarkProbes
import Glibc

/// A process of a soak that works until it is stopped.
final class SoakProcess {
    let process: Int32
    private let name: String
    private let input: Int32
    private let output: Int32
    private var hasEnded = false

    init(_ work: SoakWork, _ number: Int, store: String) throws {
        var input: Int32 = -1
        var output: Int32 = -1
        let role = Role.soak(store: store, work, number)
        process = withCStrings(role.commandLine) { probe_start($0, &input, &output) }
        guard process > 0 else { throw BenchmarkError("cannot start a process for '\(work)'") }
        name = "\(work)-\(number)"
        self.input = input
        self.output = output
    }

    deinit {
        if !hasEnded { _ = stop() }
        close(output)
    }

    /// Returns the number of completed repetitions.
    func count() throws -> Int64 {
        var byte: UInt8 = 0
        var count: Int64 = 0
        guard write(input, &byte, 1) == 1, read(output, &count, 8) == 8 else {
            throw BenchmarkError("the process '\(name)' exited")
        }
        return count
    }

    /// Stops the process and returns its exit status.
    func stop() -> Int32 {
        hasEnded = true
        close(input)
        var status: Int32 = 0
        waitpid(process, &status, 0)
        return status
    }
}
