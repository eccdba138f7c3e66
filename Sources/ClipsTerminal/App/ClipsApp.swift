import ClipsCore
import FoundationEssentials
import Glibc
package import PersistentStore
import Platform
package import Terminal

/// The terminal app.
package enum ClipsApp {
    package struct Configuration: Sendable {
        package var storePath: String
        package var author: String
        /// The choice on the command line; nil for that of the config file.
        package var colors: ColorCapability.Choice?
        package var options: StoreOptions
        package var config: ConfigFile
        package var programs: UserPrograms
        /// Whether the app exchanges changes with other machines while it is open.
        package var startsMirror = false
        /// The mode of `clips pick`.
        package var pick: Pick?

        package init(
            storePath: String, author: String = AuthorName.app, colors: ColorCapability.Choice? = nil,
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

    /// Runs the app until the user quits. Blocks the calling thread, which must be the main thread.
    package static func run(_ configuration: Configuration) -> Int32 {
        // Writes report a closed reader.
        signal(SIGPIPE, SIG_IGN)
        do {
            return try InteractiveLoop.run(configuration)
        } catch {
            return fail(error.sentence)
        }
    }

    /// Runs a script on a screen without a terminal.
    package static func runScript(_ configuration: Configuration, script: String, size: Size) -> Int32 {
        signal(SIGPIPE, SIG_IGN)
        do {
            var runner = try ScriptRunner(configuration, size: size)
            try runner.run(Script(script))
            return 0
        } catch {
            return fail(error.sentence)
        }
    }

    /// Writes a choice on standard output, and returns the exit status.
    static func write(_ picked: Picked, _ pick: Pick) -> Int32 {
        guard !picked.text.isEmpty else { return picked.status }
        let isSeen = isatty(STDOUT_FILENO) == 1
        let text =
            !isSeen
            ? picked.text : pick.form == .json ? SafeText.json(picked.text) : SafeText.lines(picked.text)
        guard TextFile.write(text + "\n", on: STDOUT_FILENO) else {
            return fail("The output cannot be written. Check standard output.")
        }
        if !picked.remark.isEmpty { warn(picked.remark) }
        return picked.status
    }

    private static func fail(_ sentence: String) -> Int32 {
        warn(sentence)
        return 1
    }

    private static func warn(_ sentence: String) {
        _ = TextFile.write("clips: \(SafeText.line(sentence))\n", on: STDERR_FILENO)
    }

    /// Opens the store and the screen concurrently.
    static func makeRunner(
        _ configuration: Configuration, makeScreen: () throws -> TerminalScreen
    ) throws -> AppRunner {
        let clock = try AppClock.environment()
        // Without descriptors, libdispatch ends the process.
        guard let mailbox = try? Mailbox<AppEvent>(), FileDescriptor.areAvailable(32) else {
            throw ClipsAppError("Too many open files. Raise the limit ('ulimit -n').")
        }
        let unsaved = UnsavedWork(storePath: configuration.storePath, author: configuration.author)
        let worker = StoreWorker(mailbox: mailbox, unsaved: unsaved)
        var options = configuration.options
        if clock.isPinned {
            let milliseconds = Int64(clock.now.timeIntervalSince1970 * 1000)
            options.clock = { milliseconds }
        }
        worker.open(
            path: configuration.storePath, author: configuration.author, options: options,
            query: ClipQuery(sort: configuration.config.sort), startsMirror: configuration.startsMirror)
        return AppRunner(
            screen: try makeScreen(), mailbox: mailbox, worker: worker, unsaved: unsaved,
            config: configuration.config, programs: configuration.programs, clock: clock)
    }

    /// Ends the session after the screen is closed: waits briefly for saves, and retains the text of those
    /// that do not end, such as when another process holds the store.
    ///
    /// - Returns: Whether everything was saved.
    static func close(_ runner: AppRunner) -> Bool {
        let (worker, unsaved) = (runner.worker, runner.unsaved)
        unsaved.close()
        if !wait(milliseconds: 1000, until: { worker.hasSaved }) {
            unsaved.endWaiting()
            _ = wait(milliseconds: 2000, until: { worker.hasSaved })
            worker.retainRest()
        }
        for work in runner.state.unansweredEdits {
            _ = unsaved.retain(work, because: "Another process changed the clip.")
        }
        let hasSaved = unsaved.report()
        let closed = try? Mailbox<Bool>()
        worker.close { closed?.post(true) }
        _ = wait(milliseconds: 200, until: { closed?.isEmpty == false })
        return hasSaved
    }

    private static func wait(milliseconds: Int, until condition: () -> Bool) -> Bool {
        let deadline = ContinuousClock.now + .milliseconds(milliseconds)
        while !condition() {
            guard ContinuousClock.now < deadline else { return false }
            DescriptorIO.pause(for: .milliseconds(2))
        }
        return true
    }
}
