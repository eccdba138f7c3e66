import Glibc
import LiveQuery
import Platform
import Terminal

/// Runs a script on the app with an ncurses screen but no terminal. Each key waits until the app is idle, so
/// that a script is reproducible.
struct ScriptRunner: ~Copyable {
    let runner: AppRunner
    private let storePath: String
    private var input = TerminalInput(terminal: -1)

    /// A bound that matters only if the script fails, so that a loaded machine does not.
    static let patience = 60.0

    init(_ configuration: ClipsApp.Configuration, size: Size) throws {
        try self.init(configuration) {
            try TerminalScreen(headless: size, colors: configuration.screenColors)
        }
    }

    init(_ configuration: ClipsApp.Configuration, makeScreen: () throws -> TerminalScreen) throws {
        storePath = configuration.storePath
        runner = try ClipsApp.makeRunner(configuration, makeScreen: makeScreen)
    }

    /// Runs a whole script, and ends the app.
    mutating func run(_ script: Script) throws {
        defer { end() }
        try start()
        try perform(script)
    }

    mutating func start() throws {
        guard wait(Self.patience, until: { $0.isIdle }) else {
            throw ClipsAppError("The list did not load within \(Int(Self.patience)) seconds.")
        }
        if let failure = runner.openingFailure { throw ClipsAppError(failure) }
    }

    mutating func perform(_ script: Script) throws {
        for (line, step) in script.steps where !runner.isDone {
            do {
                try perform(step)
            } catch {
                throw ClipsAppError("script line \(line): \(error)")
            }
        }
    }

    func end() {
        runner.screen.close()
        _ = ClipsApp.close(runner)
    }

    private mutating func perform(_ step: Script.Step) throws {
        switch step {
        case .keys(let keys):
            for key in keys where !runner.isDone {
                runner.handle(.key(key))
                try waitUntilIdle()
            }
        case .dump(let path):
            try waitUntilIdle()
            try dump(path)
        case .wait(let condition, let seconds): try wait(for: condition, seconds)
        case .resize(let size):
            runner.screen.resize(to: size)
            runner.handle(.resized(size))
            try waitUntilIdle()
        case .shell(let command):
            let status = ChildProcess.shell(
                command, [], environment: ["CLIPS_STORE": storePath], hasTerminal: false)
            guard status == 0 else {
                throw ClipsAppError(":sh failed with status \(status.map(String.init) ?? "unknown").")
            }
        }
    }

    private mutating func waitUntilIdle() throws {
        guard wait(Self.patience, until: { $0.isIdle || $0.isDone }) else {
            throw ClipsAppError("the app was not idle within \(Int(Self.patience)) seconds.")
        }
    }

    private mutating func wait(for condition: Script.Condition, _ seconds: Double) throws {
        let isMet = wait(seconds) { runner in
            switch condition {
            case .idle: runner.isIdle
            case .count(let count):
                runner.state.list.clips.isCounted && runner.state.list.clips.count == count
            case .text(let text): runner.state.draw().lines.contains { $0.contains(text) }
            }
        }
        guard !isMet else { return }
        switch condition {
        case .idle: throw ClipsAppError("the app was not idle after \(seconds) seconds.")
        case .count(let count):
            throw ClipsAppError(
                "there were \(runner.state.list.clips.count) clips after \(seconds) seconds, not \(count).")
        case .text(let text): throw ClipsAppError("'\(text)' was not on the screen after \(seconds) seconds.")
        }
    }

    /// Runs the app until a condition holds, then draws.
    mutating func wait(_ seconds: Double = ScriptRunner.patience, until condition: (AppRunner) -> Bool)
        -> Bool
    {
        let deadline = ContinuousClock.now + .seconds(seconds)
        while true {
            runner.handleMail()
            runner.collectPrograms()
            if runner.openingFailure != nil || condition(runner) {
                runner.draw()
                return true
            }
            guard ContinuousClock.now < deadline else { return false }
            // A queue becomes idle just after it has posted its last result, which wakes no one.
            _ = input.next(timeout: 2, alsoWaitingFor: [runner.mailbox.descriptor])
            if runner.mailbox.isEmpty { runner.handle(.tick) }
        }
    }

    private func dump(_ path: String) throws {
        runner.draw()
        let frame = runner.screen.snapshot()
        let text =
            path.hasSuffix(".svg")
            ? FrameSVG(frame, isLight: runner.state.theme.isLight).text
            : frame.lines.joined(separator: "\n") + "\n"
        let isWritten = path == "-" ? TextFile.write(text, on: STDOUT_FILENO) : TextFile.write(text, to: path)
        guard isWritten else { throw ClipsAppError("Cannot write \(path).") }
    }
}
