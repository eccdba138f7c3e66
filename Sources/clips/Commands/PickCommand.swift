import ClipsTerminal
import PersistentStore
import Platform

extension Command {
    static let pick = Command(
        name: "pick",
        summary: "Choose clips in the app, and print them",
        details: """
            Shows the app on the terminal (/dev/tty), even in a pipe or in $(…). Type to filter; Enter \
            prints the clip, Esc leaves without one (status 1). 'clips completions bash --widget' binds \
            Alt-k to insert a choice in the command line.
            """,
        operands: "[QUERY…]",
        options: [
            Option("--multi", "choose several: Tab marks, Enter prints in that order"),
            Option(
                "--format", value: "NAME", "url (default), title, text, markdown, json, or id",
                choices: CopyForm.allCases.map(\.rawValue)),
        ], example: "clips pick --multi tag:paper | xargs -n 1 curl -O"
    ) { _ in .failed }

    /// Runs the picker, which requires the first thread.
    static func pickOnTerminal(_ invocation: Invocation) throws -> Int32 {
        let arguments = invocation.arguments
        let form = try arguments.value("--format", as: CopyForm.init(rawValue:))
        var configuration = try invocation.appConfiguration(storePath: invocation.existingStorePath())
        configuration.pick = Pick(
            words: arguments.operands.joined(separator: " "),
            form: form ?? (invocation.isJSON ? .json : .url), isSeveral: arguments.has("--multi"))
        return ClipsApp.run(configuration)
    }
}

extension Invocation {
    /// The configuration of the app for this call.
    func appConfiguration(storePath: String) throws -> ClipsApp.Configuration {
        var configuration = ClipsApp.Configuration(storePath: storePath)
        if let author = arguments.value("--author") { configuration.author = author }
        configuration.colors = try colorChoice()
        return configuration
    }
}
