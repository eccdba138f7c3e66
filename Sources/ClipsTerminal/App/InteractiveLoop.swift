import LiveQuery
import Platform
import Terminal

/// The event loop: waits for keys, messages, and deadlines, handles all of them, and draws once.
enum InteractiveLoop {
    static func run(_ configuration: ClipsApp.Configuration) throws -> Int32 {
        let runner = try ClipsApp.makeRunner(configuration) {
            try TerminalScreen(
                colors: configuration.screenColors, mouse: configuration.config.usesMouse)
        }
        if let pick = configuration.pick { runner.handle(.picking(pick)) }
        var input = TerminalInput(runner.screen)
        // The answer is an event: nothing waits for it.
        if runner.state.settings.dependsOnBackground {
            runner.screen.requestBackground()
            input.expectReports()
        }
        var status: Int32 = 0
        var firstDraw: ContinuousClock.Instant? = .now + .milliseconds(100)
        while !runner.isDone {
            // The first frame waits briefly for rows.
            if runner.state.list.clips.isLoaded || (firstDraw.map { $0 <= .now } ?? false) { firstDraw = nil }
            if firstDraw == nil { runner.draw() }
            let timeout = firstDraw == nil ? runner.timeout : 20
            for event in input.next(timeout: timeout, alsoWaitingFor: runner.descriptors) {
                if let ending = handle(event, runner) { status = ending }
                if runner.isDone { break }
            }
            runner.collectPrograms()
            if let failure = runner.openingFailure {
                runner.screen.close()
                _ = ClipsApp.close(runner)
                throw ClipsAppError(failure)
            }
        }
        runner.screen.close()
        guard ClipsApp.close(runner) || status != 0 else { return 1 }
        guard status == 0, let pick = configuration.pick else { return status }
        return ClipsApp.write(runner.picked ?? .nothing, pick)
    }

    /// Handles an event, and returns the exit status if it ends the program.
    private static func handle(_ event: TerminalEvent, _ runner: AppRunner) -> Int32? {
        switch event {
        case .key(let key): runner.handle(.key(key))
        case .report(.background(let color)): runner.handle(.backgroundReported(color))
        case .report(.attributes): runner.screen.finishAnswers()
        case .resized(let size): runner.handle(.resized(size))
        case .readable(runner.mailbox.descriptor): runner.handleMail()
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
