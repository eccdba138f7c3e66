import ClipsCore
import Glibc
import Platform
import Terminal

/// The one loop: waits for keys, messages and time, lets the state take all there is, and draws once.
enum InteractiveLoop {
    static func run(_ configuration: ClipsApp.Configuration) throws -> Int32 {
        let runner = try ClipsApp.makeRunner(configuration) {
            try TerminalScreen(
                colors: configuration.screenColors, mouse: configuration.config.takesMouse)
        }
        var input = TerminalInput(runner.screen)
        var status: Int32 = 0
        var firstDraw: ContinuousClock.Instant? = .now + .milliseconds(100)
        while !runner.isDone {
            // The first picture has rows in it, unless they take long.
            if runner.state.list.isLoaded || (firstDraw.map { $0 <= .now } ?? false) { firstDraw = nil }
            if firstDraw == nil { runner.draw() }
            let timeout = firstDraw == nil ? runner.timeout : 20
            for event in input.next(timeout: timeout, alsoWaitingFor: runner.descriptors) {
                if let ending = take(event, runner) { status = ending }
            }
            runner.collectPrograms()
            if let failure = runner.openingFailure {
                runner.screen.close()
                _ = ClipsApp.close(runner)
                throw ClipsAppError(failure)
            }
        }
        runner.screen.close()
        return ClipsApp.close(runner) || status != 0 ? status : 1
    }

    /// Returns the exit status when the event ends the program.
    private static func take(_ event: TerminalEvent, _ runner: AppRunner) -> Int32? {
        switch event {
        case .key(let key): runner.handle(.key(key))
        case .resized(let size): runner.handle(.resized(size))
        case .readable(runner.mailbox.descriptor): runner.takeMail()
        case .readable: break
        case .timedOut: runner.handle(.tick)
        case .signal(.suspend): runner.handle(.key(.control("z")))
        case .signal(.continued):
            runner.screen.resume()
            runner.handle(.resized(runner.screen.size))
        case .signal(.interrupt): return end(runner, 130)
        case .signal(.terminate): return end(runner, 143)
        case .signal(.hangup), .hangup: return end(runner, 129)
        }
        return nil
    }

    private static func end(_ runner: AppRunner, _ status: Int32) -> Int32 {
        runner.finish()
        return status
    }
}
