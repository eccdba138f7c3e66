import CBenchmarkProbes
import Glibc
import Platform

/// A program in another process, with pipes for its input and output or without both.
final class ChildProcess {
    struct Exit {
        /// The exit status; nil if a signal killed the process.
        let status: Int32?
        let seconds: Double
        /// The peak memory in bytes; 0 if it was not measured.
        let peakMemory: Double
        let pageFaults: Double
    }

    let id: Int32
    private let name: String
    private let began: Moment
    private var input: Int32 = -1
    private let output: Int32
    private var exit: Exit?

    /// - Parameter isQuiet: whether to discard the standard error.
    init(_ command: [String], hasPipes: Bool = true, isQuiet: Bool = false) throws {
        name = command.joined(separator: " ")
        let none: (reader: CInt, writer: CInt) = (-1, -1)
        let input = hasPipes ? try Pipe.makeEnds() : none
        let output = hasPipes ? try Pipe.makeEnds() : none
        began = .now
        let streams: KeyValuePairs<CInt, CInt?> = [
            0: hasPipes ? input.reader : nil, 1: hasPipes ? output.writer : nil, 2: isQuiet ? nil : 2,
        ]
        id = Platform.ChildProcess.start(command, streams: streams) ?? -1
        for end in [input.reader, output.writer] where end >= 0 { close(end) }
        (self.input, self.output) = (input.writer, output.reader)
        guard id > 0 else { throw BenchmarkError("cannot start '\(command[0])'") }
    }

    deinit {
        if output >= 0 { close(output) }
        if id > 0 { _ = wait() }
    }

    /// Runs a program until it exits and discards its output.
    @discardableResult
    static func run(_ command: [String], measuringMemory: Bool = false) throws -> Exit {
        let process = try ChildProcess(command, hasPipes: false)
        let exit = process.wait(measuringMemory: measuringMemory)
        guard exit.status == 0 else {
            throw BenchmarkError("'\(process.name)' exited with status \(exit.status ?? -1)")
        }
        return exit
    }

    /// Runs a program and returns its output; discards its standard error.
    static func output(of command: [String]) throws -> String {
        String(decoding: try ChildProcess(command, isQuiet: true).readAll(), as: UTF8.self)
    }

    func send(_ bytes: [UInt8]) throws {
        guard write(input, bytes, bytes.count) == bytes.count else {
            throw BenchmarkError("'\(name)' exited")
        }
    }

    /// Reads a number, as the roles of this program write it.
    func receive() throws -> Int64 {
        try receive(8).withUnsafeBytes { $0.loadUnaligned(as: Int64.self) }
    }

    /// Reads exactly that many bytes of the output.
    func receive(_ count: Int) throws -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < count {
            guard let part = try? DescriptorIO.read(output, limit: count - bytes.count) else {
                throw BenchmarkError("'\(name)' exited")
            }
            bytes += part
        }
        return bytes
    }

    /// Reads a line without its end.
    func receiveLine() throws -> String {
        var bytes: [UInt8] = []
        while let byte = try receive(1).first, byte != UInt8(ascii: "\n") { bytes.append(byte) }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Reads the output until its end.
    func readAll() -> [UInt8] {
        closeInput()
        var bytes: [UInt8] = []
        while let piece = try? DescriptorIO.read(output) { bytes += piece }
        return bytes
    }

    func closeInput() {
        if input >= 0 { close(input) }
        input = -1
    }

    /// Kills the process without warning.
    func kill() { Glibc.kill(id, SIGKILL) }

    /// Closes the input and returns when the process has exited.
    func wait(measuringMemory: Bool = false) -> Exit {
        if let exit { return exit }
        closeInput()
        let peak = measuringMemory ? peakMemory() : 0
        var (status, usage) = (Int32(0), rusage())
        wait4(id, &status, 0, &usage)
        let exit = Exit(
            status: status & 0x7f == 0 ? status >> 8 & 0xff : nil, seconds: began.secondsSince,
            peakMemory: peak,
            pageFaults: Double(usage.ru_minflt + usage.ru_majflt))
        self.exit = exit
        return exit
    }

    /// Returns the peak memory when the process is about to be waited for. `ru_maxrss` is not usable: it begins with
    /// the memory of the process that started it.
    private func peakMemory() -> Double {
        var peak = 0.0
        while true {
            peak = max(peak, ProcessUsage(process: id).peakMemory)
            var state = siginfo_t()
            waitid(P_PID, id_t(id), &state, WEXITED | WNOWAIT | WNOHANG)
            guard state.si_signo == 0 else { return peak }
            usleep(500)
        }
    }
}
