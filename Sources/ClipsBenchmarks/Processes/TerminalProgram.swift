import CBenchmarkProbes
import Glibc
import Platform

/// A program on a pseudo-terminal, initially of 120 columns and 40 rows, whose output is searched as it
/// arrives.
final class TerminalProgram {
    let process: Int32
    let began: Moment
    private let terminal: Int32
    /// The output that has not been searched.
    private var unread: [UInt8] = []

    init(_ command: [String]) throws {
        var (terminal, began): (Int32, Int64) = (-1, 0)
        let environment = ["TERM=xterm-256color", "LC_ALL=C.UTF-8", "LESS=", "NO_COLOR=1"]
        process = Platform.ChildProcess.withStrings(command) { command in
            Platform.ChildProcess.withStrings(environment) {
                probe_start_on_terminal(command, $0, 40, 120, &terminal, &began)
            }
        }
        guard process > 0 else { throw BenchmarkError("cannot start '\(command[0])' on a terminal") }
        self.terminal = terminal
        self.began = Moment(nanoseconds: began)
    }

    deinit {
        probe_end(process)
        close(terminal)
    }

    var usage: ProcessUsage { ProcessUsage(process: process) }

    func press(_ keys: String) {
        var keys = keys
        keys.withUTF8 { _ = write(terminal, $0.baseAddress, $0.count) }
    }

    /// Waits for texts in the output, in any order, and returns the time of the last one.
    func wait(for texts: [String], seconds: Double = 30) throws -> Moment {
        var missing = texts.map { Array($0.utf8) }
        let limit = Moment.now
        while true {
            missing.removeAll { probe_contains(unread, unread.count, $0, $0.count) == 1 }
            if missing.isEmpty {
                unread.removeAll(keepingCapacity: true)
                return .now
            }
            guard try read(milliseconds: Int32((seconds - limit.secondsSince) * 1000)) else {
                throw BenchmarkError(
                    "'\(String(decoding: missing[0], as: UTF8.self))' was not painted in \(Int(seconds)) s")
            }
        }
    }

    /// Discards the output until none arrives for a time, but not longer than a limit.
    func readUntilIdle(milliseconds: Int32 = 150, atMost seconds: Double = 3) throws {
        let began = Moment.now
        while began.secondsSince < seconds, try read(milliseconds: milliseconds) {}
        unread.removeAll(keepingCapacity: true)
    }

    /// Returns the time from a key to the first byte of its output.
    func answer(to key: String, seconds: Double = 5) throws -> Double {
        unread.removeAll(keepingCapacity: true)
        let pressed = Moment.now
        press(key)
        guard try read(milliseconds: Int32(seconds * 1000)) else {
            throw BenchmarkError("nothing was painted in \(Int(seconds)) s")
        }
        return pressed.secondsSince
    }

    /// Reads and discards output for a period of time, because a program blocks while its terminal is not read.
    func read(seconds: Double) throws {
        let began = Moment.now
        repeat {
            _ = try read(milliseconds: max(1, Int32((seconds - began.secondsSince) * 1000)))
            unread.removeAll(keepingCapacity: true)
        } while began.secondsSince < seconds
    }

    /// Waits until the program has exited and its terminal is closed.
    func waitForExit(seconds: Double = 60) throws {
        let began = Moment.now
        while began.secondsSince < seconds {
            guard (try? read(milliseconds: 1000)) != nil else { return }
            unread.removeAll(keepingCapacity: true)
        }
        throw BenchmarkError("the program did not exit in \(Int(seconds)) s")
    }

    private func read(milliseconds: Int32) throws -> Bool {
        var wanted = pollfd(fd: terminal, events: Int16(POLLIN), revents: 0)
        guard milliseconds > 0, poll(&wanted, 1, milliseconds) > 0 else { return false }
        return try withUnsafeTemporaryAllocation(byteCount: 65_536, alignment: 1) { buffer in
            let count = Glibc.read(terminal, buffer.baseAddress, buffer.count)
            guard count > 0 else {
                throw BenchmarkError(
                    "the program exited: " + String(decoding: unread.suffix(300), as: UTF8.self))
            }
            unread.append(contentsOf: buffer[..<count])
            return true
        }
    }
}
