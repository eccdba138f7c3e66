import ClipsTerminal
import Glibc
import Platform
import Terminal

extension Command {
    static let browse = Command(
        name: "browse",
        summary: "Show the clips in a live list that follows every commit",
        details: "Run 'clips COMMAND --help' for a command; press ? in the app for its keys.",
        operands: "[COMMAND]",
        options: [
            Option("--script", value: "FILE", "file of keys, or '-'; requires no terminal"),
            Option("--size", value: "80x24", "columns and rows for --script"),
        ], example: "clips --author work"
    ) { invocation in
        try await Command.list.run(invocation)
    }

    /// Runs the app, which requires the first thread.
    ///
    /// - Returns: Its exit status; nil if there is no terminal.
    static func browseOnTerminal(_ invocation: Invocation) throws -> Int32? {
        let arguments = invocation.arguments
        let script = arguments.value("--script")
        guard script != nil || !arguments.has("--size") else {
            throw UsageError("Option --size requires --script.")
        }
        guard script != nil || (isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1 && !invocation.isJSON)
        else { return nil }
        let size = try arguments.value("--size", expected: "columns and rows, such as 80x24") { Size($0) }
        var configuration = try invocation.appConfiguration(storePath: invocation.storePathForApp())
        guard let script else {
            configuration.startsMirror = true
            return ClipsApp.run(configuration)
        }
        // Foundation reads only regular files.
        guard let text = script == "-" ? TextFile.read(STDIN_FILENO) : TextFile.read(script) else {
            invocation.fail("Cannot read the script \(script). Check the path and its permissions.")
            return ExitStatus.failed.rawValue
        }
        return ClipsApp.runScript(configuration, script: text, size: size ?? Size(rows: 24, columns: 80))
    }
}
