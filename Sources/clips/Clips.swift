import Glibc
import PersistentStore

/// The program: finds the command, runs it, and is the one place where an error becomes text and an exit status.
@main
enum Clips {
    static let version = "0.2.0"

    /// Not `async`: the pool of threads behind an asynchronous main costs a program that saves one clip more than
    /// the saving.
    static func main() {
        // A file that may grow no longer is told of as a full disk, with the clip kept, rather than the end of us.
        signal(SIGXFSZ, SIG_IGN)
        exit(run())
    }

    private static func run() -> Int32 {
        var name: String?
        do {
            let words = try ProcessInput.words()
            let (command, rest) = try command(in: words)
            name = command.name == Command.browse.name ? nil : command.name
            let arguments = try Arguments(
                rest, options: command.options + Command.globalOptions,
                takesSignedWords: command.takesSignedWords)
            let invocation = Invocation(arguments: arguments)
            if arguments.has("--version") {
                invocation.output.line("clips \(version)")
                try invocation.output.flush()
                return ExitStatus.done.rawValue
            }
            if arguments.has("--help") {
                invocation.output.write(command.help)
                try invocation.output.flush()
                return ExitStatus.done.rawValue
            }
            try ProcessInput.checkEnvironment()
            if command.name == Command.browse.name,
                let status = try Command.browseOnTerminal(invocation)
            {
                return status
            }
            return try StoreOptions.runOnThisThread { options in
                var options = options
                options.isInterrupted = { PendingInterrupt.isThere }
                return await perform(command, Invocation(arguments: arguments, storeOptions: options))
            }
        } catch let error as OutputError {
            Output.standardError.sentence("clips: \(error)")
            return ExitStatus.failed.rawValue
        } catch {
            let help = ["clips", name, "--help"].compactMap(\.self).joined(separator: " ")
            Output.standardError.sentence("clips: \(error) Try '\(help)'.")
            return ExitStatus.usage.rawValue
        }
    }

    private static func perform(_ command: Command, _ invocation: Invocation) async -> Int32 {
        var status: ExitStatus
        do {
            status = try await command.run(invocation)
        } catch let error as UsageError {
            invocation.fail("\(error) Try 'clips \(command.name) --help'.")
            status = .usage
        } catch let error as StoreError where error.isMissingStore(of: invocation) {
            invocation.fail("\(error) Check the path; 'clips add' creates a store.")
            status = .usage
        } catch {
            invocation.fail("\(error)")
            status = .failed
            if error is OutputError { return status.rawValue }
        }
        do {
            try invocation.output.flush()
        } catch {
            invocation.fail("\(error)")
            status = .failed
        }
        // As a shell reports it: 130, 143, 129.
        if status == .interrupted, let signal = PendingInterrupt.signal { return 128 + signal }
        return status.rawValue
    }

    /// The first word that is a command's name; global options may come before it.
    private static func command(in words: [String]) throws(UsageError) -> (Command, [String]) {
        var skipsValue = false
        for (index, word) in words.enumerated() {
            if skipsValue {
                skipsValue = false
            } else if word.hasPrefix("-") {
                let options = Command.globalOptions + Command.browse.options
                skipsValue = options.contains { $0.name == word && $0.value != nil }
            } else if word == "help" || word == "version" {
                let rest = Array(words[..<index] + words[(index + 1)...])
                let named = rest.filter { !$0.hasPrefix("-") }
                let command =
                    Command.named(named.prefix(2).joined(separator: " "))
                    ?? named.lazy.compactMap(Command.named).first ?? Command.browse
                let names = command.name.split(separator: " ").map(String.init)
                return (command, rest.filter { !names.contains($0) } + ["--\(word)"])
            } else if let command = Command.named(words[index...].prefix(2).joined(separator: " ")) {
                return (command, Array(words[..<index] + words.dropFirst(index + 2)))
            } else if let command = Command.named(word) {
                return (command, Array(words[..<index] + words[(index + 1)...]))
            } else {
                throw UsageError("There is no command '\(word)'.")
            }
        }
        return (Command.browse, words)
    }
}

extension StoreError {
    /// Not of another file that must be a store, as a backup.
    fileprivate func isMissingStore(of invocation: Invocation) -> Bool {
        if case .missing(let path) = self { path == (try? invocation.storePath()) } else { false }
    }
}
