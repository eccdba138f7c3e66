import FoundationEssentials
import Glibc
package import PersistentStore
package import Terminal

/// The terminal app, from start to end.
package enum ClipsApp {
    package struct Configuration: Sendable {
        package var storePath: String
        package var author: String
        /// What the command line says; nil leaves it to the config file.
        package var colors: ColorCapability.Choice?
        package var options: StoreOptions
        package var config: ConfigFile
        package var programs: UserPrograms

        package init(
            storePath: String, author: String = "app", colors: ColorCapability.Choice? = nil,
            options: StoreOptions = StoreOptions(), config: ConfigFile = .read(),
            programs: UserPrograms = .environment()
        ) {
            self.storePath = storePath
            self.author = author
            self.colors = colors
            self.options = options
            self.config = config
            self.programs = programs
        }

        var screenColors: ColorCapability.Choice { colors ?? config.colors ?? .auto }
    }

    /// Shows the app on the terminal until the person leaves. Blocks the calling thread; call it on the first one.
    package static func run(_ configuration: Configuration) -> Int32 {
        // Whatever ends while written to is noticed where it is written to.
        signal(SIGPIPE, SIG_IGN)
        do {
            return try InteractiveLoop.run(configuration)
        } catch {
            return fail("\(error)")
        }
    }

    /// Runs a script of keys on a screen without a terminal.
    package static func runScript(_ configuration: Configuration, script: String, size: Size) -> Int32 {
        signal(SIGPIPE, SIG_IGN)
        do {
            var runner = try ScriptRunner(configuration, size: size)
            try runner.run(Script(script))
            return 0
        } catch {
            return fail("\(error)")
        }
    }

    private static func fail(_ sentence: String) -> Int32 {
        let bytes = Array("clips: \(SafeText.line(sentence))\n".utf8)
        _ = write(STDERR_FILENO, bytes, bytes.count)
        return 1
    }

    /// Opens store and screen side by side.
    static func makeRunner(
        _ configuration: Configuration, makeScreen: () throws -> TerminalScreen
    ) throws -> AppRunner {
        let clock = try AppClock.environment()
        let mailbox = Mailbox<AppEvent>()
        let worker = StoreWorker(mailbox: mailbox)
        var options = configuration.options
        if clock.isPinned {
            let milliseconds = Int64(clock.now.timeIntervalSince1970 * 1000)
            options.clock = { milliseconds }
        }
        worker.open(path: configuration.storePath, author: configuration.author, options: options)
        return AppRunner(
            screen: try makeScreen(), mailbox: mailbox, worker: worker, config: configuration.config,
            programs: configuration.programs, clock: clock)
    }

    /// Lets the session say good-bye in the store, but waits for nobody who holds it.
    static func close(_ runner: AppRunner) {
        let closed = Mailbox<Bool>()
        runner.worker.close { closed.post(true) }
        var polled = pollfd(fd: closed.descriptor, events: Int16(POLLIN), revents: 0)
        _ = poll(&polled, 1, 200)
    }
}
