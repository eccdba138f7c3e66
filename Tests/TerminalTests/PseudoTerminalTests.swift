import Glibc
import Terminal
import Testing

/// The terminal, signals, and the end of a process; each test runs in its own process.
@Suite(.serialized) struct PseudoTerminalTests {
    @Test func `the terminal's modes are restored when the screen is closed`() async {
        await #expect(processExitsWith: .exitCode(42)) {
            PseudoTerminal.become(rows: 30, columns: 100)
            setenv("LINES", "5", 1)
            setenv("COLUMNS", "20", 1)
            let screen = try TerminalScreen(mouse: true)
            let size = screen.size
            var frame = Frame(size: size)
            frame.put("corner", row: 29, column: 90)
            screen.present(frame)
            let held = screen.snapshot()
            let wasRaw = !PseudoTerminal.isCooked
            _ = "written during".withCString { write(STDERR_FILENO, $0, 14) }
            let early = PseudoTerminal.output()
            screen.close()
            let late = PseudoTerminal.output()
            let isRight =
                size == Size(rows: 30, columns: 100) && held == frame && wasRaw && PseudoTerminal.isCooked
                && early.contains("corner") && early.contains("\u{1B}[1;30r")
                && early.contains("\u{1B}[?2004h")
                && early.contains("\u{1B}[?1006h")
                && !early.contains("during") && late.hasSuffix("written during")
                && late.contains("\u{1B}[?1049l") && late.contains("\u{1B}[?2004l")
            exit(isRight ? 42 : 43)
        }
    }

    @Test(arguments: [SIGILL, SIGSEGV, SIGABRT, SIGQUIT, SIGUSR1, SIGUSR2, SIGALRM, SIGXCPU, SIGPROF])
    func `a crash restores the terminal and then proceeds`(number: CInt) async {
        await #expect(processExitsWith: .exitCode(42)) { [number] in
            PseudoTerminal.become(rows: 24, columns: 80)
            signal(number, PseudoTerminal.exitByState)
            let screen = try TerminalScreen()
            screen.present(Frame(size: screen.size))
            _ = PseudoTerminal.output()
            PseudoTerminal.signal(number)
            withExtendedLifetime(screen) { PseudoTerminal.awaitEnd() }
        }
    }

    @Test func `a trap in Swift restores the terminal`() async {
        await #expect(processExitsWith: .exitCode(42)) {
            PseudoTerminal.become(rows: 24, columns: 80)
            for number in [SIGILL, SIGTRAP] { signal(number, PseudoTerminal.exitByState) }
            let screen = try TerminalScreen()
            screen.present(Frame(size: screen.size))
            _ = PseudoTerminal.output()
            let rows = Array(0..<screen.size.rows)
            exit(CInt(rows[screen.size.rows]))
        }
    }

    @Test func `exit restores the terminal`() async {
        await #expect(processExitsWith: .exitCode(42)) {
            PseudoTerminal.become(rows: 24, columns: 80)
            atexit { PseudoTerminal.exitByState(0) }
            let screen = try TerminalScreen()
            screen.present(Frame(size: screen.size))
            _ = PseudoTerminal.output()
            withExtendedLifetime(screen) { exit(0) }
        }
    }

    @Test func `signals and sizes are delivered as events`() async {
        await #expect(processExitsWith: .exitCode(42)) {
            PseudoTerminal.become(rows: 24, columns: 80)
            let screen = try TerminalScreen()
            var input = TerminalInput(screen)
            PseudoTerminal.resize(rows: 10, columns: 40)
            let events = input.next(timeout: 5_000)
            PseudoTerminal.signal(SIGTERM)
            let end = input.next(timeout: 5_000)
            screen.present(Frame(size: screen.size))
            PseudoTerminal.type("\u{3}j")
            let keys = input.next(timeout: 5_000)
            screen.close()
            let isRight =
                events == [.resized(Size(rows: 10, columns: 40))] && end == [.signal(.terminate)]
                && screen.size == Size(rows: 10, columns: 40)
                && keys == [.key(.control("c")), .key(.character("j"))]
            exit(isRight ? 42 : 43)
        }
    }

    @Test(arguments: [("truecolor", "38;2;18;171;52m"), ("", "38;5;35m")])
    func `a terminal with all colors receives red, green, and blue`(
        variable: String, sequence: String
    ) async {
        await #expect(processExitsWith: .exitCode(42)) { [variable, sequence] in
            PseudoTerminal.become(rows: 24, columns: 80)
            setenv("COLORTERM", variable, 1)
            setenv("TERMINFO", "/etc/terminfo", 1)
            unsetenv("NO_COLOR")
            let screen = try TerminalScreen()
            var frame = Frame(size: screen.size)
            frame.put("x", row: 0, column: 0, style: Style(foreground: .rgb(0x12AB34)))
            frame.put("y", row: 0, column: 1, style: Style(foreground: .indexed(9)))
            screen.present(frame)
            let output = PseudoTerminal.output()
            let isInherited = getenv("TERMINFO").map { String(cString: $0) } == "/etc/terminfo"
            screen.close()
            exit(output.contains(sequence + "x") && output.contains("91my") && isInherited ? 42 : 43)
        }
    }

    @Test func `the background is requested, its answer is an event, and none reaches the shell`() async {
        await #expect(processExitsWith: .exitCode(42)) {
            PseudoTerminal.become(rows: 24, columns: 80)
            let screen = try TerminalScreen()
            screen.requestBackground()
            guard PseudoTerminal.output().hasSuffix("\u{1B}]11;?\u{1B}\\\u{1B}[c") else { exit(43) }
            var input = TerminalInput(screen)
            input.expectReports()
            PseudoTerminal.type("\u{1B}")
            // Longer than a single Escape waits.
            guard input.next(timeout: 60) == [.timedOut] else { exit(45) }
            PseudoTerminal.type("]11;rgb:ffff/ffff/ffff\u{7}\u{1B}[?1;2cj")
            let events = input.next(timeout: 5_000).filter { $0 != .key(.unknown) }
            let isRight =
                events == [
                    .key(.character("j")), .report(.background(.rgb(0xFFFFFF))), .report(.attributes),
                ]
            // An answer that arrives late is discarded at the end.
            screen.requestBackground()
            PseudoTerminal.type("\u{1B}]11;rgb:ffff/ffff/ffff\u{7}\u{1B}[?1;2c")
            screen.close()
            let rest = input.next(timeout: 0)
            exit(isRight && rest == [.timedOut] && PseudoTerminal.isCooked ? 42 : 44)
        }
    }

    @Test func `a second SIGTERM ends a process that ignored the first`() async {
        await #expect(processExitsWith: .signal(SIGTERM)) {
            PseudoTerminal.become(rows: 24, columns: 80)
            let screen = try TerminalScreen()
            var input = TerminalInput(screen)
            PseudoTerminal.signal(SIGTERM)
            guard input.next(timeout: 5_000) == [.signal(.terminate)] else { exit(44) }
            PseudoTerminal.signal(SIGTERM)
            withExtendedLifetime(screen) { PseudoTerminal.awaitEnd() }
        }
    }

    @Test func `a closed terminal is a hang-up`() async {
        await #expect(processExitsWith: .exitCode(42)) {
            signal(SIGHUP, SIG_IGN)
            PseudoTerminal.become(rows: 24, columns: 80)
            let screen = try TerminalScreen()
            var input = TerminalInput(screen)
            PseudoTerminal.hangUp()
            // The kernel also sends SIGCONT, sooner or later.
            var events: Set<TerminalEvent> = []
            while !events.contains(.hangup), !events.contains(.timedOut) {
                events.formUnion(input.next(timeout: 5_000))
            }
            var after: Set<TerminalEvent> = []
            for _ in 0..<3 { after.formUnion(input.next(timeout: 1)) }
            screen.present(Frame(size: screen.size))
            screen.close()
            exit(events.contains(.hangup) && !after.contains(.hangup) && after.contains(.timedOut) ? 42 : 43)
        }
    }

    @Test func `an unknown terminal is treated as xterm, and one that cannot position text is refused`() async
    {
        await #expect(processExitsWith: .exitCode(42)) {
            PseudoTerminal.become(rows: 24, columns: 80)
            setenv("TERM", "xterm-from-the-future", 1)
            let screen = try TerminalScreen()
            let note = screen.note
            screen.close()
            setenv("TERM", "dumb", 1)
            var rejection: TerminalError?
            do { try TerminalScreen().close() } catch let error as TerminalError { rejection = error }
            let isRight =
                note?.contains("xterm-from-the-future") == true && rejection == .cannotPlaceText(type: "dumb")
                && PseudoTerminal.isCooked
            exit(isRight ? 42 : 43)
        }
    }
}
