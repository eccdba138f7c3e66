import ClipsCore
import ClipsTerminal
import FoundationEssentials
import Glibc
import PersistentStore
import Platform
import Terminal

extension Command {
    static let browse = Command(
        name: "browse",
        summary: "Shows the clips in a live list that changes as other processes write.\n"
            + "Without a terminal it prints the list.",
        operands: "[COMMAND]",
        options: [
            Option(
                "--color", value: "WHEN", "auto, always or never (NO_COLOR is heeded too)",
                choices: ["auto", "always", "never"]),
            Option("--script", value: "FILE", "keys from a file, or from -; needs no terminal"),
            Option("--size", value: "80x24", "with --script: columns and rows"),
        ], example: "clips --author work"
    ) { invocation in
        try await Command.list.run(invocation)
    }

    /// The app owns the first thread; nil when there is no terminal to show it on.
    static func browseOnTerminal(_ invocation: Invocation) throws -> Int32? {
        let arguments = invocation.arguments
        let script = arguments.value("--script")
        guard script != nil || (isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1 && !invocation.isJSON)
        else {
            return nil
        }
        var configuration = ClipsApp.Configuration(storePath: try invocation.storePathForApp())
        if let author = arguments.value("--author") { configuration.author = author }
        if let word = arguments.value("--color") {
            guard let choice = ColorCapability.Choice(rawValue: word) else {
                throw UsageError("--color takes auto, always or never, not '\(word)'.")
            }
            configuration.colors = choice
        }
        guard let script else { return ClipsApp.run(configuration) }
        let sizeText = arguments.value("--size") ?? "80x24"
        guard let size = Size(sizeText) else {
            throw UsageError("--size takes columns and rows, as 80x24, not '\(sizeText)'.")
        }
        return ClipsApp.runScript(configuration, script: try text(of: script), size: size)
    }

    private static func text(of path: String) throws -> String {
        // Not by Foundation, which reads regular files only.
        guard let text = path == "-" ? TextFile.read(STDIN_FILENO) : TextFile.read(path) else {
            throw UsageError("The script \(path) cannot be read.")
        }
        return text
    }
}
