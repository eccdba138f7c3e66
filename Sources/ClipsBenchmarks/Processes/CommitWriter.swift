import CBenchmarkProbes
import Glibc

/// Another process that commits clips on request.
protocol CommitWriter: AnyObject {
    /// Requests commits of clips, one after the other, and returns immediately.
    func commit(_ count: UInt8) throws
    /// Returns the time at which the last commit began.
    func begun() throws -> Moment
}

/// This program, or its C probe, in another process.
final class RoleWriter: CommitWriter {
    private let process: Int32
    private let input: Int32
    private let output: Int32

    init(_ role: Role) throws {
        var input: Int32 = -1
        var output: Int32 = -1
        process = withCStrings(role.commandLine) { probe_start($0, &input, &output) }
        guard process > 0 else { throw BenchmarkError("cannot start a second process") }
        self.input = input
        self.output = output
        _ = try begun()
    }

    deinit {
        close(input)
        close(output)
        waitpid(process, nil, 0)
    }

    func commit(_ count: UInt8) throws {
        var count = count
        guard write(input, &count, 1) == 1 else { throw BenchmarkError("the writing process exited") }
    }

    /// Kills the process without warning.
    func kill() { Glibc.kill(process, SIGKILL) }

    func begun() throws -> Moment {
        var stamp: Int64 = 0
        guard read(output, &stamp, 8) == 8 else { throw BenchmarkError("the writing process failed") }
        return Moment(nanoseconds: stamp)
    }
}

/// The `sqlite3` shell, which does not touch the doorbell.
final class ShellWriter: CommitWriter {
    private let process: Int32
    private let input: Int32
    private let output: Int32
    private var lastBegun = Moment.now
    private var number = 0

    init(store: String, synchronous: String) throws {
        var input: Int32 = -1
        var output: Int32 = -1
        process = withCStrings(["sqlite3", "-batch", store]) { probe_start($0, &input, &output) }
        guard process > 0 else { throw BenchmarkError("the sqlite3 shell is missing") }
        self.input = input
        self.output = output
        try send(".timeout 5000\nPRAGMA synchronous = \(synchronous);\n")
    }

    deinit {
        close(input)
        close(output)
        waitpid(process, nil, 0)
    }

    func commit(_ count: UInt8) throws {
        var text = ""
        for _ in 0..<count {
            number += 1
            text += SampleClip.insertion(number) + "\n"
        }
        lastBegun = .now
        try send(text)
    }

    func begun() -> Moment { lastBegun }

    private func send(_ text: String) throws {
        var text = text
        let isSent = text.withUTF8 { write(input, $0.baseAddress, $0.count) == $0.count }
        guard isSent else { throw BenchmarkError("the sqlite3 shell exited") }
    }
}
