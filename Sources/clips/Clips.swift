import BrowserHost
import ClipsCore
import ClipsExchange
import Glibc
import PersistentStore
import Platform

/// The program: runs a command, and is the one place that turns errors into messages and exit statuses.
@main
enum Clips {
    /// Not `async`: the thread pool behind an asynchronous main costs more time than saving a clip.
    static func main() {
        // A file that reaches its size limit is then an error like a full disk, and the clip is retained.
        signal(SIGXFSZ, SIG_IGN)
        var (command, words) = (Command.browse, [String]())
        do {
            exit(try run(&command, &words))
        } catch {
            let status = report(error, of: command)
            if (error as? UsageError)?.isOfCommand == true {
                Retention.retainInput(ofUnknown: words)
            } else {
                Retention.retainInput(of: command, words)
            }
            exit(status.rawValue)
        }
    }

    /// - Parameters:
    ///   - command: Receives the command as soon as it is known, for the message of an error.
    ///   - words: Receives its arguments; all, if the command is unknown.
    private static func run(_ command: inout Command, _ words: inout [String]) throws -> Int32 {
        let given = try ProcessInput.words()
        if let browser = try BrowserExtension(arguments: given) { return try serve(browser) }
        words = given
        (command, words) = try Command.find(in: given)
        try command.checkAction(in: words)
        let arguments = try Arguments(
            words, options: command.options + Option.global, takesSignedWords: command.takesSignedWords,
            // Almost every clip has a letter, so that a query does not exclude one.
            takesSignedLetters: !command.operands.contains("QUERY"))
        let invocation = Invocation(arguments: arguments)
        if arguments.has("--version") || arguments.has("--help") {
            invocation.output.write(arguments.has("--version") ? "clips \(clipsVersion)\n" : command.help)
            try invocation.output.flush()
            return ExitStatus.done.rawValue
        }
        try arguments.checkOperands(of: command)
        _ = try invocation.colorChoice()
        try ProcessInput.checkEnvironment()
        if command.name == Command.pick.name { return try Command.pickOnTerminal(invocation) }
        if command.name == Command.browse.name, let status = try Command.browseOnTerminal(invocation) {
            return status
        }
        let (found, foundWords) = (command, words)
        return try StoreOptions.runOnThisThread { options in
            var options = options
            options.isInterrupted = { PendingInterrupt.isThere }
            options.oversized = ClipStore.oversizedTexts()
            return await perform(
                found, foundWords, Invocation(arguments: arguments, storeOptions: options))
        }
    }

    /// Runs as the native host of the browser extension.
    private static func serve(_ browser: BrowserExtension) throws -> Int32 {
        try ProcessInput.checkEnvironment()
        let location = try ClipsLocation(path: nil, group: nil)
        return try StoreOptions.runOnThisThread { options in
            let host = BrowserHost(
                for: browser, program: clipsVersion, storePath: location.path, options: options
            ) { markup, address in
                WebPage(Array(markup.utf8), contentType: "text/html; charset=utf-8", address: address)?.text
                    ?? ""
            }
            return await host?.run() ?? ExitStatus.failed.rawValue
        }
    }

    private static func perform(
        _ command: Command, _ words: [String], _ invocation: Invocation
    ) async -> Int32 {
        var status: ExitStatus
        do {
            status = try await command.run(invocation)
        } catch {
            status = report(error, of: command, storePath: try? invocation.storePath())
            Retention.retainInput(of: command, words)
        }
        do {
            try invocation.output.flush()
        } catch {
            status = report(error, of: command)
        }
        if let sentence = ClipStore.sentence(invocation.storeOptions.oversized) {
            invocation.fail(sentence)
            if status == .done, ["list", "search", "show", "export"].contains(command.name) {
                status = .failed
            }
        }
        // As a shell reports it: 130, 143, 129.
        if status == .interrupted, let signal = PendingInterrupt.signal { return 128 + signal }
        return status.rawValue
    }

    private static func report(
        _ error: any Error, of command: Command, storePath: String? = nil
    ) -> ExitStatus {
        switch error {
        case is BrowserExtension.Rejection:
            Message.write("\(error)")
            return .wrongUsage
        case let problem as ClipsLocation.Problem where problem.isWrongUsage:
            Message.write("\(error)")
            return .wrongUsage
        case is UsageError:
            let name = command.name == Command.browse.name ? "" : command.name + " "
            Message.write("\(error) Run 'clips \(name)--help'.")
            return .wrongUsage
        // Not of another file that must be a store, such as a backup.
        case StoreError.missing(let path) where path == storePath:
            Message.write("\(error) Check the path; 'clips add' creates a store.")
            return .failed
        default:
            Message.write(error.sentence)
            return .failed
        }
    }
}

/// The exit statuses of the program.
enum ExitStatus: Int32 {
    case done = 0
    /// All or a part failed, or nothing matched; a message says which.
    case failed = 1
    /// The arguments are not valid; nothing was done.
    case wrongUsage = 2
    case interrupted = 130
}
