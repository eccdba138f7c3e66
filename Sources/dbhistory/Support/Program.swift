import CProcess
import Glibc
import PersistentStore
import Platform

/// The program: runs a command, and turns errors into messages and exit statuses.
@main
enum Program {
    static func main() async {
        var words: [String] = []
        do {
            words = try Self.words()
            exit(try await run(words))
        } catch let error as UsageError {
            let name = error.isOfCommand ? "" : "\(words[0]) "
            fail("\(error) Run 'dbhistory \(name)--help'.")
        } catch StoreError.notAttached(let path) {
            fail("No table of \(path) is recorded. Run 'dbhistory track \(path)'.")
        } catch StoreError.needsWAL(let path) {
            fail(
                "\(path) is not in WAL mode, in which it must be and will remain. Allow the switch with --wal."
            )
        } catch StoreError.cannotRestore(let path, let reason) {
            fail("Cannot undo: \(reason). Nothing was changed; 'dbhistory log \(path)' prints the changes.")
        } catch {
            fail("\(error)")
        }
        exit(2)
    }

    /// The arguments after the program's name, without /proc.
    private static func words() throws -> [String] {
        try (1..<max(1, process_argument_count())).map { index in
            guard let word = process_argument(index).flatMap({ String(validatingCString: $0) }) else {
                throw UsageError("Argument \(index) is not valid UTF-8; nothing was done.", isOfCommand: true)
            }
            return word
        }
    }

    private static func run(_ words: [String]) async throws -> Int32 {
        guard let word = words.first else {
            try Output().write(Help.overview)
            return 2
        }
        if ["--version", "--help", "-h", "help"].contains(word) {
            try Output().write(word == "--version" ? "dbhistory \(clipsVersion)\n" : Help.overview)
            return 0
        }
        guard let command = Command.all.first(where: { $0.name == word }) else {
            let names = Command.all.map(\.name)
            throw UsageError(
                "Unknown command '\(word)'.\(Suggestion.question(for: word, in: names))", isOfCommand: true)
        }
        let arguments = try Arguments(Array(words.dropFirst()), of: command)
        if arguments.has("--help") || arguments.has("--version") {
            try Output().write(
                arguments.has("--version") ? "dbhistory \(clipsVersion)\n" : Help.text(of: command))
            return 0
        }
        return try await command.run(arguments)
    }

    /// Writes a message on standard error; it may contain names of the database.
    static func fail(_ text: String) {
        try? Output(descriptor: STDERR_FILENO).write("dbhistory: \(ChangeText.plain(text))\n")
    }
}

/// Unbuffered output in whole lines.
struct Output: Sendable {
    var descriptor = STDOUT_FILENO

    func write(_ text: String) throws {
        do throws(Errno) {
            try DescriptorIO.write(Array(text.utf8), to: descriptor)
        } catch {
            throw Failure("The output cannot be written: \(error).")
        }
    }

    func line(_ text: String) throws { try write(text + "\n") }
}

extension Arguments {
    /// Opens the database, of which tables are recorded.
    ///
    /// - Parameter durability: That of cursors; after a power failure, an older one repeats changes.
    func open(durability: StoreOptions.Durability = .full) async throws(StoreError) -> PersistentContainer {
        var options = Self.options
        options.durability = durability
        return try await PersistentContainer(attachingTo: path, options: options)
    }

    static var options: StoreOptions {
        var options = StoreOptions()
        options.program = "dbhistory"
        return options
    }
}
