package import Platform
import Terminal

extension ChildProcess {
    /// Runs a shell line with arguments (`$1` …) on the terminal, to its end.
    ///
    /// - Parameter hasTerminal: Whether the child has the terminal until it ends, with ^Z and ^C.
    /// - Returns: The exit status, or 128 plus the signal number; nil if the line could not be started.
    package static func shell(
        _ line: String, _ arguments: [String], environment: [String: String] = [:], hasTerminal: Bool = true
    ) -> Int32? {
        here(["sh", "-c", line, "clips"] + arguments, environment: environment, hasTerminal: hasTerminal)
    }

    /// Runs a program on the terminal, to its end, without a shell.
    package static func here(
        _ words: [String], environment: [String: String] = [:], hasTerminal: Bool = true
    ) -> Int32? {
        if hasTerminal, let job = ForegroundJob() { return job.run(words, environment: environment) }
        return status(of: start(words, environment: environment))
    }
}
