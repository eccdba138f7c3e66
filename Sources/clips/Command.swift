/// One subcommand: what it is called, understands, and does.
struct Command: Sendable {
    let name: String
    let summary: String
    /// The operands, as help shows them.
    let operands: String
    let options: [Option]
    let example: String
    /// Whether an operand may begin with a minus.
    var takesSignedWords = false
    let run: @Sendable (Invocation) async throws -> ExitStatus

    /// Understood by every command, before or after its name.
    static let globalOptions = [
        Option("--store", value: "PATH", "the store's file (else $CLIPS_STORE, else the group's)"),
        Option("--group", value: "NAME", "the app group whose store is meant (clips)"),
        Option("--author", value: "NAME", "who is writing"),
        Option("--json", "one JSON object a line"),
        Option("--quiet", "only what was asked for, no remarks"),
        Option("--help", "this help"),
        Option("--version", "the version"),
    ]

    static let all = [
        browse, .extension, .add, .list, .search, .show, .edit, .tag, .star, .delete, .restore, .import,
        .export, .history, .historyClean, .consumers, .doctor, .backup, .completions, .man,
    ]

    static func named(_ name: String) -> Command? { all.first { $0.name == name } }
}

/// How the program ends; documented in its help.
enum ExitStatus: Int32 {
    case done = 0
    case failed = 1
    case usage = 2
    case interrupted = 130
}

extension Command {
    /// The command's help: fits a screen.
    var help: String {
        let call = ["clips", name == Command.browse.name ? "" : name, operands].filter { !$0.isEmpty }
        var text = "usage: \(call.joined(separator: " ")) [options]\n\n\(summary)\n"
        if name == Command.browse.name {
            text += "\ncommands:\n"
            for command in Command.all.dropFirst() where !command.name.contains(" ") {
                let summary = command.summary.prefix { $0 != "\n" }
                text += Self.line(command.name, String(summary))
            }
        }
        let isMain = name == Command.browse.name
        if isMain {
            let others = Command.globalOptions.filter { $0.name != "--help" }
            text += "\noptions:\n" + Self.lines(options + others)
        } else {
            if !options.isEmpty { text += "\noptions:\n" + Self.lines(options) }
            text += "\nfor every command:\n" + Self.lines(Command.globalOptions)
        }
        text += "\nexample:\n  \(example)\n"
        text += isMain ? "" : "\n"
        text += "exit status: 0 done, 1 failed or partly, 2 wrong usage, 130 interrupted\n"
        return text
    }

    private static func lines(_ options: [Option]) -> String {
        options.map { line($0.name + ($0.value.map { " " + $0 } ?? ""), $0.help) }.joined()
    }

    private static func line(_ name: String, _ help: String) -> String {
        "  \(name)\(String(repeating: " ", count: max(1, 22 - name.count)))\(help)\n"
    }
}
