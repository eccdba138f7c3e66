import Foundation
import Glibc
import Synchronization

/// A running program that reads and answers lines; deinit kills it.
package final class LineProcess: Sendable {
    package let identifier: Int32
    private let input: Int32
    private let output: Int32
    private let unread = Mutex<[UInt8]>([])
    private let isInputOpen = Mutex(true)

    package struct NoAnswer: Error {}

    /// - Parameter environment: Variables in addition to those of this process.
    package init(
        _ program: String, _ arguments: [String], environment: [String: String] = [:]
    ) throws {
        var toChild: [Int32] = [-1, -1]
        var fromChild: [Int32] = [-1, -1]
        guard pipe(&toChild) == 0, pipe(&fromChild) == 0 else { throw NoAnswer() }
        for end in toChild + fromChild { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        // Writing to a killed program is an error, not the end of the tests.
        _ = Glibc.signal(SIGPIPE, SIG_IGN)
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        posix_spawn_file_actions_adddup2(&actions, toChild[0], 0)
        posix_spawn_file_actions_adddup2(&actions, fromChild[1], 1)
        var words: [UnsafeMutablePointer<CChar>?] = ([program] + arguments).map { strdup($0) } + [nil]
        let all = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        var variables: [UnsafeMutablePointer<CChar>?] = all.map { strdup("\($0.key)=\($0.value)") } + [nil]
        // A thread of Dispatch blocks signals, which the program would inherit.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        var none = sigset_t()
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        var child = pid_t()
        let code = posix_spawnp(&child, program, &actions, &attributes, &words, &variables)
        for word in words + variables { free(word) }
        posix_spawn_file_actions_destroy(&actions)
        posix_spawnattr_destroy(&attributes)
        close(toChild[0])
        close(fromChild[1])
        guard code == 0 else { throw NoAnswer() }
        identifier = child
        input = toChild[1]
        output = fromChild[0]
    }

    deinit {
        kill(identifier, SIGKILL)
        closeInput()
        close(output)
        var status: Int32 = 0
        waitpid(identifier, &status, 0)
    }

    package func send(_ line: String) { send(Array((line + "\n").utf8)) }

    package func send(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(input, $0.baseAddress, $0.count) }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }

    /// Ends the program's input.
    package func closeInput() {
        isInputOpen.withLock { isOpen in
            if isOpen { close(input) }
            isOpen = false
        }
    }

    package func signal(_ number: Int32) { kill(identifier, number) }

    /// Kills the program and waits until it has exited.
    package func killNow() {
        kill(identifier, SIGKILL)
        var information = siginfo_t()
        waitid(P_PID, id_t(identifier), &information, WEXITED | WNOWAIT)
    }

    /// Waits until the program exits by itself.
    ///
    /// - Returns: Its exit status, 128 plus the signal's number, or nil if it continues to run.
    package func waitsForEnd(within seconds: Double = 60) -> Int32? {
        var information = siginfo_t()
        let hasEnded = eventually(within: seconds) {
            waitid(P_PID, id_t(identifier), &information, WEXITED | WNOWAIT | WNOHANG) == 0
                && information.si_signo == SIGCHLD
        }
        guard hasEnded else { return nil }
        let status = information._sifields._sigchld.si_status
        return information.si_code == Int32(CLD_EXITED) ? status : 128 + status
    }

    /// Returns the next line of its output.
    package func answer(within seconds: Double = 60) throws -> String {
        try read(within: seconds, Self.takeLine)
    }

    /// Returns the next bytes of its output.
    package func bytes(_ count: Int, within seconds: Double = 60) throws -> [UInt8] {
        try read(within: seconds) { bytes in
            guard bytes.count >= count else { return nil }
            defer { bytes.removeFirst(count) }
            return Array(bytes.prefix(count))
        }
    }

    private func read<Part>(within seconds: Double, _ take: (inout [UInt8]) -> Part?) throws -> Part {
        let deadline = Date().addingTimeInterval(seconds)
        while true {
            if let part = unread.withLock({ take(&$0) }) { return part }
            let left = Int32(deadline.timeIntervalSinceNow * 1000)
            var wanted = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
            guard left > 0, poll(&wanted, 1, left) > 0 else { throw NoAnswer() }
            var buffer = [UInt8](repeating: 0, count: 65_536)
            let count = Glibc.read(output, &buffer, buffer.count)
            guard count > 0 else { throw NoAnswer() }
            unread.withLock { $0 += buffer[..<count] }
        }
    }

    package func ask(_ line: String, within seconds: Double = 60) throws -> String {
        send(line)
        return try answer(within: seconds)
    }

    private static func takeLine(_ bytes: inout [UInt8]) -> String? {
        guard let end = bytes.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
        defer { bytes.removeSubrange(...end) }
        return String(decoding: bytes[..<end], as: UTF8.self)
    }
}
